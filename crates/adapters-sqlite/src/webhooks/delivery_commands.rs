use async_trait::async_trait;
use diesel::SqliteConnection;
use domain::ports::{DeliveryCommands, RetryByHand, RetryRequest, StoreError};
use domain::webhooks::Delivery;
use domain::{DeliveryId, SubscriptionId, Timestamp, UserId};

use super::cancel_delivery::cancel_delivery;
use super::recover_subscription::recover_subscription;
use super::retry_delivery::retry_delivery;
use crate::SqliteStore;

#[async_trait]
impl DeliveryCommands for SqliteStore {
    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError> {
        let (owner, wake) = (owner.clone(), self.wake.clone());
        let work = move |connection: &mut SqliteConnection| retry_delivery(connection, &owner, id, request);
        self.writer.write_then(work, move |_| wake.up()).await
    }

    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError> {
        let owner = owner.clone();
        self.writer.write(move |connection| cancel_delivery(connection, &owner, id, at)).await
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
