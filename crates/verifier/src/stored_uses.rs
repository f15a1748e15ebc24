use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{KeyId, KeyUse, Timestamp};
use tokio::time::Instant;

use crate::STORED_USES_SHOWN;

/// Uses that were just stored. A list of keys may have been read before and not be answered yet: without these uses it
/// would show a key as unused that was used before the list was requested.
#[derive(Default)]
pub(crate) struct StoredUses(Mutex<VecDeque<Batch>>);

struct Batch {
    stored_at: Instant,
    uses: Vec<KeyUse>,
}

impl StoredUses {
    /// Keeps stored uses, and drops uses that every list has by now.
    pub(crate) fn keep(&self, uses: Vec<KeyUse>) {
        let now = Instant::now();
        let mut batches = self.lock();
        while batches.front().is_some_and(|batch| now - batch.stored_at >= STORED_USES_SHOWN) {
            batches.pop_front();
        }
        batches.push_back(Batch { stored_at: now, uses });
    }

    /// Adds the uses of these keys to `newest`.
    pub(crate) fn add_to(&self, newest: &mut HashMap<KeyId, Timestamp>, ids: &[KeyId]) {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        let batches = self.lock();
        for used in batches.iter().flat_map(|batch| &batch.uses).filter(|used| ids.binary_search(&used.id).is_ok()) {
            let at = newest.entry(used.id).or_insert(used.at);
            *at = used.at.max(*at);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Batch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
