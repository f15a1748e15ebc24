use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use domain::{ApiKey, KeyId, Label, Scopes, Timestamp, UserId};
use governor::state::InMemoryState;

use crate::last_use::{LastUse, Used};

/// The part of a good key that answers need. Shared, so that an answer copies nothing.
#[derive(Debug)]
pub struct VerifiedKey {
    /// Identifies the key.
    pub id: KeyId,
    /// The owner.
    pub owner: UserId,
    /// The label that the owner chose.
    pub label: Label,
    /// The scopes of the key.
    pub scopes: Scopes,
    /// When it was created.
    pub created_at: Timestamp,
    /// The first instant at which it is no longer good; `None` when it does not expire.
    pub expires_at: Option<Timestamp>,
    pub(crate) last_use: LastUse,
    /// The age of the process, in seconds, at the start of the last read that found the key good.
    confirmed_at: AtomicU32,
    /// The state of the rate limit.
    pub(crate) spent: InMemoryState,
}

impl VerifiedKey {
    /// A copy of a key that is good now. `age` is the age of the process at the start of the read.
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

    /// Records that the store confirmed the key in a read that began at this age of the process.
    pub(crate) fn confirm(&self, age: Duration) {
        self.confirmed_at.fetch_max(seconds(age), Ordering::Relaxed);
    }

    /// Whether the store has confirmed the key within `max` before this age of the process, to the second.
    pub(crate) fn is_fresh(&self, age: Duration, max: Duration) -> bool {
        u64::from(seconds(age).saturating_sub(self.confirmed_at.load(Ordering::Relaxed))) < max.as_secs()
    }

    /// Whether the key is good at `at`, unless it has been revoked: [`ApiKey::is_good`] of this copy.
    pub(crate) fn is_good(&self, at: Timestamp) -> bool {
        self.expires_at.is_none_or(|expires_at| expires_at > at)
    }

    /// Whether an answer about `key` would be the same.
    pub(crate) fn says_the_same_as(&self, key: &ApiKey) -> bool {
        (self.id, self.expires_at) == (key.id, key.expires_at)
    }
}

/// Enough for 136 years.
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

/// Two copies are equal if they are the same allocation.
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
