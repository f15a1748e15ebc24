use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::ports::{
    CountRecoverableRequest, DeliveryLog, DeliveryPage, ListAttemptsRequest, ListDeliveriesRequest, ListFailedRequest,
    LoggedAttempt, OutcomesRequest, StoreError,
};
use domain::webhooks::{DeliveryHistory, FailedDelivery, OutcomeCounts};
use domain::{DeliveryId, Hour, OwnerId};

use crate::ShardedStore;

#[async_trait]
impl DeliveryLog for ShardedStore {
    async fn list(&self, request: &ListDeliveriesRequest) -> Result<DeliveryPage, StoreError> {
        self.of(&request.owner).store.webhooks.log.list(request).await
    }

    async fn find(&self, owner: &OwnerId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        self.of(owner).store.webhooks.log.find(owner, id).await
    }

    async fn failed(&self, request: &ListFailedRequest) -> Result<Vec<FailedDelivery>, StoreError> {
        self.of(&request.owner).store.webhooks.log.failed(request).await
    }

    async fn count_recoverable(&self, request: &CountRecoverableRequest) -> Result<Option<u32>, StoreError> {
        self.of(&request.owner).store.webhooks.log.count_recoverable(request).await
    }

    async fn attempts_after(&self, request: &ListAttemptsRequest) -> Result<Vec<LoggedAttempt>, StoreError> {
        self.of(&request.owner).store.webhooks.log.attempts_after(request).await
    }

    async fn outcomes(&self, request: &OutcomesRequest) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        self.of(&request.owner).store.webhooks.log.outcomes(request).await
    }
}
