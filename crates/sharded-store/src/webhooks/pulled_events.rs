use async_trait::async_trait;
use domain::SubscriptionId;
use domain::ports::{
    CommitRequest, Committed, ForgetRequest, ListedConsumer, Pulled, PulledEvents, PulledLog, PulledMax,
    ReceiveRequest, SeekRequest, Sought, StoreError,
};

use crate::ShardedStore;
use crate::fan_out::in_part;

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

    /// Asks each shard for the logs of its owners. The logs of a shard that fails are absent.
    async fn last_numbers(&self, logs: &[PulledLog]) -> Result<Vec<(SubscriptionId, u64)>, StoreError> {
        let parts = self.shards.iter().map(|shard| {
            let of_shard = logs.iter().filter(|log| self.of(&log.owner).number == shard.number);
            (shard, of_shard.cloned().collect::<Vec<PulledLog>>())
        });
        let calls = parts
            .filter(|(_, part)| !part.is_empty())
            .map(|(shard, part)| shard.part(async move { shard.store.webhooks.pulled.last_numbers(&part).await }));
        let (found, failure) = in_part(logs.len(), calls).await;
        failure.filter(|_| found.is_empty()).map_or(Ok(found), Err)
    }
}
