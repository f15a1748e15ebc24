use std::collections::BTreeMap;
use std::sync::Arc;

use crate::audit::{Cause, Origin};
use crate::ports::{Clock, Entropy, KeyStores, OwnerStore, RecentUses, StoreError, UsageRequest};
use crate::{
    ApiKey, CredentialDigest, Hour, KeyId, KeyPolicy, ListView, OwnerId, Placement, RateLimit, Timestamp, UsageCounts,
};

/// The use cases of API keys. `create_key`, `revoke_key`, `rotate_key` and `report_leaks` have a file each. Calls of
/// the store alone are below.
///
/// `owner` is the user who owns the keys. The caller has authenticated that user by an ID token, or is the operator in
/// support of that user. `origin` is the source of the call, for the audit log.
#[derive(Clone)]
pub struct Keys {
    pub(crate) stores: KeyStores,
    owners: Arc<dyn OwnerStore>,
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
        owners: Arc<dyn OwnerStore>,
        recent_uses: Arc<dyn RecentUses<KeyId>>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        policy: KeyPolicy,
    ) -> Self {
        Self { stores, owners, recent_uses, clock, entropy, policy, placement: Placement::OneStore }
    }

    /// The same, with this placement of new items.
    #[must_use]
    pub fn with_placement(self, placement: Placement) -> Self {
        Self { placement, ..self }
    }

    /// The policy of new keys.
    pub fn policy(&self) -> &KeyPolicy {
        &self.policy
    }

    /// The owner's keys, newest first: every good one, and the [`LISTED_ENDED_KEYS_MAX`](crate::LISTED_ENDED_KEYS_MAX)
    /// that ended last.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list(&self, owner: &OwnerId) -> Result<Vec<ApiKey>, StoreError> {
        let keys = self.stores.store.list(owner, ListView::at(self.clock.now())).await?;
        Ok(self.with_recent_uses(keys))
    }

    /// Whether the key with this digest is good now, and its owner active, as the store has it: not from memory.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn is_good(&self, digest: &CredentialDigest) -> Result<bool, StoreError> {
        let found = self.stores.credentials.find_by_digests(&[*digest]).await.of_active_owners().complete()?;
        Ok(found.iter().any(|(_, key)| key.is_good(self.clock.now())))
    }

    /// The verifications of the owner's key in each of these hours; hours without one are absent. `None` if there is no
    /// such key, or it belongs to another user. The counts of the last seconds may be missing.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        self.stores.usage.usage(request).await
    }

    /// The highest rate limit that this author may set for a key of the owner; `None` for any. What the host sets has no
    /// bound. A lower limit in the meantime holds all the same: see [`KeySettings::rate_limit_for`](crate::KeySettings::rate_limit_for).
    pub(crate) async fn highest_rate_limit(
        &self,
        owner: &OwnerId,
        origin: &Origin,
    ) -> Result<Option<RateLimit>, StoreError> {
        if origin.is_by_host() {
            return Ok(None);
        }
        let rates = self.owners.find(owner).await?.rates;
        Ok(rates.key_rate_limit.or(self.policy.rate_limit()))
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
