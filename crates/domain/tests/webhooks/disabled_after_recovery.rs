use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::memory::MemoryWebhookStore;
use domain::ports::{DeliveryCommands, RetryByHand, RetryOfFailed, RetryRequest, StoreError, SubscriptionStore as _};
use domain::webhooks::{Delivery, SubscriptionChange};
use domain::{DeliveryId, Hour, SubscriptionId, Timestamp, UserId};

/// The commands of a store whose subscriptions are disabled by their owners as soon as they are recovered.
pub(crate) struct DisabledAfterRecovery(pub(crate) Arc<MemoryWebhookStore>);

#[async_trait]
impl DeliveryCommands for DisabledAfterRecovery {
    async fn retry(
        &self,
        owner: &UserId,
        id: DeliveryId,
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryByHand, StoreError> {
        self.0.retry(owner, id, request, cause).await
    }

    async fn cancel(
        &self,
        owner: &UserId,
        id: DeliveryId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<Option<Delivery>, StoreError> {
        self.0.cancel(owner, id, at, cause).await
    }

    async fn retry_failed(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        ids: &[DeliveryId],
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryOfFailed, StoreError> {
        self.0.retry_failed(owner, subscription, ids, request, cause).await
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<Option<u32>, StoreError> {
        let recovered = self.0.recover(owner, subscription, request, max, cause).await?;
        let off = SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() };
        self.0.update(owner, subscription, &off, request.at, cause).await?;
        Ok(recovered)
    }

    async fn recover_rest(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<u32, StoreError> {
        self.0.recover_rest(owner, subscription, request, max, cause).await
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.0.purge_history(before, max).await
    }

    async fn purge_outcomes(&self, before: Hour, max: u32) -> Result<u32, StoreError> {
        self.0.purge_outcomes(before, max).await
    }
}
