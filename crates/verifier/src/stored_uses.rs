use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{CredentialUse, Timestamp};
use tokio::time::Instant;

use crate::STORED_USES_SHOWN;

/// Uses that were stored recently. A list of keys may have read the store before the uses were written and not be
/// answered yet. Without these uses, the list would show a key as unused that was used before the request.
pub(crate) struct StoredUses<Id>(Mutex<VecDeque<Batch<Id>>>);

/// The uses of one write.
struct Batch<Id> {
    stored_at: Instant,
    uses: Vec<CredentialUse<Id>>,
}

impl<Id: Copy + Ord + Hash> StoredUses<Id> {
    pub(crate) fn new() -> Self {
        Self(Mutex::default())
    }

    /// Keeps uses that were just stored, and drops uses older than [`STORED_USES_SHOWN`]: every list still in progress
    /// has read them from the store.
    pub(crate) fn keep(&self, uses: Vec<CredentialUse<Id>>) {
        let now = Instant::now();
        let mut batches = self.lock();
        while batches.front().is_some_and(|batch| now - batch.stored_at >= STORED_USES_SHOWN) {
            batches.pop_front();
        }
        batches.push_back(Batch { stored_at: now, uses });
    }

    /// Adds the uses of these keys to `newest`, which keeps the later time of each key.
    pub(crate) fn add_to(&self, newest: &mut HashMap<Id, Timestamp>, ids: &[Id]) {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        let batches = self.lock();
        for used in batches.iter().flat_map(|batch| &batch.uses).filter(|used| ids.binary_search(&used.id).is_ok()) {
            let at = newest.entry(used.id).or_insert(used.at);
            *at = used.at.max(*at);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Batch<Id>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
