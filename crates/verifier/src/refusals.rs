use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::FLUSH_BATCH_MAX;

/// How often credentials that are stored and not good were presented since the last flush. Refusals of further
/// credentials are not counted when [`FLUSH_BATCH_MAX`] of them wait.
pub(crate) struct Refusals<Id>(Mutex<HashMap<Id, u64>>);

impl<Id: Copy + Eq + Hash> Refusals<Id> {
    pub(crate) fn new() -> Self {
        Self(Mutex::default())
    }

    pub(crate) fn count(&self, id: Id) {
        self.add(id, 1);
    }

    /// Takes all counts for a flush.
    pub(crate) fn take(&self) -> Vec<(Id, u64)> {
        std::mem::take(&mut *self.lock()).into_iter().collect()
    }

    /// Puts back the counts of a flush that was not stored.
    pub(crate) fn put_back(&self, taken: &[(Id, u64)]) {
        for (id, times) in taken {
            self.add(*id, *times);
        }
    }

    /// Whether no refusal waits for a flush.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn add(&self, id: Id, times: u64) {
        let mut counts = self.lock();
        if counts.len() < FLUSH_BATCH_MAX || counts.contains_key(&id) {
            *counts.entry(id).or_default() += times;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
