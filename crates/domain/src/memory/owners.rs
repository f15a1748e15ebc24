use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use super::lock;
use crate::ports::LookedUp;
use crate::{CredentialDigest, OwnerId, OwnerLimits, OwnerRecord, Timestamp};

/// The records of the stores in memory. All clones are the same records, which several stores obey. Where a store locks its
/// own tables too, it locks them first.
#[derive(Clone, Debug, Default)]
pub struct MemoryOwners(Arc<Mutex<HashMap<OwnerId, OwnerRecord>>>);

impl MemoryOwners {
    /// The limits of the owner. Stores call this while they hold the lock on what they count.
    pub(super) fn limits(&self, owner: &OwnerId) -> OwnerLimits {
        self.lock().get(owner).map(|record| record.limits).unwrap_or_default()
    }

    /// Whether the owner is suspended. Stores call this while they hold the lock on what they look up or claim.
    pub(super) fn is_suspended(&self, owner: &OwnerId) -> bool {
        self.lock().get(owner).is_some_and(|record| record.suspension.is_some())
    }

    /// A record of the owner that was looked up. Stores call this while they hold the lock on what they look up.
    pub(super) fn looked_up<Stored>(
        &self,
        owner: &OwnerId,
        digest: CredentialDigest,
        stored: Stored,
    ) -> LookedUp<Stored> {
        let records = self.lock();
        let record = records.get(owner);
        let is_suspended = record.is_some_and(|record| record.suspension.is_some());
        LookedUp { digest, stored, is_suspended, rates: record.map(|record| record.rates).unwrap_or_default() }
    }

    /// When the last suspension of the owner ended.
    pub(super) fn rested_until(&self, owner: &OwnerId) -> Option<Timestamp> {
        self.lock().get(owner)?.rested_until
    }

    /// Locks all records. Only their store changes them.
    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<OwnerId, OwnerRecord>> {
        lock(&self.0)
    }
}
