use super::delivery::Delivery;
use crate::audit::Origin;
use crate::ports::{RetryByHand, RetryDeliveryRequest, StoreError};
use crate::webhooks::Webhooks;
use crate::{DeliveryId, OwnerId};

/// Why a delivery was not made due.
#[derive(Debug, thiserror::Error)]
pub enum RetryDeliveryError {
    /// The owner has no delivery with this id.
    #[error("no delivery has this id")]
    NotFound,
    /// The subscription is disabled or deleted.
    #[error("the subscription is disabled or deleted")]
    SubscriptionDisabled,
    /// The event may be purged before another run of the schedule ends.
    #[error("the event was published too long ago")]
    EventTooOld,
    /// The store failed. The delivery may be due anyway.
    #[error("the delivery could not be made due")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Makes one of the owner's deliveries due now and starts a new run of its schedule, whether the delivery waits or
    /// has ended. A running attempt continues.
    ///
    /// # Errors
    ///
    /// See [`RetryDeliveryError`].
    pub async fn retry_delivery(
        &self,
        owner: &OwnerId,
        id: DeliveryId,
        origin: &Origin,
    ) -> Result<Delivery, RetryDeliveryError> {
        let now = self.clock.now();
        let (retry, cause) = (self.retry_request(now), self.cause(origin, now));
        match self.stores.commands.retry(&RetryDeliveryRequest { owner: owner.clone(), id, retry, cause }).await? {
            RetryByHand::Due(delivery) => Ok(delivery),
            RetryByHand::NotFound => Err(RetryDeliveryError::NotFound),
            RetryByHand::LaneClosed => Err(RetryDeliveryError::SubscriptionDisabled),
            RetryByHand::TooOld => Err(RetryDeliveryError::EventTooOld),
        }
    }
}
