use super::health_state::HealthState;
use super::subscription::Subscription;
use super::subscription_health::SubscriptionHealth;
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{SubscriptionId, UserId};

/// A subscription and how it fares now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSubscription {
    /// The subscription.
    pub subscription: Subscription,
    /// What is known of its deliveries.
    pub health: SubscriptionHealth,
    /// The same in a word.
    pub state: HealthState,
}

impl Webhooks {
    /// The owner's subscription and how it fares; `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the store fails.
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
