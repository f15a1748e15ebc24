use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use domain::{ApiKey, KeyId, Label, Scopes, Timestamp, UserId};
use governor::state::InMemoryState;

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
    /// The first instant at which the key is no longer good; `None` if the key does not expire.
    pub expires_at: Option<Timestamp>,
    pub(crate) last_use: LastUse,
    /// The age of the process, in seconds, when the last read of the store that found the key good began.
    confirmed_at: AtomicU32,
    /// How much of the rate limit the bearer has spent.
    pub(crate) spent: InMemoryState,
}

impl VerifiedKey {
    /// Makes an entry from a key that is good now. `age` is the age of the process when the read of the key began.
    pub(crate) fn new(key: ApiKey, age: Duration) -> Self {
        Self {
            confirmed_at: AtomicU32::new(seconds(age)),
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

    /// Records that the store still has the key as good, in a read that began at this age of the process.
    pub(crate) fn confirm(&self, age: Duration) {
        self.confirmed_at.fetch_max(seconds(age), Ordering::Relaxed);
    }

    /// Whether the store has confirmed the key within `max` before this age of the process, to the second.
    pub(crate) fn is_fresh(&self, age: Duration, max: Duration) -> bool {
        u64::from(seconds(age).saturating_sub(self.confirmed_at.load(Ordering::Relaxed))) < max.as_secs()
    }

    /// Whether the key is good at `at`, unless it has been revoked: [`ApiKey::is_good`] on the fields kept here.
    pub(crate) fn is_good(&self, at: Timestamp) -> bool {
        self.expires_at.is_none_or(|expires_at| expires_at > at)
    }

    /// Whether `key` is this key with the same expiry, so that answers about both are the same.
    pub(crate) fn says_the_same_as(&self, key: &ApiKey) -> bool {
        (self.id, self.expires_at) == (key.id, key.expires_at)
    }
}

/// Saturates after 136 years of running.
fn seconds(age: Duration) -> u32 {
    u32::try_from(age.as_secs()).unwrap_or(u32::MAX)
}

impl Used for VerifiedKey {
    fn id(&self) -> KeyId {
        self.id
    }

    fn last_use(&self) -> &LastUse {
        &self.last_use
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
