use super::delivery::Delivery;
use crate::ports::StoreError;
use crate::webhooks::Webhooks;
use crate::{DeliveryId, UserId};

impl Webhooks {
    /// Ends one of the owner's deliveries, and answers with it as it is then; one that has ended stays as it is. `None`
    /// when there is none. What is being sent right now may still arrive.
    ///
    /// # Errors
    ///
    /// When the store fails; nothing says whether the delivery is cancelled.
    pub async fn cancel_delivery(&self, owner: &UserId, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        self.stores.log.cancel(owner, id, self.clock.now()).await
    }
}
