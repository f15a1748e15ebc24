//! One write, from the call to its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use counters::Histogram;
use diesel::{QueryResult, RunQueryDsl, SqliteConnection};
use domain::audit::AuditEvent;
use domain::ports::{AuditWatchers, StoreError};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::audit::take_stored;
use crate::connection::unavailable;
use crate::undo::{Savepoint, Undo};
use crate::work::{Answer, Work};

/// When a write is answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// When the write is on disk.
    Flushed,
    /// When the write is committed. A power failure may undo the write until a later write is flushed.
    Committed,
}

impl Durability {
    /// With NORMAL, a write-ahead log is flushed by the next commit that has FULL.
    pub(super) fn pragma(self) -> &'static str {
        match self {
            Self::Flushed => "PRAGMA synchronous = FULL",
            Self::Committed => "PRAGMA synchronous = NORMAL",
        }
    }
}

/// The right to decide about a write. Either the writer takes it and performs the write, or the caller takes it and
/// gives up.
#[derive(Clone, Default)]
pub(super) struct Turn(Arc<AtomicBool>);

impl Turn {
    /// Takes the turn; `false` if the other side has it.
    pub(super) fn take(&self) -> bool {
        !self.0.swap(true, Ordering::SeqCst)
    }
}

/// Is called with the answer of a write that is committed.
pub(super) type Tell = Box<dyn FnOnce(&Answer) + Send>;

/// A write that waits for the writer.
pub(super) struct Write {
    pub(super) work: Option<Work>,
    pub(super) tell: Tell,
    pub(super) durability: Durability,
    pub(super) turn: Turn,
    pub(super) outcome: Option<Result<Answer, StoreError>>,
    pub(super) caller: oneshot::Sender<Result<Answer, StoreError>>,
    pub(super) asked: Asked,
    pub(super) recorded: Recorded,
}

/// The events of the audit log that a write has stored, and the watchers that see them.
#[derive(Default)]
pub(super) struct Recorded {
    pub(super) events: Vec<AuditEvent>,
    pub(super) watchers: Arc<AuditWatchers>,
}

/// When a caller asked, and the count of its wait for the writer.
pub(super) struct Asked {
    pub(super) at: Instant,
    pub(super) waits: Arc<Histogram>,
}

impl Write {
    /// Does the work on its own savepoint and keeps the outcome. An error means that the database failed: the whole
    /// transaction fails with it. A refusal is an outcome, not an error.
    pub(super) fn perform(&mut self, connection: &mut SqliteConnection) -> QueryResult<()> {
        let Some(work) = self.work.take_if(|_| !self.caller.is_closed() && self.turn.take()) else {
            return Ok(());
        };
        self.asked.waits.observe(self.asked.at.elapsed());
        // Not `connection.transaction`: it does not distinguish a failure of the work from a failure of its savepoint.
        // After a failed savepoint no other write may be committed: SQLite has rolled everything back, for example
        // because the disk is full.
        Savepoint::Set.execute(connection)?;
        take_stored();
        let outcome = work(connection).map_err(|Undo(error)| error);
        self.recorded.events = take_stored();
        if outcome.is_err() {
            Savepoint::RollBack.execute(connection)?;
        }
        Savepoint::Release.execute(connection)?;
        self.outcome = Some(outcome);
        Ok(())
    }

    /// Sends the outcome to the caller.
    pub(super) fn answer(self, committed: bool) {
        let answer = match self.outcome {
            Some(outcome) if committed || outcome.is_err() => outcome,
            _ => Err(unavailable("the transaction was not committed")),
        };
        if let Ok(done) = &answer {
            self.recorded.watchers.show(&self.recorded.events);
            (self.tell)(done);
        }
        // An error means that the caller has dropped the future.
        let _ = self.caller.send(answer);
    }
}
