use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::ports::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt, RetryRequest, StoreError};
use domain::webhooks::{DeliveryFilter, DeliveryHistory, FailedDelivery, OutcomeCounts};
use domain::{DeliveryId, Hour, HourRange, SubscriptionId, Timestamp, UserId};

use crate::ShardedStore;

#[async_trait]
impl DeliveryLog for ShardedStore {
    async fn list(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError> {
        self.of(owner).store.webhooks.log.list(owner, filter, before, max).await
    }

    async fn find(&self, owner: &UserId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        self.of(owner).store.webhooks.log.find(owner, id).await
    }

    async fn failed(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        published_since: Timestamp,
        max: u32,
    ) -> Result<Vec<FailedDelivery>, StoreError> {
        self.of(owner).store.webhooks.log.failed(owner, subscription, published_since, max).await
    }

    async fn count_recoverable(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError> {
        self.of(owner).store.webhooks.log.count_recoverable(owner, subscription, request, max).await
    }

    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError> {
        self.of(owner).store.webhooks.log.attempts_after(owner, subscription, after, max).await
    }

    async fn outcomes(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        hours: HourRange,
    ) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        self.of(owner).store.webhooks.log.outcomes(owner, subscription, hours).await
    }
}
