use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use domain::ports::{StoreError, StoredCredential};
use domain::{InHour, OwnerId, OwnerRates, Timestamp, UsageCounts};

use crate::last_use::Used;

/// A kind of credential that this engine verifies from memory: API keys and sessions. A value is a good credential,
/// with everything that an answer about it needs.
///
/// The rules of the cache, of the feed and of noted uses are written once for all kinds. The differences are here.
pub(crate) trait Credential: Used + Send + Sync + Sized + 'static {
    /// The credential as it is stored.
    type Stored: StoredCredential<Id = Self::Id> + Clone;
    /// The port that counts its verifications by the hour; `()` if they are not counted.
    type Counts: ?Sized + Send + Sync + 'static;
    /// Its plural name in logs.
    const NAME: &'static str;
    /// Whether the store counts its verifications by the hour.
    const IS_COUNTED: bool;

    /// The id of a stored credential.
    fn stored_id(stored: &Self::Stored) -> Self::Id;

    /// Makes an entry of the cache, for an owner with these rate limits. `age` is the age of the process when the read began.
    fn new(stored: Self::Stored, rates: OwnerRates, age: Duration) -> Self;

    /// The owner.
    fn owner(&self) -> &OwnerId;

    /// The member who made it, if an organization is the owner.
    fn member(&self) -> Option<OwnerId> {
        None
    }

    /// Whether the credential is good at `at`, as it is stored.
    fn is_good(stored: &Self::Stored, at: Timestamp) -> bool;

    /// Its last use, as it is stored.
    fn stored_use(stored: &Self::Stored) -> Option<Timestamp>;

    /// Whether it has ended through time at `at`, so that no use can undo that.
    fn has_expired(&self, at: Timestamp) -> bool;

    /// Whether it has ended at `at`, unless another process has seen it since. The store knows.
    fn is_idle(&self, _: Timestamp) -> bool {
        false
    }

    /// Whether `stored`, of an owner with these rate limits, is this credential with the same expiry, so that answers about
    /// both are the same.
    fn says_the_same_as(&self, stored: &Self::Stored, rates: OwnerRates) -> bool;

    /// Takes over the spent allowance of an earlier entry under the same digest.
    fn continue_from(&mut self, _: &Self) {}

    /// When the store confirmed it last.
    fn confirmation(&self) -> &Confirmation;

    /// Stores counts, if it is [counted](Self::IS_COUNTED).
    fn add_usage(
        counts: &Self::Counts,
        usage: &[InHour<Self::Id, UsageCounts>],
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// The age of the process, in seconds, when the last read of the store that found a credential good began.
#[derive(Debug)]
pub(crate) struct Confirmation(AtomicU32);

impl Confirmation {
    /// Confirmed by a read that began at this age of the process.
    pub(crate) fn at(age: Duration) -> Self {
        Self(AtomicU32::new(seconds(age)))
    }

    /// Records that the store still has the credential as good, in a read that began at this age of the process.
    pub(crate) fn renew(&self, age: Duration) {
        self.0.fetch_max(seconds(age), Ordering::Relaxed);
    }

    /// Whether the store has confirmed the credential within `max` before this age of the process, to the second.
    pub(crate) fn is_fresh(&self, age: Duration, max: Duration) -> bool {
        u64::from(seconds(age).saturating_sub(self.0.load(Ordering::Relaxed))) < max.as_secs()
    }
}

/// Saturates after 136 years of running.
fn seconds(age: Duration) -> u32 {
    u32::try_from(age.as_secs()).unwrap_or(u32::MAX)
}
