use super::health_state::{HealthState, SubscriptionHealth};
use super::subscription::Subscription;
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{OwnerId, SubscriptionId, Timestamp};

/// A subscription and its health.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSubscription {
    /// The subscription.
    pub subscription: Subscription,
    /// The state of its lane and its last attempt.
    pub health: SubscriptionHealth,
    /// The health in one word.
    pub state: HealthState,
}

impl FoundSubscription {
    pub(super) fn at(now: Timestamp, subscription: Subscription, health: SubscriptionHealth) -> Self {
        let state = HealthState::of(subscription.status, &health, now);
        Self { subscription, health, state }
    }
}

impl Webhooks {
    /// The owner's subscription and its health; `None` if there is no such subscription.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn find_subscription(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
    ) -> Result<Option<FoundSubscription>, StoreError> {
        let found = self.stores.subscriptions.find(owner, id).await?;
        let now = self.clock.now();
        Ok(found.map(|(subscription, health)| FoundSubscription::at(now, subscription, health)))
    }
}
