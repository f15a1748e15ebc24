use std::sync::Arc;

use crate::ports::{Clock, Entropy, KeyStore, RecentUses};
use crate::{ApiKey, KeyId, KeyPolicy};

/// The use cases of API keys, one file each: `create_key`, `list_keys`, `revoke_key`, `rotate_key`, `report_leaks`,
/// `purge_keys`.
///
/// `owner` is the user who owns the keys. The caller has authenticated that user by an ID token, or is the operator in
/// support of that user.
#[derive(Clone)]
pub struct Keys {
    pub(crate) store: Arc<dyn KeyStore>,
    pub(crate) recent_uses: Arc<dyn RecentUses>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) policy: KeyPolicy,
}

impl Keys {
    /// The use cases on these ports.
    pub fn new(
        store: Arc<dyn KeyStore>,
        recent_uses: Arc<dyn RecentUses>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        policy: KeyPolicy,
    ) -> Self {
        Self { store, recent_uses, clock, entropy, policy }
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
