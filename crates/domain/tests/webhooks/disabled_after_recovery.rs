use std::sync::Arc;

use async_trait::async_trait;
use domain::memory::MemoryWebhookStore;
use domain::ports::{
    CancelDeliveryRequest, ChangeSubscriptionRequest, DeliveryCommands, RecoverRequest, Recovered, RetryByHand,
    RetryDeliveryRequest, RetryFailedRequest, RetryOfFailed, StoreError, SubscriptionStore as _,
};
use domain::webhooks::{Delivery, SubscriptionChange};

/// The commands of a store whose users disable their subscriptions as soon as they are recovered.
pub(crate) struct DisabledAfterRecovery(pub(crate) Arc<MemoryWebhookStore>);

#[async_trait]
impl DeliveryCommands for DisabledAfterRecovery {
    async fn retry(&self, request: &RetryDeliveryRequest) -> Result<RetryByHand, StoreError> {
        self.0.retry(request).await
    }

    async fn cancel(&self, request: &CancelDeliveryRequest) -> Result<Option<Delivery>, StoreError> {
        self.0.cancel(request).await
    }

    async fn retry_failed(&self, request: &RetryFailedRequest) -> Result<RetryOfFailed, StoreError> {
        self.0.retry_failed(request).await
    }

    async fn recover(&self, request: &RecoverRequest) -> Result<Option<Recovered>, StoreError> {
        let recovered = self.0.recover(request).await?;
        if request.enables {
            let change = SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() };
            let (owner, at, cause) = (request.owner.clone(), request.retry.at, request.cause.clone());
            let off = ChangeSubscriptionRequest { owner, id: request.subscription, change, at, cause };
            self.0.update(&off).await?;
        }
        Ok(recovered)
    }
}
