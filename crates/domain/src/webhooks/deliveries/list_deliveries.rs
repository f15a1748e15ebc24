use super::delivery::DeliveryFilter;
use crate::ports::{DeliveryPage, StoreError};
use crate::webhooks::Webhooks;
use crate::{DeliveryId, UserId};

impl Webhooks {
    /// The owner's deliveries with ids below `before` that pass the filter, the newest first, at most `max`.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn list_deliveries(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError> {
        self.stores.log.list(owner, filter, before, max).await
    }
}
