use async_trait::async_trait;
use domain::SubscriptionId;
use domain::ports::{
    CommitRequest, Committed, ForgetRequest, ListedConsumer, Pulled, PulledEvents, PulledLog, PulledMax,
    ReceiveRequest, SeekRequest, Sought, StoreError,
};
use futures_util::future::join_all;

use crate::ShardedStore;

#[async_trait]
impl PulledEvents for ShardedStore {
    async fn receive(&self, request: &ReceiveRequest) -> Result<Pulled, StoreError> {
        self.of(&request.log.owner).store.webhooks.pulled.receive(request).await
    }

    async fn commit(&self, request: &CommitRequest) -> Result<Committed, StoreError> {
        self.of(&request.log.owner).store.webhooks.pulled.commit(request).await
    }

    async fn seek(&self, request: &SeekRequest) -> Result<Sought, StoreError> {
        self.of(&request.log.owner).store.webhooks.pulled.seek(request).await
    }

    async fn read(&self, log: &PulledLog, after: Option<u64>, max: PulledMax) -> Result<Pulled, StoreError> {
        self.of(&log.owner).store.webhooks.pulled.read(log, after, max).await
    }

    async fn consumers(&self, log: &PulledLog) -> Result<Option<Vec<ListedConsumer>>, StoreError> {
        self.of(&log.owner).store.webhooks.pulled.consumers(log).await
    }

    async fn forget(&self, request: &ForgetRequest) -> Result<bool, StoreError> {
        self.of(&request.log.owner).store.webhooks.pulled.forget(request).await
    }

    /// Asks each shard for the logs of its owners. The number is 0 for a log whose shard fails, so that its readers continue
    /// to wait.
    async fn last_numbers(&self, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
        let numbers = self.shards.iter().map(async |shard| {
            let of_shard = logs.iter().filter(|log| self.of(&log.owner).number == shard.number);
            let part: Vec<PulledLog> = of_shard.cloned().collect();
            if part.is_empty() {
                return Vec::new();
            }
            let numbers = shard.part(shard.store.webhooks.pulled.last_numbers(&part)).await;
            numbers.unwrap_or_else(|_| part.iter().map(|log| (log.subscription, 0)).collect())
        });
        Ok(join_all(numbers).await.concat())
    }
}
