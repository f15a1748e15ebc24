use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, Shared};

use super::Verdict;
use super::digest::CredentialDigest;

/// A running call to Gatepost, which all requests with the same key share. Its output is `None` if the call failed.
pub(super) type Flight = Shared<BoxFuture<'static, Option<Verdict>>>;

/// The running calls: at most one for each digest.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<CredentialDigest, Flight>>);

impl Flights {
    /// Joins the flight of this digest, or starts one with `begin`. It calls `recall` first, so that a request that
    /// comes just after a flight has landed finds its result. Both closures run under the lock and must not poll.
    pub(super) fn join<Known>(
        self: &Arc<Self>,
        digest: CredentialDigest,
        recall: impl FnOnce() -> Option<Known>,
        begin: impl FnOnce(Landing) -> Flight,
    ) -> Result<Known, Flight> {
        let mut flights = self.lock();
        if let Some(known) = recall() {
            return Ok(known);
        }
        let begin = || begin(Landing { flights: Arc::clone(self), digest });
        Err(flights.entry(digest).or_insert_with(begin).clone())
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CredentialDigest, Flight>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes its flight from the table on drop, whether the call succeeded, failed or was aborted.
pub(super) struct Landing {
    flights: Arc<Flights>,
    digest: CredentialDigest,
}

impl Landing {
    /// The digest of the flight.
    pub(super) fn digest(&self) -> &CredentialDigest {
        &self.digest
    }
}

impl Drop for Landing {
    fn drop(&mut self) {
        self.flights.lock().remove(&self.digest);
    }
}
