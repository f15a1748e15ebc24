use async_trait::async_trait;
use domain::ports::{
    CancelDeliveryRequest, DeliveryCommands, RecoverRequest, Recovered, RetryByHand, RetryDeliveryRequest,
    RetryFailedRequest, RetryOfFailed, StoreError,
};
use domain::webhooks::Delivery;

use crate::ShardedStore;

#[async_trait]
impl DeliveryCommands for ShardedStore {
    async fn retry(&self, request: &RetryDeliveryRequest) -> Result<RetryByHand, StoreError> {
        self.of(&request.owner).store.webhooks.commands.retry(request).await
    }

    async fn cancel(&self, request: &CancelDeliveryRequest) -> Result<Option<Delivery>, StoreError> {
        self.of(&request.owner).store.webhooks.commands.cancel(request).await
    }

    async fn retry_failed(&self, request: &RetryFailedRequest) -> Result<RetryOfFailed, StoreError> {
        self.of(&request.owner).store.webhooks.commands.retry_failed(request).await
    }

    async fn recover(&self, request: &RecoverRequest) -> Result<Option<Recovered>, StoreError> {
        self.of(&request.owner).store.webhooks.commands.recover(request).await
    }
}
