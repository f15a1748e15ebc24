use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::by_hour::PURGED_COUNTS_MAX;
use crate::ports::StoreError;
use crate::{COUNTS_KEPT, Hour, HourRange, InHour, KeyId, Keys, UserId};

/// How many verifications of a key had each result. See decision 76.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageCounts {
    /// Verifications that found the key good, whether it was within its rate limit or not.
    pub good: u64,
    /// Those of `good` that were beyond the rate limit.
    pub limited: u64,
    /// Verifications that found the key revoked or expired.
    pub refused: u64,
}

impl UsageCounts {
    /// Verifications that found the key good and within its rate limit.
    pub fn accepted(self) -> u64 {
        self.good.saturating_sub(self.limited)
    }
}

impl AddAssign for UsageCounts {
    fn add_assign(&mut self, other: Self) {
        self.good = self.good.saturating_add(other.good);
        self.limited = self.limited.saturating_add(other.limited);
        self.refused = self.refused.saturating_add(other.refused);
    }
}

impl From<[u64; 3]> for UsageCounts {
    fn from([good, limited, refused]: [u64; 3]) -> Self {
        Self { good, limited, refused }
    }
}

impl From<UsageCounts> for [u64; 3] {
    fn from(UsageCounts { good, limited, refused }: UsageCounts) -> Self {
        [good, limited, refused]
    }
}

/// The verifications of one key in one hour.
pub type KeyUsage = InHour<KeyId, UsageCounts>;

impl Keys {
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
        self.store.usage(owner, id, hours).await
    }

    /// Deletes one batch of the counts that are older than [`COUNTS_KEPT`], and returns how many. After 0, nothing is
    /// left to delete.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn purge_usage(&self) -> Result<u32, StoreError> {
        let before = Hour::of(self.clock.now().minus(COUNTS_KEPT));
        self.store.purge_usage(before, PURGED_COUNTS_MAX).await
    }
}
