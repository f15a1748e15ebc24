use super::delivery::Delivery;
use crate::ports::{RetryByHand, StoreError};
use crate::webhooks::Webhooks;
use crate::{DeliveryId, UserId};

/// Why a delivery was not made due.
#[derive(Debug, thiserror::Error)]
pub enum RetryDeliveryError {
    /// The owner has no delivery with this id.
    #[error("no delivery has this id")]
    NotFound,
    /// Its subscription is disabled or deleted.
    #[error("the subscription is disabled or deleted")]
    SubscriptionDisabled,
    /// Its event may be purged before another run of the schedule ends.
    #[error("the event was published too long ago")]
    EventTooOld,
    /// The store failed; nothing says whether the delivery is due.
    #[error("the delivery could not be made due")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Makes one of the owner's deliveries due now, as the start of a new run of its schedule, whether it waits or has
    /// ended; what is being sent goes on as it is.
    ///
    /// # Errors
    ///
    /// See [`RetryDeliveryError`].
    pub async fn retry_delivery(&self, owner: &UserId, id: DeliveryId) -> Result<Delivery, RetryDeliveryError> {
        match self.stores.commands.retry(owner, id, self.retry_request(self.clock.now())).await? {
            RetryByHand::Due(delivery) => Ok(delivery),
            RetryByHand::NotFound => Err(RetryDeliveryError::NotFound),
            RetryByHand::LaneClosed => Err(RetryDeliveryError::SubscriptionDisabled),
            RetryByHand::TooOld => Err(RetryDeliveryError::EventTooOld),
        }
    }
}
