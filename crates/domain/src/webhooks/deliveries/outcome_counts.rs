use std::ops::AddAssign;

use crate::{InHour, SubscriptionId};

/// How many attempts had each outcome. See decision 76.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCounts {
    /// The receiver took the webhook.
    pub delivered: u64,
    /// The attempt failed, and another one follows.
    pub retried: u64,
    /// The attempt failed and was the last one, or the schedule did not allow another one.
    pub exhausted: u64,
}

impl AddAssign for OutcomeCounts {
    fn add_assign(&mut self, other: Self) {
        self.delivered = self.delivered.saturating_add(other.delivered);
        self.retried = self.retried.saturating_add(other.retried);
        self.exhausted = self.exhausted.saturating_add(other.exhausted);
    }
}

impl From<[u64; 3]> for OutcomeCounts {
    fn from([delivered, retried, exhausted]: [u64; 3]) -> Self {
        Self { delivered, retried, exhausted }
    }
}

impl From<OutcomeCounts> for [u64; 3] {
    fn from(OutcomeCounts { delivered, retried, exhausted }: OutcomeCounts) -> Self {
        [delivered, retried, exhausted]
    }
}

/// The outcomes of one subscription in one hour.
pub type SubscriptionOutcomes = InHour<SubscriptionId, OutcomeCounts>;
