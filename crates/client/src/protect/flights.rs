use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, Shared};

use super::Verdict;
use super::digest::KeyDigest;

/// A question to Gatepost under way, which all who ask for one key share. `None`: there was no answer.
pub(super) type Flight = Shared<BoxFuture<'static, Option<Verdict>>>;

/// The questions under way: at most one for each digest.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<KeyDigest, Flight>>);

impl Flights {
    /// Joins the flight of this digest, or the one that `begin` makes. First asks `recall`, so that who comes just after
    /// a flight has landed finds what it remembered. Both are called under the lock: nothing may be polled there.
    pub(super) fn join<Known>(
        self: &Arc<Self>,
        digest: KeyDigest,
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

    fn lock(&self) -> MutexGuard<'_, HashMap<KeyDigest, Flight>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes its flight out of the table when it ends, however that is.
pub(super) struct Landing {
    flights: Arc<Flights>,
    digest: KeyDigest,
}

impl Landing {
    /// Whose flight it is.
    pub(super) fn digest(&self) -> &KeyDigest {
        &self.digest
    }
}

impl Drop for Landing {
    fn drop(&mut self) {
        self.flights.lock().remove(&self.digest);
    }
}
