//! The one thread that writes, and commits in groups. See decision 19.

use std::sync::Arc;

use diesel::SqliteConnection;
use diesel::connection::SimpleConnection;
use domain::ports::BoxError;
use tokio::sync::{mpsc, oneshot};

use super::write::{Durability, Write};
use crate::connection::DatabaseFile;
use crate::file_lock::FileLock;

/// The most writes in one transaction: enough to make the flush cheap for each, and few enough that the first does not
/// wait long for the last.
const BATCH_LENGTH_MAX: usize = 256;

pub(super) enum Message {
    Perform(Box<Write>),
    Stop(oneshot::Sender<()>),
}

/// The state of the writer thread.
pub(super) struct Worker {
    pub(super) file: DatabaseFile,
    /// `None` after a failure, because the connection may still be inside a transaction.
    pub(super) connection: Option<SqliteConnection>,
    /// The durability that the connection has now.
    pub(super) durability: Durability,
    pub(super) lock: Arc<FileLock>,
}

impl Worker {
    pub(super) fn run(mut self, mut inbox: mpsc::Receiver<Message>) {
        let mut stopped = Vec::new();
        while let Some(first) = inbox.blocking_recv() {
            let mut writes = Vec::new();
            let mut next = Some(first);
            while let Some(message) = next {
                match message {
                    Message::Perform(write) => writes.push(*write),
                    Message::Stop(caller) => {
                        inbox.close();
                        stopped.push(caller);
                    }
                }
                next = if writes.len() < BATCH_LENGTH_MAX { inbox.try_recv().ok() } else { None };
            }
            self.commit(writes);
        }
        drop(self.connection);
        drop(self.lock);
        for caller in stopped {
            let _ = caller.send(());
        }
    }

    /// Performs all writes in one transaction, and answers them after the commit.
    fn commit(&mut self, mut writes: Vec<Write>) {
        let committed = self.perform(&mut writes);
        if let Err(error) = &committed {
            tracing::warn!(
                error = &**error as &dyn std::error::Error,
                writes = writes.len(),
                "a write transaction failed"
            );
            self.connection = None;
        }
        for write in writes {
            write.answer(committed.is_ok());
        }
    }

    fn perform(&mut self, writes: &mut [Write]) -> Result<(), BoxError> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                self.durability = Durability::Flushed;
                none.insert(self.file.connect()?)
            }
        };
        let unflushed = writes.iter().all(|write| write.durability == Durability::Committed);
        let wanted = if unflushed { Durability::Committed } else { Durability::Flushed };
        if self.durability != wanted {
            connection.batch_execute(wanted.pragma())?;
            self.durability = wanted;
        }
        // IMMEDIATE: a transaction that starts to write later does not wait for other writers, but fails at once.
        connection
            .immediate_transaction(|connection| writes.iter_mut().try_for_each(|write| write.perform(connection)))?;
        Ok(())
    }
}
