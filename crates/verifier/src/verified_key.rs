use std::hash::{Hash, Hasher};
use std::time::Duration;

use domain::ports::{KeyUsageStore, StoreError};
use domain::{ApiKey, KeyId, KeyUsage, Label, Scopes, Timestamp, UserId};
use governor::state::InMemoryState;

use crate::credential::{Confirmation, Credential};
use crate::last_use::{LastUse, Used};

/// A good key, with everything that an answer about the key needs. Shared, so that an answer copies nothing.
#[derive(Debug)]
pub struct VerifiedKey {
    /// Identifies the key.
    pub id: KeyId,
    /// The user who owns the key.
    pub owner: UserId,
    /// The name that the owner gave the key.
    pub label: Label,
    /// What the key may be used for.
    pub scopes: Scopes,
    /// When the key was created.
    pub created_at: Timestamp,
    /// The expiry time: from then on the key is not good. `None` if it does not expire.
    pub expires_at: Option<Timestamp>,
    last_use: LastUse,
    confirmation: Confirmation,
    /// How much of the rate limit the bearer has spent.
    pub(crate) spent: InMemoryState,
}

impl Used for VerifiedKey {
    type Id = KeyId;

    fn id(&self) -> KeyId {
        self.id
    }

    fn last_use(&self) -> &LastUse {
        &self.last_use
    }
}

impl Credential for VerifiedKey {
    type Stored = ApiKey;
    type Counts = dyn KeyUsageStore;
    const NAME: &'static str = "keys";
    const IS_COUNTED: bool = true;

    fn owner(&self) -> &UserId {
        &self.owner
    }

    fn stored_id(key: &ApiKey) -> KeyId {
        key.id
    }

    fn new(key: ApiKey, age: Duration) -> Self {
        Self {
            confirmation: Confirmation::at(age),
            last_use: LastUse::new(key.last_used_at),
            spent: InMemoryState::default(),
            id: key.id,
            owner: key.owner,
            label: key.label,
            scopes: key.scopes,
            created_at: key.created_at,
            expires_at: key.expires_at,
        }
    }

    fn is_good(key: &ApiKey, at: Timestamp) -> bool {
        key.is_good(at)
    }

    fn stored_use(key: &ApiKey) -> Option<Timestamp> {
        key.last_used_at
    }

    /// The part of [`ApiKey::is_good`] that is about the fields kept here.
    fn has_expired(&self, at: Timestamp) -> bool {
        self.expires_at.is_some_and(|expires_at| expires_at <= at)
    }

    fn says_the_same_as(&self, key: &ApiKey) -> bool {
        (self.id, self.expires_at) == (key.id, key.expires_at)
    }

    fn confirmation(&self) -> &Confirmation {
        &self.confirmation
    }

    async fn add_usage(counts: &Self::Counts, usage: &[KeyUsage]) -> Result<(), StoreError> {
        counts.add_usage(usage).await
    }
}

/// Compares ids only: two copies of one key are equal.
impl PartialEq for VerifiedKey {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for VerifiedKey {}

impl Hash for VerifiedKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}
