use async_trait::async_trait;
use diesel::SqliteConnection;
use domain::ports::{DeliveryCommands, RetryByHand, RetryRequest, StoreError};
use domain::webhooks::Delivery;
use domain::{DeliveryId, SubscriptionId, Timestamp, UserId};

use super::cancel_delivery::cancel_delivery;
use super::find_delivery::find_delivery;
use super::recover_subscription::recover_subscription;
use super::retry_delivery::retry_delivery;
use crate::SqliteStore;

#[async_trait]
impl DeliveryCommands for SqliteStore {
    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError> {
        let Some(subscription) = self.subscription_of(owner, id).await? else { return Ok(RetryByHand::NotFound) };
        let wake = self.wake.clone();
        let work = move |connection: &mut SqliteConnection| retry_delivery(connection, subscription, id, request);
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError> {
        let Some(subscription) = self.subscription_of(owner, id).await? else { return Ok(None) };
        self.writer.write(move |connection| cancel_delivery(connection, subscription, id, at)).await
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError> {
        let (owner, wake) = (owner.clone(), self.wake.clone());
        let work = move |connection: &mut SqliteConnection| {
            recover_subscription(connection, &owner, subscription, request, max)
        };
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.purge(before, max).await
    }
}

impl SqliteStore {
    /// The subscription of a delivery, which never changes. A search among all subscriptions of the owner, so it does not
    /// keep the writer busy.
    async fn subscription_of(&self, owner: &UserId, id: DeliveryId) -> Result<Option<SubscriptionId>, StoreError> {
        let owner = owner.clone();
        let search = move |connection: &mut SqliteConnection| find_delivery(connection, &owner, id);
        Ok(self.readers.read(search).await?.map(|delivery| delivery.subscription_id))
    }
}
