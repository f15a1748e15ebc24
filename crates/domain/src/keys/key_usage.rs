use std::ops::AddAssign;

use crate::{InHour, KeyId};

/// How many verifications of a key had each result. See decision 76.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageCounts {
    /// Verifications that found the key good, whether it was within its rate limit or not.
    pub good: u64,
    /// The part of `good` that was beyond the rate limit.
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
