use super::health_state::{HealthState, SubscriptionHealth};
use crate::ports::{FailingPlace, FailingSubscription, StoreError};
use crate::webhooks::Webhooks;

/// A failing subscription, and its health in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFailing {
    /// The subscription, its breaker and its last attempt.
    pub failing: FailingSubscription,
    /// The health in one word.
    pub state: HealthState,
}

/// One page of the list of failing subscriptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingPage {
    /// The subscriptions, the longest failing ones first.
    pub subscriptions: Vec<FoundFailing>,
    /// Where the next page begins; `None` if this is the last page.
    pub next: Option<FailingPlace>,
}

impl Webhooks {
    /// At most `max` failing subscriptions of any owners behind `after`, the longest failing ones first.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list_failing(&self, after: Option<FailingPlace>, max: u32) -> Result<FailingPage, StoreError> {
        let mut found = self.stores.operator_log.failing(after, max.saturating_add(1)).await?;
        let has_more = found.len() > max as usize;
        found.truncate(max as usize);
        let next = found.last().and_then(FailingSubscription::place).filter(|_| has_more);
        let now = self.clock.now();
        let with_state = |failing: FailingSubscription| {
            let last_attempt = failing.last_attempt.clone();
            let health = SubscriptionHealth { breaker: failing.breaker, waiting: 0, last_attempt };
            let state = HealthState::of(failing.subscription.status, &health, now);
            FoundFailing { failing, state }
        };
        Ok(FailingPage { subscriptions: found.into_iter().map(with_state).collect(), next })
    }
}
