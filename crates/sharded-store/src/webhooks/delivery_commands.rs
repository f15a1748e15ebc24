use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{DeliveryCommands, RetryByHand, RetryOfFailed, RetryRequest, StoreError};
use domain::webhooks::Delivery;
use domain::{DeliveryId, Hour, SubscriptionId, Timestamp, UserId};
use futures_util::future::join_all;

use crate::ShardedStore;
use crate::fan_out::{unless_all_failed, up_to};

#[async_trait]
impl DeliveryCommands for ShardedStore {
    async fn retry(
        &self,
        owner: &UserId,
        id: DeliveryId,
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryByHand, StoreError> {
        self.of(owner).store.webhooks.commands.retry(owner, id, request, cause).await
    }

    async fn cancel(
        &self,
        owner: &UserId,
        id: DeliveryId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<Option<Delivery>, StoreError> {
        self.of(owner).store.webhooks.commands.cancel(owner, id, at, cause).await
    }

    async fn retry_failed(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        ids: &[DeliveryId],
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryOfFailed, StoreError> {
        self.of(owner).store.webhooks.commands.retry_failed(owner, subscription, ids, request, cause).await
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<Option<u32>, StoreError> {
        self.of(owner).store.webhooks.commands.recover(owner, subscription, request, max, cause).await
    }

    async fn recover_rest(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<u32, StoreError> {
        self.of(owner).store.webhooks.commands.recover_rest(owner, subscription, request, max, cause).await
    }

    async fn prepare_history(&self, at: Timestamp, days: u32) -> Result<(), StoreError> {
        let prepared =
            self.shards.iter().map(|shard| shard.long_part(shard.store.webhooks.commands.prepare_history(at, days)));
        unless_all_failed(join_all(prepared).await)
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        up_to(max, self.in_turn(), |shard, max| shard.store.webhooks.commands.purge_history(before, max)).await
    }

    async fn purge_outcomes(&self, before: Hour, max: u32) -> Result<u32, StoreError> {
        up_to(max, self.in_turn(), |shard, max| shard.store.webhooks.commands.purge_outcomes(before, max)).await
    }
}
