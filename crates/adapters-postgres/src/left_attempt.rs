//! The end of an attempt without a caller. The web server drops the call of a client that hangs up.

use std::ops::Deref;

use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use crate::attempt::DEADLINE;
use crate::audit::{Written, take_noted};
use crate::pool::Lease;

/// The connection of an attempt.
///
/// If the attempt is dropped, a task rolls back uncommitted work, and shows the events of committed work. Until then
/// the connection keeps its place in the pool, and it is used again: clients that hang up cannot make the pool
/// reconnect, nor have more attempts than the pool has connections.
pub(crate) struct Attempted {
    lease: Option<Lease>,
    runtime: Handle,
    until: Instant,
}

impl Attempted {
    /// An attempt that begins now.
    pub(crate) fn on(lease: Lease, runtime: Handle) -> Self {
        Self { lease: Some(lease), runtime, until: Instant::now() + DEADLINE }
    }

    /// Takes the connection of an attempt that has ended.
    pub(crate) fn ended(mut self) -> Lease {
        self.lease.take().expect("an attempt has its connection until it ends")
    }
}

impl Deref for Attempted {
    type Target = Lease;

    fn deref(&self) -> &Lease {
        self.lease.as_ref().expect("an attempt has its connection until it ends")
    }
}

impl Drop for Attempted {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            // A connection without an answer in time is closed.
            self.runtime.spawn(timeout_at(self.until, settle(lease, take_noted())));
        }
    }
}

/// Ends the work of the attempt. The server answers in order: after the rollback, earlier statements have been
/// committed or never will be.
async fn settle(lease: Lease, written: Option<Written>) {
    if lease.roll_back().await.is_err() {
        return;
    }
    if let Some(written) = written
        && written.show_stored(&lease).await.is_err()
    {
        return;
    }
    lease.give_back();
}
