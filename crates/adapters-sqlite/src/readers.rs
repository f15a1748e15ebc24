use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::SqliteConnection;
use domain::ports::StoreError;
use tokio::sync::Semaphore;

use crate::connection::DatabaseFile;
use crate::connection::{unavailable, within_deadline};
use crate::undo::Undo;

/// A pool of connections that only read. A connection is opened when it is needed.
#[derive(Clone)]
pub(crate) struct Readers(Arc<Pool>);

struct Pool {
    file: DatabaseFile,
    idle: Mutex<Vec<SqliteConnection>>,
    free: Arc<Semaphore>,
}

impl Readers {
    /// A pool of at most `count` connections, at least one.
    pub(crate) fn new(file: DatabaseFile, count: usize) -> Self {
        let free = Arc::new(Semaphore::new(count.max(1)));
        Self(Arc::new(Pool { file, idle: Mutex::default(), free }))
    }

    /// Runs `work` on a thread that may block. If the caller drops the future, the work still runs to its end.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
    ) -> Result<T, StoreError> {
        within_deadline(async {
            let turn =
                Arc::clone(&self.0.free).acquire_owned().await.map_err(|_| unavailable("the store is closed"))?;
            let pool = Arc::clone(&self.0);
            let reading = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                pool.read(work)
            });
            reading.await.unwrap_or_else(|_| Err(unavailable("the reading thread stopped")))
        })
        .await
    }

    /// Closes the idle connections now, and those in use when their work is done. Refuses later calls.
    pub(crate) fn close(&self) {
        self.0.free.close();
        self.0.idle().clear();
    }
}

impl Pool {
    fn read<T>(&self, work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo>) -> Result<T, StoreError> {
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
