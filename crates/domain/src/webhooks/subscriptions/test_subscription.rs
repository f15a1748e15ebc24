use crate::ports::{Accepted, Publication, StoreError};
use crate::webhooks::{
    Delivery, DeliveryState, Event, EventType, NoPushSubscription, PayloadTooLarge, PublishEvent, Webhooks,
};
use crate::{DeliveryId, OwnerId, SubscriptionId};

/// A test of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionTest {
    /// The event.
    pub event: Event,
    /// Its only delivery.
    pub delivery: Delivery,
}

/// Why the test was not sent.
#[derive(Debug, thiserror::Error)]
pub enum TestSubscriptionError {
    /// The owner has no such subscription to which webhooks are sent.
    #[error(transparent)]
    NoSubscription(#[from] NoPushSubscription),
    /// The subscription is disabled.
    #[error("the subscription is disabled")]
    Disabled,
    /// The payload of the test is larger than the policy allows.
    #[error(transparent)]
    TooLarge(#[from] PayloadTooLarge),
    /// The store failed. The test may be sent anyway.
    #[error("the test could not be stored")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Sends an event of the type `webhook.test` to this subscription only, whatever its patterns and its filter are.
    ///
    /// # Errors
    ///
    /// See [`TestSubscriptionError`].
    pub async fn test_subscription(
        &self,
        owner: &OwnerId,
        id: SubscriptionId,
    ) -> Result<SubscriptionTest, TestSubscriptionError> {
        self.require_push::<TestSubscriptionError>(owner, id).await?;
        let data = format!(r#"{{"subscriptionId":"{id}"}}"#);
        let request = PublishEvent { owner: owner.clone(), event_type: EventType::of_tests(), data: &data, id: None };
        let event = self.compose(request, Some(id), self.clock.now())?;
        match self.stores.events.publish(&[event]).await? {
            Publication::Accepted(accepted) => {
                let fanned_out = accepted.into_iter().find(|accepted| accepted.deliveries > 0);
                fanned_out.map(|accepted| test_of(accepted, id)).ok_or(TestSubscriptionError::Disabled)
            }
            Publication::Conflict { .. } => Err(TestSubscriptionError::Disabled),
        }
    }
}

fn test_of(accepted: Accepted, subscription_id: SubscriptionId) -> SubscriptionTest {
    let event = accepted.event;
    let delivery = Delivery {
        id: DeliveryId::of(event.id, subscription_id),
        event_id: event.id,
        event_type: event.event_type.clone(),
        subscription_id,
        state: DeliveryState::Waiting(event.created_at),
        attempts: 0,
        created_at: event.created_at,
    };
    SubscriptionTest { event, delivery }
}
