use super::health_state::{HealthState, SubscriptionHealth};
use super::subscription::Subscription;
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{SubscriptionId, UserId};

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

impl Webhooks {
    /// The owner's subscription and its health; `None` if there is no such subscription.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn find_subscription(
        &self,
        owner: &UserId,
        id: SubscriptionId,
    ) -> Result<Option<FoundSubscription>, StoreError> {
        let found = self.stores.subscriptions.find(owner, id).await?;
        Ok(found.map(|(subscription, health)| {
            let state = HealthState::of(subscription.status, &health, self.clock.now());
            FoundSubscription { subscription, health, state }
        }))
    }
}
