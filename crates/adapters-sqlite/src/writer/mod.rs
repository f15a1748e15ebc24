//! The writing side of the database.

mod worker;
mod write;

use std::sync::Arc;
use std::{io, thread};

use counters::{DurationCounts, Histogram};
use diesel::SqliteConnection;
use domain::ports::{AuditWatcher, AuditWatchers, POOL_WAIT_BOUNDS, PoolFigures, StoreError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use crate::connection::{DEADLINE, DatabaseFile, unavailable};
use crate::file_lock::FileLock;
use crate::undo::Undo;
use crate::work::{Answer, Work, answer, boxed};
use worker::{Message, Worker};
use write::{Asked, Durability, Recorded, Tell, Turn, Write};

/// The most writes that wait. More are refused at once, so that memory stays bounded and no caller waits for an answer
/// that comes too late.
const QUEUE_LENGTH_MAX: usize = 1_024;

/// Sends writes to the one thread that performs them. See decision 19.
#[derive(Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<Message>,
    waits: Arc<Histogram>,
    /// The watchers of the writes' events in the audit log.
    watchers: Arc<AuditWatchers>,
}

impl Writer {
    /// Starts the thread. It works on `connection` and, when that fails, on new connections to `file`. It holds the lock
    /// until it ends.
    pub(crate) fn start(file: DatabaseFile, connection: SqliteConnection, lock: Arc<FileLock>) -> io::Result<Self> {
        let (queue, inbox) = mpsc::channel(QUEUE_LENGTH_MAX);
        let worker = Worker { file, connection: Some(connection), durability: Durability::Flushed, lock };
        thread::Builder::new().name("sqlite-writer".into()).spawn(move || worker.run(inbox))?;
        Ok(Self { queue, waits: Arc::new(Histogram::new(POOL_WAIT_BOUNDS)), watchers: Arc::default() })
    }

    /// Performs `work` in a transaction, and answers when the transaction is on disk. If `work` fails, it has no
    /// effect.
    ///
    /// If the caller drops the future before the work begins, the work is dropped; after that, it is done as a whole.
    /// Work that does not begin within the deadline is refused without effect. A call whose work has begun waits for
    /// its end, because no effect may follow an error.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.write_then(work, |_| ()).await
    }

    /// Like [`Writer::write`], but does not wait for the disk: for writes that a power failure may undo.
    pub(crate) async fn write_unflushed<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.submit(work, |_| (), Durability::Committed).await
    }

    /// Like [`Writer::write`], and calls `tell` right after the commit, even if the caller has dropped the future.
    pub(crate) async fn write_then<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
        tell: impl FnOnce(&T) + Send + 'static,
    ) -> Result<T, StoreError> {
        self.submit(work, tell, Durability::Flushed).await
    }

    async fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undo> + Send + 'static,
        tell: impl FnOnce(&T) + Send + 'static,
        durability: Durability,
    ) -> Result<T, StoreError> {
        let tell: Tell = Box::new(|done| {
            // Always: it is the answer of `work`.
            if let Some(done) = done.downcast_ref() {
                tell(done);
            }
        });
        self.perform(boxed(work), tell, durability).await.map(answer)
    }

    async fn perform(&self, work: Work, tell: Tell, durability: Durability) -> Result<Answer, StoreError> {
        let (caller, mut answer) = oneshot::channel();
        let turn = Turn::default();
        let asked = Asked { at: Instant::now(), waits: Arc::clone(&self.waits) };
        let recorded = Recorded { watchers: Arc::clone(&self.watchers), ..Recorded::default() };
        let (work, outcome) = (Some(work), None);
        let write = Write { work, tell, durability, turn: turn.clone(), outcome, caller, asked, recorded };
        self.queue.try_send(Message::Perform(Box::new(write))).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => unavailable("too many writes are waiting"),
            mpsc::error::TrySendError::Closed(_) => unavailable("the store is closed"),
        })?;
        let answered = match timeout(DEADLINE, &mut answer).await {
            Err(_) if turn.take() => return Err(unavailable("SQLite did not answer in time")),
            Err(_) => answer.await,
            Ok(answered) => answered,
        };
        answered.unwrap_or_else(|_| Err(unavailable("the writer has stopped")))
    }

    /// Shows the events of each write in the audit log to the watcher, once they are committed.
    pub(crate) fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        self.watchers.add(watcher);
    }

    /// The writes that wait. The thread keeps its connection.
    pub(crate) fn figures(&self) -> PoolFigures {
        let DurationCounts { counts, sum, .. } = self.waits.read();
        let waiting = self.queue.max_capacity() - self.queue.capacity();
        PoolFigures { name: "writing", used: 1, idle: 0, waiting, waits: counts, waited: sum }
    }

    /// Returns when the thread has ended, or ends after [`Writer::close`].
    pub(crate) async fn ended(&self) {
        self.queue.closed().await;
    }

    /// Finishes the writes that are queued, and closes the connection. Refuses later writes.
    pub(crate) async fn close(&self) {
        let (stopped, when_stopped) = oneshot::channel();
        if self.queue.send(Message::Stop(stopped)).await.is_ok() {
            // An error means that the thread has ended already.
            let _ = when_stopped.await;
        }
    }
}

#[cfg(test)]
mod tests;
