use async_trait::async_trait;
use domain::SubscriptionId;
use domain::ports::{
    CommitRequest, Committed, ForgetRequest, ListedConsumer, Pulled, PulledEvents, PulledLog, PulledMax,
    ReceiveRequest, SeekRequest, Sought, StoreError,
};

use crate::ShardedStore;
use crate::fan_out::all;

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

    async fn last_numbers(&self, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
        let numbers = all(&self.shards, |shard| shard.store.webhooks.pulled.last_numbers(logs)).await?;
        Ok(numbers.concat())
    }
}
