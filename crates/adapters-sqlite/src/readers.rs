use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use counters::Histogram;
use diesel::{Connection, SqliteConnection};
use domain::ports::{POOL_WAIT_BOUNDS, PoolFigures, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::connection::DatabaseFile;
use crate::connection::{unavailable, within_deadline};
use crate::undo::Undo;
use crate::work::{Answer, Work, answer, boxed};

/// A pool of connections that only read. A connection is opened when it is needed.
#[derive(Clone)]
pub(crate) struct Readers(Arc<Pool>);

struct Pool {
    file: DatabaseFile,
    idle: Mutex<Vec<SqliteConnection>>,
    free: Arc<Semaphore>,
    size: usize,
    waiting: AtomicUsize,
    waits: Histogram,
}

impl Readers {
    /// A pool of at most `count` connections, at least one.
    pub(crate) fn new(file: DatabaseFile, count: usize) -> Self {
        let size = count.max(1);
        let (free, waits) = (Arc::new(Semaphore::new(size)), Histogram::new(POOL_WAIT_BOUNDS));
        Self(Arc::new(Pool { file, idle: Mutex::default(), free, size, waiting: AtomicUsize::new(0), waits }))
    }

    /// Runs `work` on a thread that may block. If the caller drops the future, the work still ends normally.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.perform(boxed(work)).await.map(answer)
    }

    /// The same in one transaction, so that all of the answer is from the same instant.
    pub(crate) async fn read_at_once<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.read(move |connection| connection.transaction(work)).await
    }

    async fn perform(&self, work: Work) -> Result<Answer, StoreError> {
        within_deadline(async {
            let turn = self.0.turn().await?;
            let pool = Arc::clone(&self.0);
            let reading = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                pool.read(work)
            });
            reading.await.unwrap_or_else(|_| Err(unavailable("the reading thread stopped")))
        })
        .await
    }

    /// The state of the pool.
    pub(crate) fn figures(&self) -> PoolFigures {
        let waits = self.0.waits.read();
        PoolFigures {
            name: "reading",
            used: self.0.size.saturating_sub(self.0.free.available_permits()),
            idle: self.0.idle().len(),
            waiting: self.0.waiting.load(Ordering::Relaxed),
            waits: waits.counts,
            waited: waits.sum,
        }
    }

    /// Closes idle connections now, and the others when their work is done. Refuses later calls.
    pub(crate) fn close(&self) {
        self.0.free.close();
        self.0.idle().clear();
    }
}

/// A call that waits for its turn, also if its caller drops it.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pool {
    async fn turn(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        let began = Instant::now();
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        let turn = Arc::clone(&self.free).acquire_owned().await;
        self.waits.observe(began.elapsed());
        turn.map_err(|_| unavailable("the store is closed"))
    }

    fn read(&self, work: Work) -> Result<Answer, StoreError> {
        let idle = self.idle().pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.file.connect_reader().map_err(|error| StoreError::Unavailable(Box::new(error)))?,
        };
        let outcome = work(&mut connection).map_err(|Undo(error)| error);
        // Do not reuse a connection that failed.
        let sound = !matches!(outcome, Err(StoreError::Unavailable(_)));
        if sound && !self.free.is_closed() {
            self.idle().push(connection);
        }
        outcome
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
