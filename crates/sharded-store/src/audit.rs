use std::sync::Arc;

use async_trait::async_trait;
use domain::AuditId;
use domain::audit::{AuditEvent, AuditFilter, Cause};
use domain::ports::{AuditLog, AuditPage, AuditWatcher, StoreError};
use futures_util::future::join_all;

use crate::ShardedStore;
use crate::fan_out::all;
use crate::pages::merged;
use crate::shard::Shard;

/// The cause of the changes in one of several shards, by their order from 0: without this, two events would have one id.
/// The last bits of an id number the events of a cause.
pub(crate) fn part_of(cause: &Cause, number: u16) -> Cause {
    let offset = u128::from(number) << 16;
    let id = (u128::from_be_bytes(*cause.id.as_bytes()) ^ offset).to_be_bytes();
    Cause { id: AuditId::from_bytes(id), origin: cause.origin.clone() }
}

impl ShardedStore {
    /// The events with an owner in the shard.
    fn of_shard(&self, shard: &Shard, events: &[AuditEvent]) -> Vec<AuditEvent> {
        events.iter().filter(|event| self.of(&event.owner).number == shard.number).cloned().collect()
    }
}

#[async_trait]
impl AuditLog for ShardedStore {
    async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError> {
        if let Some(owner) = &filter.owner {
            return self.of(owner).store.audit.list(filter, before, max).await;
        }
        let pages = all(&self.shards, |shard| shard.store.audit.list(filter, before, max)).await?;
        let pages = pages.into_iter().map(|page| (page.events, page.next));
        let (events, next) = merged(pages, |event| event.id, max);
        Ok(AuditPage { events, next })
    }

    async fn record_new(&self, events: &[AuditEvent]) -> Result<u32, StoreError> {
        let mut count = 0;
        for shard in &self.shards {
            let of_shard = self.of_shard(shard, events);
            if !of_shard.is_empty() {
                count += shard.long_part(shard.store.audit.record_new(&of_shard)).await?;
            }
        }
        Ok(count)
    }

    async fn list_unannounced(&self, max: u32) -> Result<Vec<AuditEvent>, StoreError> {
        let (mut found, mut failure) = (Vec::new(), None);
        for shard in self.in_turn() {
            let room = max.saturating_sub(u32::try_from(found.len()).unwrap_or(max));
            if room == 0 {
                break;
            }
            match shard.part(shard.store.audit.list_unannounced(room)).await {
                Ok(of_shard) => found.extend(of_shard),
                Err(error) => failure = Some(error),
            }
        }
        failure.filter(|_| found.is_empty()).map_or(Ok(found), Err)
    }

    /// A failed mark is an error, even if the other shards succeed: an event without its mark is listed again at once.
    async fn mark_announced(&self, events: &[AuditEvent]) -> Result<(), StoreError> {
        let parts = self.shards.iter().map(|shard| (shard, self.of_shard(shard, events)));
        let marks = parts
            .filter(|(_, part)| !part.is_empty())
            .map(|(shard, part)| shard.part(async move { shard.store.audit.mark_announced(&part).await }));
        join_all(marks).await.into_iter().collect()
    }

    fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        for shard in &*self.shards {
            shard.store.audit.watch(Arc::clone(&watcher));
        }
    }
}
