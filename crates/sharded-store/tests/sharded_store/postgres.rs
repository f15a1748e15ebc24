//! Promises of each kind, over three schemas of one Postgres server. The same composition of stores in memory keeps all
//! promises, and each statement runs in one schema in `adapters-postgres`, so these tests only check that both fit
//! together.

use std::sync::Arc;

use adapters_postgres::{PostgresSettings, PostgresStore, Shard};
use domain::ports::{
    ChangeFeed, Close as _, DeliveryQueue as _, EventStore as _, KeyStore, MigrateError, ReadinessCheck as _, Retained,
    Schema as _, Store, SubscriptionStore,
};
use domain::webhooks::DirectClaims;
use domain::{CredentialDigest, Hour};
use futures_util::future::join_all;
use sharded_store::ShardedStore;
use storage_conformance::audit::AuditedStores;
use storage_conformance::catalogue::CatalogueStore;
use storage_conformance::owners::OwnedStores;
use storage_conformance::requests::{
    at as time, claim_request, delivered, named_event, new_event, new_key_request, new_subscription_request,
    revoke_request, rotate_request, user,
};
use storage_conformance::{Instances, KeyPorts, OF_EACH_KIND, Promise, SharedSessionStore, SharedStore};
use storage_conformance::{audit, catalogue, keep_shared, keys, owners, sessions, webhooks};
use throwaway_postgres::{Cluster, Database};

use crate::composed::{AllFeeds, KeysWithFeed, SessionsWithFeed};
use crate::memory::check_each;

/// The number of schemas. If it is set, all promises are checked.
const SHARDS: &str = "GATEPOST_TEST_SHARDS";

async fn database() -> Database {
    Cluster::shared().await.expect("a server starts").database().await.expect("a database is made")
}

fn settings(url: &str) -> PostgresSettings {
    // Else each shard of each test would read the certificate authorities of the system.
    PostgresSettings { url: format!("{url}?sslmode=disable"), pool_size: 4 }
}

/// One shard of this database.
async fn shard(url: &str, shard: Shard, claims: &Arc<DirectClaims>) -> Store {
    let store = PostgresStore::open_shard(settings(url), shard, Arc::clone(claims)).await;
    let store = Arc::new(store.expect("the URL is valid"));
    Store::single(&store).shared(store)
}

#[expect(clippy::disallowed_methods, reason = "the suite runs as it is, or over several shards")]
fn chosen() -> Option<u16> {
    std::env::var(SHARDS).ok().map(|shards| shards.parse().expect("a number of shards"))
}

fn number_of_shards() -> u16 {
    chosen().unwrap_or(3)
}

fn at(number: u16) -> Shard {
    Shard { number, shards: number_of_shards(), server: 0 }
}

async fn shards(url: &str) -> Vec<Store> {
    let (mut shards, claims) = (Vec::new(), Arc::default());
    for number in 0..number_of_shards() {
        shards.push(shard(url, at(number), &claims).await);
    }
    shards
}

/// A copy of the database that the first test has migrated: three schemas take longer than most promises.
async fn copied() -> Database {
    let cluster = Cluster::shared().await.expect("a server runs");
    let migrate = async |empty: &Database| {
        let store = ShardedStore::new(shards(&empty.url).await);
        store.migrate().await?;
        store.close().await;
        Ok(())
    };
    let template = format!("gatepost_shards_{}", number_of_shards());
    cluster.copy_of(&template, migrate).await.expect("three migrated schemas")
}

async fn fresh() -> (Arc<ShardedStore>, Database) {
    let database = copied().await;
    (opened(&database.url).await.0, database)
}

/// Opens a connection for each kind of call: a call for all owners has two seconds for each shard.
async fn warm(shard: &Store) {
    let unknown = [CredentialDigest::from_bytes([0x10; 32])];
    shard.readiness.check().await.expect("the shard is migrated");
    shard.keys.credentials.find_by_digests(&unknown).await.complete().expect("keys are looked up");
    shard.changes[0].changes_since(None, 0).await.expect("the feed is read");
    shard.queue.end_closed(Hour::from_number(1).start(), 1).await.expect("the queue is read");
}

/// A store over the migrated shards of this database, and the feed of each.
async fn opened(url: &str) -> (Arc<ShardedStore>, Vec<Arc<dyn ChangeFeed>>) {
    let shards = shards(url).await;
    join_all(shards.iter().map(warm)).await;
    let feeds = shards.iter().flat_map(|shard| shard.changes.clone()).collect();
    (Arc::new(ShardedStore::new(shards)), feeds)
}

/// Two stores on one database, each with the feed of all shards, as these ports.
async fn two<Port: ?Sized>(
    of: impl Fn(Arc<ShardedStore>, Vec<Arc<dyn ChangeFeed>>) -> Arc<Port>,
) -> (Instances<Port>, Database) {
    let database = copied().await;
    let [(here, feeds), (there, feeds_there)] = [opened(&database.url).await, opened(&database.url).await];
    ([of(here, feeds), of(there, feeds_there)], database)
}

fn is_checked<Port: ?Sized>(promise: &Promise<Port>) -> bool {
    chosen().is_some() || OF_EACH_KIND.contains(&promise.name)
}

fn check<Port: ?Sized>(promises: &'static [Promise<Port>], of: impl Fn(Arc<ShardedStore>) -> Arc<Port>) {
    check_each(promises.iter().filter(|promise| is_checked(promise)), async || {
        let (store, database) = fresh().await;
        (of(store), database)
    });
}

#[test]
fn keys_of_three_schemas() {
    check(keys::PROMISES, |store| store);
}

#[test]
fn feeds_of_three_schemas() {
    for promise in keys::SHARED_PROMISES {
        keep_shared(promise, two::<dyn SharedStore>(|store, feeds| Arc::new(KeysWithFeed::of(store, feeds))));
    }
}

#[test]
fn sessions_of_three_schemas() {
    check(sessions::PROMISES, |store| store);
}

#[test]
fn feeds_of_sessions_of_three_schemas() {
    for promise in sessions::SHARED_PROMISES {
        let fresh =
            two::<dyn SharedSessionStore>(|store, feeds| Arc::new(SessionsWithFeed { store, feed: AllFeeds(feeds) }));
        keep_shared(promise, fresh);
    }
}

#[test]
fn records_of_owners_of_three_schemas() {
    check_each(owners::PROMISES.iter().filter(|promise| is_checked(promise)), async || {
        let database = copied().await;
        let (store, feeds) = opened(&database.url).await;
        (Arc::new(OwnedStores::of(&store).shared(Arc::new(AllFeeds(feeds)))), database)
    });
}

#[test]
fn webhooks_of_three_schemas() {
    check(webhooks::PROMISES, |store| store);
}

#[test]
fn audit_logs_of_three_schemas() {
    check(audit::PROMISES, |store| Arc::new(AuditedStores::of(&store)));
}

#[test]
fn catalogues_of_three_schemas() {
    check(catalogue::PROMISES, |store| Arc::new(CatalogueStore::of(&store)));
}

/// Citus hides the changes of a commit in two phases until it has recovered the commit. Only with a coordinator.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ordinary_calls_commit_in_one_phase() {
    const FORGET: &str = "SELECT recover_prepared_transactions()";
    const IN_TWO_PHASES: &str = "SELECT count(*) FROM pg_dist_transaction";
    let Some(coordinator) = Cluster::coordinator().expect("the URL is that of a coordinator") else { return };
    let (store, database) = fresh().await;
    let (keys, subscriptions): (&dyn KeyStore, &dyn SubscriptionStore) = (&*store, &*store);
    let owner = user("alice");
    let count = async |sql| coordinator.execute(&database.name, sql).await.expect("the coordinator answers");
    for turn in 0..2 {
        // The first turn also makes the tables of the day, in two phases.
        count(FORGET).await;
        let new = new_key_request(&owner, 9);
        keys.insert_within(&new).await.expect("a key is stored");
        let rotation = rotate_request(&owner, new.key.id, 9);
        keys.rotate(&rotation).await.expect("the key is rotated");
        keys.revoke(&revoke_request(&owner, new.key.id, time(turn))).await.expect("the key is revoked");
        subscriptions.insert_within(&new_subscription_request(&owner)).await.expect("a subscription is stored");
        let event = named_event(new_event(&owner, time(turn)), &format!("order-{turn}"), "content");
        store.publish(std::slice::from_ref(&event)).await.expect("an event is published");
        store.publish(&[event]).await.expect("it is published again");
        let claim = claim_request(time(turn));
        let claimed = store.claim(&claim).await.expect("the queue answers");
        let completions = delivered(claim.claim, &claimed, time(turn));
        assert!(!completions.is_empty(), "the event is due");
        store.complete(&completions).await.expect("results are stored");
    }
    assert_eq!(count(IN_TWO_PHASES).await, "0");
}

/// The shards that have lost the race go on: a store closes the connection of a call that is dropped.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_up_costs_no_connection() {
    const CONNECTIONS: &str = "SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'gatepost' AND query LIKE '%api_keys%'";
    let (store, database) = fresh().await;
    let cluster = Cluster::shared().await.expect("a server runs");
    let plant = "INSERT INTO gatepost_shard_1.api_keys SELECT uuid_send('01941f29-7c00-7aaa-8aaa-aaaaaaaaaaaa'),
        decode(repeat('10', 32), 'hex'), 'https://id.example.com', 'alice', 'CI', 'svc', now(), NULL, NULL, NULL, '', NULL";
    cluster.execute(&database.name, plant).await.expect("a key is stored");
    // Names the first shard, which does not have it, so the other two look concurrently.
    let digest = CredentialDigest::from_bytes([0x10; 32]);
    let look_up = async |times| {
        for _ in 0..times {
            let keys: &dyn KeyPorts = &*store;
            assert!(keys.find_by_digest(&digest).await.expect("the shards answer").is_some());
        }
        cluster.execute(&database.name, CONNECTIONS).await.expect("the server answers")
    };
    let (first, last) = (look_up(100).await, look_up(100).await);
    let closed: Vec<&str> = first.split(' ').filter(|pid| !last.split(' ').any(|other| other == *pid)).collect();
    assert!(first.split(' ').count() >= number_of_shards().into(), "a connection of each shard is open: {first}");
    assert_eq!(closed, Vec::<&str>::new(), "{first}, later {last}");
}

/// At the first start, one shard has its tables before the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_is_not_ready_before_each_shard_is_migrated() {
    let shards = shards(&database().await.url).await;
    let first = Arc::clone(&shards[0].schema);
    let store = ShardedStore::new(shards);
    first.migrate().await.expect("a new schema is migrated");
    store.check().await.expect_err("two shards have no tables");
    let keys: &dyn KeyPorts = &store;
    keys.purge(Retained::KeyUsage, Hour::from_number(1).start(), 1).await.expect_err("two shards have no tables");
    store.migrate().await.expect("new schemas are migrated");
    store.check().await.expect("all shards have their tables");
    let unknown = CredentialDigest::from_bytes([0x10; 32]);
    assert_eq!(keys.find_by_digest(&unknown).await.expect("nobody waits until a shard is tried again"), None);
}

/// The settings of the first start are permanent: the number of shards, and the place of their server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_shards_than_those_of_the_first_start_are_refused() {
    let divided = copied().await;
    let single = database().await;
    let store = PostgresStore::open(settings(&single.url)).await.expect("the URL is valid");
    store.migrate().await.expect("a new database is migrated");
    let single_now = PostgresStore::open(settings(&divided.url)).await.expect("the URL is valid");
    let schema_of = async |url: &str, place| shard(url, place, &Arc::default()).await.schema;
    let shards = number_of_shards();
    let more = Shard { shards: shards + 1, ..at(0) };
    let elsewhere = Shard { server: 1, ..at(0) };
    for (schema, wrong) in [
        (Arc::new(single_now) as _, format!("has {shards} shards, and DATABASE_SHARDS says one shard")),
        (
            schema_of(&divided.url, more).await,
            format!("has {shards} shards, and DATABASE_SHARDS says {} shards", more.shards),
        ),
        (schema_of(&single.url, at(0)).await, format!("has one shard, and DATABASE_SHARDS says {shards} shards")),
        (
            schema_of(&divided.url, elsewhere).await,
            "the server at place 2 of DATABASE_URL has the shards of place 1".to_owned(),
        ),
    ] {
        for refused in [schema.migrate().await.map(drop), schema.status().await.map(drop)] {
            let Err(MigrateError::Unusable(cause)) = refused else { panic!("{wrong}: {refused:?}") };
            assert!(cause.to_string().contains(&wrong), "{cause}");
        }
    }
    assert_eq!(store.migrate().await.expect("the right number is taken"), Vec::<String>::new());
}
