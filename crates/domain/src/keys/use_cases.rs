use std::collections::BTreeMap;
use std::sync::Arc;

use crate::audit::{Cause, Origin};
use crate::by_hour::PURGED_COUNTS_MAX;
use crate::ports::{Clock, Entropy, KeyStores, RecentUses, StoreError};
use crate::{
    ApiKey, COUNTS_KEPT, CredentialDigest, Hour, HourRange, KeyId, KeyPolicy, ListView, Placement, Timestamp,
    UsageCounts, UserId,
};

/// The most keys that one transaction deletes, so that a purge does not block other writers for long.
pub const PURGE_BATCH_MAX: u32 = 1_000;

/// The use cases of API keys. `create_key`, `revoke_key`, `rotate_key` and `report_leaks` have a file each. Listing and
/// purging, which are one call of the store, are below.
///
/// `owner` is the user who owns the keys. The caller has authenticated that user by an ID token, or is the operator in
/// support of that user. `origin` says which of them it is, for the audit log.
#[derive(Clone)]
pub struct Keys {
    pub(crate) stores: KeyStores,
    pub(crate) recent_uses: Arc<dyn RecentUses<KeyId>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) policy: KeyPolicy,
    pub(crate) placement: Placement,
}

impl Keys {
    /// The use cases on these ports.
    pub fn new(
        stores: KeyStores,
        recent_uses: Arc<dyn RecentUses<KeyId>>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        policy: KeyPolicy,
    ) -> Self {
        Self { stores, recent_uses, clock, entropy, policy, placement: Placement::OneStore }
    }

    /// The same, with what is new placed so.
    #[must_use]
    pub fn with_placement(self, placement: Placement) -> Self {
        Self { placement, ..self }
    }

    /// The owner's keys, newest first: every good one, and the [`LISTED_ENDED_KEYS_MAX`](crate::LISTED_ENDED_KEYS_MAX)
    /// that ended last.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list(&self, owner: &UserId) -> Result<Vec<ApiKey>, StoreError> {
        let keys = self.stores.store.list(owner, ListView::at(self.clock.now())).await?;
        Ok(self.with_recent_uses(keys))
    }

    /// Whether the key with this digest is good now, as the store knows it: not from memory.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn is_good(&self, digest: &CredentialDigest) -> Result<bool, StoreError> {
        let found = self.stores.credentials.find_by_digest(digest).await?;
        Ok(found.is_some_and(|key| key.is_good(self.clock.now())))
    }

    /// Deletes one batch of the keys that ended before the retention, and returns how many. After fewer than
    /// [`PURGE_BATCH_MAX`], nothing is left to delete.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn purge(&self) -> Result<u32, StoreError> {
        let before = self.clock.now().minus(self.policy.retention());
        self.stores.upkeep.purge_ended(before, PURGE_BATCH_MAX).await
    }

    /// The verifications of the owner's key in each of these hours; hours without one are absent. `None` if there is no
    /// such key, or it belongs to another user. The counts of the last seconds may be missing.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn usage(
        &self,
        owner: &UserId,
        id: KeyId,
        hours: HourRange,
    ) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        self.stores.usage.usage(owner, id, hours).await
    }

    /// Deletes one batch of the counts that are older than [`COUNTS_KEPT`], and returns how many. After 0, nothing is
    /// left to delete.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn purge_usage(&self) -> Result<u32, StoreError> {
        let before = Hour::of(self.clock.now().minus(COUNTS_KEPT));
        self.stores.usage.purge_usage(before, PURGED_COUNTS_MAX).await
    }

    /// The cause of a change at `at`.
    pub(crate) fn cause(&self, origin: &Origin, at: Timestamp) -> Cause {
        Cause::new(origin, at, &*self.entropy)
    }

    /// Adds uses that are noted but not stored yet, so that an owner sees a use at once.
    pub(crate) fn with_recent_uses(&self, mut keys: Vec<ApiKey>) -> Vec<ApiKey> {
        let ids: Vec<KeyId> = keys.iter().map(|key| key.id).collect();
        let uses = self.recent_uses.last_uses(&ids);
        for key in &mut keys {
            key.last_used_at = key.last_used_at.max(uses.get(&key.id).copied());
        }
        keys
    }
}
