//! Every promise of the ports, over three stores in memory.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use domain::Timestamp;
use domain::ports::{Retained, Retention, Store, StoreError};
use sharded_store::ShardedStore;
use storage_conformance::audit::AuditedStores;
use storage_conformance::catalogue::CatalogueStore;
use storage_conformance::owners::OwnedStores;
use storage_conformance::{
    FreshStore, Instances, Promise, SharedPromise, SharedSessionStore, audit, broken, catalogue, keep_shared,
};
use storage_conformance::{keys, owners, sessions, webhooks};

use crate::composed::{AllFeeds, KeysWithFeed, SessionsWithFeed, memory_store, of_memory};

const SHARDS: usize = 3;
/// Enough shards to break each promise that several stores do not keep: owners are seldom on one.
const MANY_SHARDS: usize = 16;

/// Promises of one database that several do not keep: no transaction spans shards, so an owner with the same id or
/// digest in another shard is not seen, and lanes of different shards have no order. See decision 97.
pub(crate) const OF_ONE_DATABASE: &[&str] = &[
    "a_stored_id_is_refused",
    "a_stored_digest_is_refused",
    "parallel_duplicates_store_once",
    "a_stored_successor_is_refused",
    "a_stored_id_or_digest_is_refused",
    "a_stored_subscription_id_is_refused",
    "lanes_take_turns",
    "the_lane_served_longest_ago_comes_first",
    "owners_share_the_room_of_a_claim",
    "what_an_owner_has_taken_counts",
];

/// Checks every promise except those of one database. Returns the broken ones.
fn check_all<Store: ?Sized>(promises: &[Promise<Store>], fresh: impl Fn() -> Arc<Store>) -> Vec<&'static str> {
    check_each(promises, async || fresh())
}

/// The same on stores that take a while to make.
pub(crate) fn check_each<'a, Port: ?Sized + 'a, Fresh: Into<FreshStore<Port>>>(
    promises: impl IntoIterator<Item = &'a Promise<Port>>,
    fresh: impl AsyncFn() -> Fresh,
) -> Vec<&'static str> {
    let broken = broken(promises, fresh).into_iter();
    let (expected, unexpected): (Vec<_>, Vec<_>) = broken.partition(|name| OF_ONE_DATABASE.contains(name));
    assert!(unexpected.is_empty(), "broken: {unexpected:?}");
    expected
}

fn check_shared<Store: ?Sized + Send + Sync>(promises: &[SharedPromise<Store>], fresh: impl Fn() -> Instances<Store>) {
    for promise in promises {
        keep_shared(promise, ready((fresh(), ())));
    }
}

fn keys_with_feed() -> Instances {
    let shards: Vec<_> = (0..SHARDS).map(|_| memory_store()).collect();
    let feeds = shards.iter().flat_map(|shard| shard.changes.clone()).collect();
    let store = Arc::new(KeysWithFeed::of(Arc::new(ShardedStore::new(shards)), feeds));
    [store.clone(), store]
}

fn sessions_with_feed() -> Instances<dyn SharedSessionStore> {
    let shards: Vec<_> = (0..SHARDS).map(|_| memory_store()).collect();
    let feed = AllFeeds(shards.iter().map(|shard| Arc::clone(&shard.changes[0])).collect());
    let store = Arc::new(SessionsWithFeed { store: Arc::new(ShardedStore::new(shards)), feed });
    [store.clone(), store]
}

#[test]
fn keys_of_shards() {
    check_all(keys::PROMISES, || of_memory(SHARDS) as _);
    check_shared(keys::SHARED_PROMISES, keys_with_feed);
}

#[test]
fn sessions_of_shards() {
    check_all(sessions::PROMISES, || of_memory(SHARDS) as _);
    check_shared(sessions::SHARED_PROMISES, sessions_with_feed);
}

#[test]
fn webhooks_of_shards() {
    check_all(webhooks::PROMISES, || of_memory(SHARDS) as _);
}

#[test]
fn audit_logs_of_shards() {
    check_all(audit::PROMISES, || Arc::new(AuditedStores::of(&of_memory(SHARDS))));
}

#[test]
fn records_of_owners_of_shards() {
    check_all(owners::PROMISES, || {
        let shards: Vec<_> = (0..SHARDS).map(|_| memory_store()).collect();
        let feeds = shards.iter().flat_map(|shard| shard.changes.clone()).collect();
        let stores = OwnedStores::of(&Arc::new(ShardedStore::new(shards)));
        Arc::new(stores.shared(Arc::new(AllFeeds(feeds))))
    });
}

#[test]
fn catalogues_of_shards() {
    check_all(catalogue::PROMISES, || Arc::new(CatalogueStore::of(&of_memory(SHARDS))));
}

/// It is the store itself, so it keeps what several do not.
#[test]
fn one_shard_keeps_each_promise_of_one_database() {
    assert_eq!(check_exceptions(keys::PROMISES, || of_memory(1) as _), [""; 0]);
    assert_eq!(check_exceptions(sessions::PROMISES, || of_memory(1) as _), [""; 0]);
    assert_eq!(check_exceptions(webhooks::PROMISES, || of_memory(1) as _), [""; 0]);
}

#[tokio::test]
async fn publications_claim_for_the_dispatcher() {
    webhooks::direct_claims::publications_claim_for_the_dispatcher(of_memory(SHARDS)).await;
    webhooks::direct_claims::an_offer_is_used_up_by_any_owners(of_memory(MANY_SHARDS)).await;
}

/// So the list of exceptions contains no promise that holds.
#[test]
fn each_promise_of_one_database_is_broken_by_many() {
    let mut broken = check_exceptions(keys::PROMISES, || of_memory(MANY_SHARDS) as _);
    broken.extend(check_exceptions(sessions::PROMISES, || of_memory(MANY_SHARDS) as _));
    broken.extend(check_exceptions(webhooks::PROMISES, || of_memory(MANY_SHARDS) as _));
    let kept: Vec<_> = OF_ONE_DATABASE.iter().filter(|name| !broken.contains(name)).collect();
    assert!(kept.is_empty(), "kept: {kept:?}");
}

/// Returns the broken ones of the promises of one database.
fn check_exceptions<Store: ?Sized>(promises: &[Promise<Store>], fresh: impl Fn() -> Arc<Store>) -> Vec<&'static str> {
    let exceptions = promises.iter().filter(|promise| OF_ONE_DATABASE.contains(&promise.name));
    exceptions.flat_map(|promise| check_all(std::slice::from_ref(promise), &fresh)).collect()
}

/// A store with this number of rows to purge, one in each call. It counts the calls.
struct Rows {
    left: AtomicU32,
    calls: AtomicU32,
}

#[async_trait]
impl Retention for Rows {
    async fn purge(&self, _what: Retained, _before: Timestamp, _max: u32) -> Result<u32, StoreError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        Ok(u32::from(left.is_ok()))
    }
}

/// To find nothing, a shard may read all rows that stay, so it is not asked between the rows of others.
#[tokio::test]
async fn a_purge_begins_at_the_shard_that_deleted_last() {
    let rows = [0, 5, 5].map(|left| Arc::new(Rows { left: left.into(), calls: 0.into() }));
    let store = ShardedStore::new(rows.iter().map(|rows| Store { retention: rows.clone(), ..memory_store() }));
    let mut purged = 0;
    while store.purge(Retained::Webhooks, Timestamp::MIN, 1).await.unwrap() > 0 {
        purged += 1;
    }
    let calls = rows.map(|rows| rows.calls.load(Ordering::Relaxed));
    assert_eq!((purged, calls), (10, [2, 7, 6]));
}
