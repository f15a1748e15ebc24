use std::sync::Arc;

use crate::ports::{Clock, Entropy, KeyStore, RecentUses};
use crate::{ApiKey, KeyId, KeyPolicy};

/// The use cases of the key lifecycle, one file each: `create_key`, `list_keys`, `revoke_key`, `rotate_key`,
/// `report_leaks`, `purge_keys`.
///
/// Who calls is not asked here: `owner` is the user whose keys it is about, named by an ID token or, in support work,
/// by the operator.
#[derive(Clone)]
pub struct Keys {
    pub(crate) store: Arc<dyn KeyStore>,
    pub(crate) recent_uses: Arc<dyn RecentUses>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) policy: KeyPolicy,
}

impl Keys {
    /// The use cases over these ports.
    pub fn new(
        store: Arc<dyn KeyStore>,
        recent_uses: Arc<dyn RecentUses>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        policy: KeyPolicy,
    ) -> Self {
        Self { store, recent_uses, clock, entropy, policy }
    }

    /// Shows uses that are noted but not stored yet, so that an owner sees a use at once.
    pub(crate) fn with_recent_uses(&self, mut keys: Vec<ApiKey>) -> Vec<ApiKey> {
        let ids: Vec<KeyId> = keys.iter().map(|key| key.id).collect();
        let uses = self.recent_uses.last_uses(&ids);
        for key in &mut keys {
            key.last_used_at = key.last_used_at.max(uses.get(&key.id).copied());
        }
        keys
    }
}
