//! Events that are to be announced while one shard takes no writes.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::{AuditEvent, AuditFilter};
use domain::memory::unique_cause;
use domain::ports::{AuditLog, AuditPage, AuditWatcher, Store, StoreError};
use domain::{AuditId, Home, KeyId};
use sharded_store::ShardedStore;
use storage_conformance::requests::user;

use crate::composed::memory_store;

const SHARDS: usize = 3;
const READ_ONLY: usize = 1;

/// A shard that can be read, and refuses marks.
struct Unmarkable(Arc<dyn AuditLog>);

#[async_trait]
impl AuditLog for Unmarkable {
    async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError> {
        self.0.list(filter, before, max).await
    }

    async fn record_new(&self, events: &[AuditEvent]) -> Result<u32, StoreError> {
        self.0.record_new(events).await
    }

    async fn list_unannounced(&self, max: u32) -> Result<Vec<AuditEvent>, StoreError> {
        self.0.list_unannounced(max).await
    }

    async fn mark_announced(&self, _: &[AuditEvent]) -> Result<(), StoreError> {
        Err(StoreError::Unavailable("read-only".into()))
    }

    fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        self.0.watch(watcher);
    }
}

/// The composition, and its shards.
fn store() -> (ShardedStore, Vec<Arc<dyn AuditLog>>) {
    let mut shards: Vec<Store> = (0..SHARDS).map(|_| memory_store()).collect();
    let logs = shards.iter().map(|shard| Arc::clone(&shard.audit)).collect();
    shards[READ_ONLY].audit = Arc::new(Unmarkable(Arc::clone(&shards[READ_ONLY].audit)));
    (ShardedStore::new(shards), logs)
}

fn shard_of(event: &AuditEvent) -> usize {
    Home::of(&event.owner).shard(SHARDS)
}

/// Without the error, repeated announcements of the same events would stay unnoticed.
#[tokio::test]
async fn a_mark_that_fails_is_an_error_and_the_others_are_made() {
    let (store, logs) = store();
    let revocation =
        |number: u8| unique_cause().keys_revoked([(user(&format!("user-{number}")), KeyId::from_bytes([number; 16]))]);
    let events: Vec<AuditEvent> = (0..20).flat_map(revocation).collect();
    assert_eq!(store.record_new(&events).await.expect("shards take events"), 20);
    assert_eq!(events.iter().map(shard_of).collect::<BTreeSet<_>>().len(), SHARDS, "owners are in all shards");
    assert!(store.mark_announced(&events).await.is_err());
    for (shard, log) in logs.iter().enumerate() {
        let left = log.list_unannounced(100).await.expect("memory answers");
        assert_eq!(left.is_empty(), shard != READ_ONLY, "{shard}: {left:?}");
    }
    let others: Vec<AuditEvent> = events.into_iter().filter(|event| shard_of(event) != READ_ONLY).collect();
    store.mark_announced(&others).await.expect("a shard without such events does not matter");
}
