use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::by_hour::PURGED_COUNTS_MAX;
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{COUNTS_KEPT, Hour, HourRange, InHour, SubscriptionId, UserId};

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

impl Webhooks {
    /// The outcomes in each of these hours: of one of the owner's subscriptions, or of all. Hours without one are absent.
    /// `None` if there is no such subscription. The counts of the last seconds may be missing.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn outcomes(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        hours: HourRange,
    ) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        self.stores.log.outcomes(owner, subscription, hours).await
    }

    /// Deletes one batch of the counts that are older than [`COUNTS_KEPT`], and returns how many. After 0, nothing is
    /// left to delete.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn purge_outcomes(&self) -> Result<u32, StoreError> {
        let before = Hour::of(self.clock.now().minus(COUNTS_KEPT));
        self.stores.commands.purge_outcomes(before, PURGED_COUNTS_MAX).await
    }
}
