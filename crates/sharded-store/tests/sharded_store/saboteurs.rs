//! Compositions that are wrong in one way, and the promises that find it.

use std::future::ready;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use async_trait::async_trait;
use domain::AuditId;
use domain::Timestamp;
use domain::audit::{AuditEvent, AuditFilter};
use domain::ports::{
    AuditLog, AuditPage, AuditWatcher, ClaimRequest, ClaimedLane, Completion, DeliveryQueue, Store, StoreError,
};
use domain::webhooks::SubscriptionOutcomes;
use sharded_store::ShardedStore;
use storage_conformance::KeyPorts;
use storage_conformance::audit::AuditedStores;
use storage_conformance::{Promise, audit, keep, keep_shared, keys, webhooks};

use crate::composed::{KeysWithFeed, memory_store, of_memory};

/// Asserts that this promise is broken by the store.
fn is_seen_by<Port: ?Sized>(promises: &[Promise<Port>], name: &str, store: Arc<Port>) {
    let promise = promises.iter().find(|promise| promise.name == name).expect("the promise exists");
    let kept = catch_unwind(AssertUnwindSafe(|| keep(promise, ready(store))));
    assert!(kept.is_err(), "{name} must see the fault");
}

fn shards() -> Vec<Store> {
    (0..3).map(|_| memory_store()).collect()
}

fn keys_that_go_astray(change: impl Fn(&mut KeysWithFeed)) -> Arc<dyn KeyPorts> {
    let shards = shards();
    let mut keys = KeysWithFeed::of(Arc::new(ShardedStore::new(shards)), Vec::new());
    change(&mut keys);
    Arc::new(keys)
}

#[test]
fn an_owner_who_is_looked_for_in_another_shard() {
    let astray = keys_that_go_astray(|keys| keys.listing = of_memory(3));
    is_seen_by(keys::PROMISES, "every_field_comes_back", astray);
}

#[test]
fn a_maximum_that_is_counted_in_a_shard_that_is_not_the_owners() {
    for name in ["parallel_insertions_fill_the_room_exactly", "insertions_stop_at_the_limit"] {
        let astray = keys_that_go_astray(|keys| keys.inserting.push(of_memory(3)));
        is_seen_by(keys::PROMISES, name, astray);
    }
}

#[test]
fn a_feed_that_forgets_a_shard() {
    let promise = keys::SHARED_PROMISES.iter().find(|one| one.name == "each_change_reaches_every_instance_once");
    let kept = catch_unwind(AssertUnwindSafe(|| {
        let instances = || {
            let shards = shards();
            let feeds = shards.iter().skip(2).flat_map(|shard| shard.changes.clone()).collect();
            let store = Arc::new(KeysWithFeed::of(Arc::new(ShardedStore::new(shards)), feeds));
            [store.clone() as _, store as _]
        };
        keep_shared(promise.expect("the promise exists"), ready((instances(), ())));
    }));
    assert!(kept.is_err());
}

/// A shard with empty lists.
struct Forgetful {
    store: Arc<dyn AuditLog>,
}

#[async_trait]
impl AuditLog for Forgetful {
    fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        self.store.watch(watcher);
    }

    async fn record_new(&self, events: &[AuditEvent]) -> Result<u32, StoreError> {
        self.store.record_new(events).await
    }

    async fn list_unannounced(&self, max: u32) -> Result<Vec<AuditEvent>, StoreError> {
        self.store.list_unannounced(max).await
    }

    async fn mark_announced(&self, events: &[AuditEvent]) -> Result<(), StoreError> {
        self.store.mark_announced(events).await
    }

    async fn list(&self, _: &AuditFilter, _: Option<AuditId>, _: u32) -> Result<AuditPage, StoreError> {
        Ok(AuditPage { events: Vec::new(), next: None })
    }
}

#[test]
fn a_list_that_forgets_a_shard() {
    let mut shards = shards();
    for shard in &mut shards[1..] {
        shard.audit = Arc::new(Forgetful { store: Arc::clone(&shard.audit) });
    }
    let stores = AuditedStores::of(&Arc::new(ShardedStore::new(shards)));
    is_seen_by(audit::PROMISES, "lists_are_what_the_reference_selects", Arc::new(stores));
}

/// A shard with claims that are completed in another one.
struct Misdirected {
    store: Arc<dyn DeliveryQueue>,
    completing: Arc<dyn DeliveryQueue>,
}

#[async_trait]
impl DeliveryQueue for Misdirected {
    async fn claim(&self, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, StoreError> {
        self.store.claim(request).await
    }

    async fn complete(&self, completions: &[Completion]) -> Result<Vec<bool>, StoreError> {
        self.completing.complete(completions).await
    }

    async fn end_closed(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.store.end_closed(at, max).await
    }

    async fn add_outcomes(&self, outcomes: &[SubscriptionOutcomes]) -> Result<(), StoreError> {
        self.store.add_outcomes(outcomes).await
    }
}

#[test]
fn a_claim_that_is_completed_in_another_shard() {
    for name in ["a_delivery_ends_as_it_is_told", "everything_that_was_accepted_is_delivered"] {
        let mut shards = shards();
        let queues: Vec<_> = shards.iter().map(|shard| Arc::clone(&shard.queue)).collect();
        for (number, shard) in shards.iter_mut().enumerate() {
            let (store, completing) = (Arc::clone(&queues[number]), Arc::clone(&queues[(number + 1) % 3]));
            shard.queue = Arc::new(Misdirected { store, completing });
        }
        is_seen_by(webhooks::PROMISES, name, Arc::new(ShardedStore::new(shards)));
    }
}
