use async_trait::async_trait;
use domain::ports::{DeliveryCommands, RetryByHand, RetryRequest, StoreError};
use domain::webhooks::Delivery;
use domain::{DeliveryId, SubscriptionId, Timestamp, UserId};

use super::cancel_delivery::CancelDelivery;
use super::purge_history::PurgeHistory;
use super::recover_subscription::Recover;
use super::retry_delivery::RetryDelivery;
use crate::PostgresStore;

#[async_trait]
impl DeliveryCommands for PostgresStore {
    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError> {
        let answer = self.run(&RetryDelivery { owner, id, request }).await?;
        if let RetryByHand::Due(_) = answer {
            self.change_signal.notify_of_deliveries();
        }
        Ok(answer)
    }

    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError> {
        self.run(&CancelDelivery { owner, id, at }).await
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError> {
        let recovered = self.run(&Recover { owner, subscription, request, max }).await?;
        if recovered.is_some() {
            self.change_signal.notify_of_deliveries();
        }
        Ok(recovered)
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.run(&PurgeHistory { before, max }).await
    }
}
