//! The promises of the storage ports on Postgres, and the promises of this adapter only: recovery, migration by several
//! instances, exactness across them.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::ports::{
    Insertion, KeyStore as _, MigrateError, ReadinessCheck, Retained, Retention as _, RevokeUserKeysRequest,
    Schema as _, StoreError,
};
use domain::{ListView, OwnerId};
use storage_conformance::audit::AuditedStores;
use storage_conformance::catalogue::CatalogueStore;
use storage_conformance::owners::OwnedStores;
use storage_conformance::requests::{at, new_key_request, revoke_all_request, user};
use storage_conformance::{KeyPorts, SessionPorts, WebhookStore};
use throwaway_postgres::{Cluster, ClusterSettings, Database};
use tokio::sync::Barrier;

use crate::databases;

async fn open(url: &str) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: url.to_owned(), pool_size: 8 }).await.unwrap()
}

async fn migrated(url: &str) -> PostgresStore {
    let store = open(url).await;
    store.migrate().await.unwrap();
    store
}

/// A store on a fresh database.
async fn fresh() -> (Arc<PostgresStore>, Database) {
    let database = databases::migrated().await;
    (Arc::new(open(&database.url).await), database)
}

/// The same, as these ports.
async fn fresh_as<Ports: ?Sized>(as_ports: impl FnOnce(Arc<PostgresStore>) -> Arc<Ports>) -> (Arc<Ports>, Database) {
    let (store, database) = fresh().await;
    (as_ports(store), database)
}

mod key_promises {
    use super::*;

    storage_conformance::key_store_tests!(fresh_as::<dyn KeyPorts>(|store| store));
}

mod session_promises {
    use super::*;

    storage_conformance::session_store_tests!(fresh_as::<dyn SessionPorts>(|store| store));
}

mod owner_promises {
    use super::*;

    storage_conformance::owner_store_tests!(fresh_as(|store| Arc::new(OwnedStores::of(&store).shared(store))));
}

mod audit_promises {
    use super::*;

    storage_conformance::audit_log_tests!(fresh_as(|store| Arc::new(AuditedStores::of(&store))));
}

mod catalogue_promises {
    use super::*;

    storage_conformance::catalogue_tests!(fresh_as(|store| Arc::new(CatalogueStore::of(&store))));
}

mod webhook_promises {
    use super::*;

    storage_conformance::webhook_store_tests!(fresh_as::<dyn WebhookStore>(|store| store));

    #[tokio::test]
    async fn publications_claim_for_the_dispatcher() {
        let (store, _guard) = fresh().await;
        storage_conformance::webhooks::direct_claims::publications_claim_for_the_dispatcher(store).await;
    }
}

async fn insert(store: &PostgresStore, owner: &OwnerId) -> Result<Insertion, StoreError> {
    store.insert_within(&new_key_request(owner, 10)).await
}

/// The row that locks an owner is deleted with the owner's last key, and exists again for the next key.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owners_without_keys_are_forgotten() {
    let (store, database) = fresh().await;
    let (alice, bob) = (user("alice"), user("bob"));
    for owner in [&alice, &bob, &bob] {
        insert(&store, owner).await.unwrap();
    }
    for (owner, max) in [(&alice, 10), (&bob, 1)] {
        let request = RevokeUserKeysRequest { max, ..revoke_all_request(owner, at(0)) };
        assert_eq!(store.revoke_user_keys(&request).await.unwrap().len(), 1);
    }
    let client = databases::connect(&database).await;
    let owners = async || -> Vec<String> {
        let rows = client.query("SELECT owner_subject FROM key_owners ORDER BY 1", &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    assert_eq!(owners().await, ["alice", "bob"]);
    assert_eq!(store.purge(Retained::Keys, at(0).plus(Duration::from_secs(1)), 10).await.unwrap(), 2);
    assert_eq!(owners().await, ["bob"], "bob has another key");
    assert_eq!(store.list(&bob, ListView::at(at(0))).await.unwrap().len(), 1);
    insert(&store, &alice).await.unwrap();
    assert_eq!(owners().await, ["alice", "bob"]);
    let record = "INSERT INTO owners (owner_issuer, owner_subject, number, max_active_keys)
        VALUES ('https://id.example', 'alice', 1, 7)";
    client.batch_execute(record).await.unwrap();
    let revoking = "UPDATE api_keys SET revoked_at = '2020-01-01'";
    client.batch_execute(revoking).await.unwrap();
    assert_eq!(store.purge(Retained::Keys, at(0), 10).await.unwrap(), 2);
    assert_eq!(owners().await, ["alice"], "alice has a record");
}

/// A key that is added while a purge looks: the purge neither waits for it nor forgets its owner.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_who_gets_a_key_is_not_forgotten() {
    let (store, database) = fresh().await;
    insert(&store, &user("alice")).await.unwrap();
    let client = databases::connect(&database).await;
    client.batch_execute("UPDATE api_keys SET revoked_at = '2020-01-01'").await.unwrap();
    client.batch_execute("BEGIN; SELECT FROM key_owners FOR UPDATE").await.unwrap();
    assert_eq!(store.purge(Retained::Keys, at(0), 10).await.unwrap(), 1);
    client.batch_execute("COMMIT").await.unwrap();
    let rows = client.query("SELECT owner_subject FROM key_owners", &[]).await.unwrap();
    assert_eq!(rows.len(), 1);
}

/// Each call that races for the last place has its own instance: within one instance, the calls would take turns.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_maximum_is_exact_over_many_instances() {
    let database = databases::migrated().await;
    let instances = futures_util::future::join_all((0..12).map(|_| open(&database.url))).await;
    for round in 0..10 {
        let owner = user(&format!("alice {round}"));
        let gate = Arc::new(Barrier::new(48));
        let calls = (0..48).map(|call| {
            let (store, owner, gate) = (instances[call % instances.len()].clone(), owner.clone(), Arc::clone(&gate));
            tokio::spawn(async move {
                gate.wait().await;
                insert(&store, &owner).await.unwrap()
            })
        });
        let answers = futures_util::future::try_join_all(calls).await.unwrap();
        let successes = answers.iter().filter(|answer| matches!(answer, Insertion::Stored(_))).count();
        let listed = instances[0].list(&owner, ListView::at(at(0))).await.unwrap().len();
        assert_eq!((successes, listed), (10, 10), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_works_again_after_a_restart_of_the_server() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    let store = migrated(&cluster.database().await.unwrap().url).await;
    let owner = user("alice");
    for stopped in ["by a shutdown", "by a crash"] {
        let calls = (0..4).map(|_| store.list(&owner, ListView::at(at(0))));
        futures_util::future::try_join_all(calls).await.unwrap();
        if stopped == "by a crash" {
            cluster.crash().await.unwrap();
        } else {
            cluster.stop().await.unwrap();
        }
        let refused = tokio::time::timeout(Duration::from_secs(5), insert(&store, &owner)).await.unwrap();
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{stopped}: {refused:?}");
        assert!(store.check().await.is_err(), "{stopped}");
        cluster.start_again().await.unwrap();
        insert(&store, &owner).await.unwrap();
        store.check().await.unwrap();
    }
    assert_eq!(store.list(&owner, ListView::at(at(0))).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dead_connections_in_the_pool_fail_no_call() {
    let cluster = Cluster::shared().await.unwrap();
    let (store, database) = fresh().await;
    let owner = user("alice");
    for _ in 0..5 {
        let calls = (0..8).map(|_| store.list(&owner, ListView::at(at(0))));
        futures_util::future::try_join_all(calls).await.unwrap();
        let terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE application_name = 'gatepost' AND datname = current_database()";
        cluster.execute(&database.name, terminate).await.unwrap();
        insert(&store, &owner).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_unavailable() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let store = open(&format!("postgres://u@{}/d?sslmode=disable", silent.local_addr().unwrap())).await;
    let begin = tokio::time::Instant::now();
    let answer = store.list(&user("alice"), ListView::at(at(0))).await;
    assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{answer:?}");
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_waits_too_long_for_a_lock_is_unavailable() {
    let (store, database) = fresh().await;
    let owner = user("alice");
    insert(&store, &owner).await.unwrap();
    let client = databases::connect(&database).await;
    client.batch_execute("BEGIN; SELECT * FROM key_owners FOR UPDATE").await.unwrap();
    let refused = tokio::time::timeout(Duration::from_secs(5), insert(&store, &owner)).await.unwrap();
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    client.batch_execute("COMMIT").await.unwrap();
    insert(&store, &owner).await.unwrap();
    assert_eq!(store.list(&owner, ListView::at(at(0))).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_goes_away_leaves_no_lock() {
    let cluster = Cluster::shared().await.unwrap();
    let (store, database) = fresh().await;
    let owner = user("alice");
    insert(&store, &owner).await.unwrap();
    let client = databases::connect(&database).await;
    client.batch_execute("BEGIN; SELECT * FROM key_owners FOR UPDATE").await.unwrap();
    let until_it_waits = async {
        let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
        while cluster.execute(&database.name, waiting).await.unwrap().trim() == "0" {}
    };
    tokio::select! {
        biased;
        answer = insert(&store, &owner) => panic!("the call did not wait for the lock: {answer:?}"),
        () = until_it_waits => (),
    }
    // The server gives the lock to the next waiter. If the server knows that the caller is gone, this session gets it.
    client.batch_execute("COMMIT; SET lock_timeout = 3000; SELECT * FROM key_owners FOR UPDATE").await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_connection_is_closed() {
    let cluster = Cluster::shared().await.unwrap();
    let database = databases::migrated().await;
    let read_only = |on| format!("ALTER DATABASE {} SET default_transaction_read_only = {on}", database.name);
    cluster.execute("postgres", &read_only("on")).await.unwrap();
    let store = open(&database.url).await;
    let refused = store.check().await;
    assert!(refused.is_err());
    cluster.execute("postgres", &read_only("off")).await.unwrap();
    store.check().await.unwrap();
}

#[tokio::test]
async fn an_error_names_the_invalid_stored_value() {
    let cluster = Cluster::shared().await.unwrap();
    let (store, database) = fresh().await;
    let owner = user("alice");
    let Insertion::Stored(keys) = insert(&store, &owner).await.unwrap() else { panic!("not stored") };
    cluster.execute(&database.name, "UPDATE api_keys SET created_at = 'infinity'").await.unwrap();
    match store.list(&owner, ListView::at(at(0))).await {
        Err(StoreError::Corrupt { table: "api_keys", column: "created_at", row }) => {
            assert_eq!(row, keys[0].id.to_string());
        }
        other => panic!("{other:?}"),
    }
}

// Runs on one thread, where the migrations harness would panic if it blocked the runtime.
#[tokio::test]
async fn instances_that_migrate_at_once_apply_each_migration_once() {
    let database = Cluster::shared().await.unwrap().database().await.unwrap();
    let stores = [open(&database.url).await, open(&database.url).await, open(&database.url).await];
    let pending = stores[0].status().await.unwrap();
    assert!(pending.iter().all(|migration| !migration.applied));
    assert!(stores[0].check().await.is_err());
    let applied = futures_util::future::try_join_all(stores.iter().map(PostgresStore::migrate)).await.unwrap();
    let names: Vec<String> = pending.into_iter().map(|migration| migration.name).collect();
    assert_eq!(applied.concat(), names);
    assert!(stores[1].status().await.unwrap().iter().all(|migration| migration.applied));
    stores[2].check().await.unwrap();
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let cluster = Cluster::shared().await.unwrap();
    let (store, database) = fresh().await;
    let newer = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')";
    cluster.execute(&database.name, newer).await.unwrap();
    for refused in [store.migrate().await.map(drop), store.status().await.map(drop)] {
        assert!(matches!(&refused, Err(MigrateError::Newer { version }) if version == "99990101000000"), "{refused:?}");
    }
    assert!(store.check().await.is_ok(), "a running instance keeps serving while others are upgraded");
}
