//! What belongs to no owner: readiness, schema, retention, close, and the catalogue of event types.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use domain::Timestamp;
use domain::catalogue::EventTypeEntry;
use domain::ports::{
    Close, EntryPut, EventTypes, MigrateError, MigrationStatus, NotReady, PutEntryRequest, ReadinessCheck, Retained,
    Retention, Schema, StoreError,
};
use domain::webhooks::EventType;
use futures_util::future::{join_all, select_all};

use crate::ShardedStore;
use crate::fan_out::{unless_all_failed, up_to};

/// Ready while one shard is: the owners of the others get errors, and every instance answers the same. Not ready before
/// each shard that answers was migrated: at the first start, some shards have tables before others.
#[async_trait]
impl ReadinessCheck for ShardedStore {
    async fn check(&self) -> Result<(), NotReady> {
        if !self.schema_was_tried.load(Ordering::Acquire) {
            return Err(NotReady { summary: "the schema of the shards is not checked yet", source: None });
        }
        let mut checks: Vec<_> = self.shards.iter().map(|shard| shard.store.readiness.check()).collect();
        loop {
            let (checked, _, rest) = select_all(checks).await;
            if checked.is_ok() || rest.is_empty() {
                return checked;
            }
            checks = rest;
        }
    }
}

#[async_trait]
impl Retention for ShardedStore {
    /// Begins at the shard that deleted last: to find nothing, the others may read all rows that stay.
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let place = &self.purging[what as usize];
        let shards = self.starting_at(place.load(Ordering::Relaxed));
        up_to(max, shards, |shard, max| async move {
            let purged = shard.store.retention.purge(what, before, max).await?;
            if purged > 0 {
                place.store(shard.number, Ordering::Relaxed);
            }
            Ok(purged)
        })
        .await
    }

    async fn prepare_history(&self, at: Timestamp, days: u32) -> Result<(), StoreError> {
        let prepared = self.shards.iter().map(|shard| shard.long_part(shard.store.retention.prepare_history(at, days)));
        unless_all_failed(join_all(prepared).await)
    }
}

#[async_trait]
impl Schema for ShardedStore {
    /// Migrates every shard that can be migrated, one after the other, and fails if one cannot.
    async fn migrate(&self) -> Result<Vec<String>, MigrateError> {
        let (mut applied, mut failure) = (Vec::new(), None);
        for shard in &self.shards {
            match shard.store.schema.migrate().await {
                Ok(names) => {
                    shard.has_answered();
                    applied.extend(names);
                }
                Err(error) => failure = Some(graver(failure, error)),
            }
        }
        self.schema_was_tried.store(true, Ordering::Release);
        applied.sort_unstable();
        applied.dedup();
        failure.map_or(Ok(applied), Err)
    }

    /// A migration is applied if every shard has it.
    async fn status(&self) -> Result<Vec<MigrationStatus>, MigrateError> {
        let (mut all, mut failure) = (BTreeMap::<String, bool>::new(), None);
        for shard in &self.shards {
            match shard.store.schema.status().await {
                Ok(migrations) => {
                    for MigrationStatus { name, applied } in migrations {
                        *all.entry(name).or_insert(true) &= applied;
                    }
                }
                Err(error) => failure = Some(graver(failure, error)),
            }
        }
        self.schema_was_tried.store(true, Ordering::Release);
        if let Some(error) = failure {
            return Err(error);
        }
        Ok(all.into_iter().map(|(name, applied)| MigrationStatus { name, applied }).collect())
    }
}

/// The failure that a retry cannot mend, if one of them is such a failure: a database that does not answer must not hide
/// that another one has a different number of shards.
fn graver(first: Option<MigrateError>, second: MigrateError) -> MigrateError {
    match first {
        None | Some(MigrateError::Unavailable(_) | MigrateError::Busy { .. }) => second,
        Some(first) => first,
    }
}

#[async_trait]
impl Close for ShardedStore {
    async fn close(&self) {
        join_all(self.shards.iter().map(|shard| shard.store.close())).await;
    }

    async fn part_ended(&self) -> &'static str {
        select_all(self.shards.iter().map(|shard| shard.store.closing.part_ended())).await.0
    }
}

/// The catalogue belongs to no owner, so the first shard has it.
#[async_trait]
impl EventTypes for ShardedStore {
    async fn list(&self) -> Result<Vec<EventTypeEntry>, StoreError> {
        self.shards[0].store.event_types.list().await
    }

    async fn find(&self, name: &EventType) -> Result<Option<EventTypeEntry>, StoreError> {
        self.shards[0].store.event_types.find(name).await
    }

    async fn put(&self, request: &PutEntryRequest) -> Result<EntryPut, StoreError> {
        self.shards[0].store.event_types.put(request).await
    }

    async fn last_revision(&self) -> Result<u64, StoreError> {
        self.shards[0].store.event_types.last_revision().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_does_not_answer_hides_no_final_failure() {
        let away = || MigrateError::Unavailable("away".into());
        let other = || MigrateError::Unusable("another number of shards".into());
        let newer = MigrateError::Newer { version: "20270101000000".to_owned() };
        assert!(matches!(graver(None, away()), MigrateError::Unavailable(_)));
        assert!(matches!(graver(Some(away()), other()), MigrateError::Unusable(_)));
        assert!(matches!(graver(Some(other()), away()), MigrateError::Unusable(_)));
        assert!(matches!(graver(Some(newer), other()), MigrateError::Newer { .. }));
    }
}
