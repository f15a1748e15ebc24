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

/// Why the owner has no subscription to which Gatepost sends webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPushSubscription {
    /// The owner has no subscription with this id.
    #[error("no subscription has this id")]
    NotFound,
    /// The events of the subscription are pulled: it has no deliveries, and no webhook carries a signature.
    #[error("the events of the subscription are pulled")]
    Pulled,
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

    /// The type of a subscription is fixed, so the answer holds until the subscription is deleted.
    pub(in crate::webhooks) async fn require_push<E: From<StoreError> + From<NoPushSubscription>>(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
    ) -> Result<(), E> {
        let found = self.stores.subscriptions.find(owner, id).await?;
        let (subscription, _) = found.ok_or(NoPushSubscription::NotFound)?;
        if subscription.url.is_pull() { Err(NoPushSubscription::Pulled.into()) } else { Ok(()) }
    }
}
