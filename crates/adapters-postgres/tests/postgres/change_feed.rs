//! The promises of the change feed on Postgres, and the promises of this adapter only: commits that stall, servers that
//! recover, notifications, and exactness over many instances.

use std::sync::Arc;
use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::ports::{
    ChangeFeed, CredentialChanges, CredentialStore as _, FeedPosition, FeedRead, Insertion, KeyStore, Revocation,
    Rotation, Schema, StoreError,
};
use domain::{ApiKey, CredentialDigest, KeyId, ListView, OwnerId, RotationRefusal};
use storage_conformance::requests::{at, new_key_request, revoke_request, rotate_request, user};
use storage_conformance::{Instances, SharedSessionStore};
use throwaway_postgres::{Cluster, ClusterSettings, Database};
use tokio::sync::Barrier;

use crate::databases;

async fn open(url: &str) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: url.to_owned(), pool_size: 4 }).await.unwrap()
}

/// Instances on one fresh database, and its name.
async fn instances(count: usize) -> (Vec<PostgresStore>, String) {
    let database = databases::migrated().await;
    (futures_util::future::join_all((0..count).map(|_| open(&database.url))).await, database.name)
}

mod promises {
    use super::*;

    async fn fresh() -> ([Arc<PostgresStore>; 2], Database) {
        let database = databases::migrated().await;
        let (here, there) = tokio::join!(open(&database.url), open(&database.url));
        ([Arc::new(here), Arc::new(there)], database)
    }

    async fn of_keys() -> (Instances, Database) {
        let ([here, there], database) = fresh().await;
        ([here, there], database)
    }

    async fn of_sessions() -> (Instances<dyn SharedSessionStore>, Database) {
        let ([here, there], database) = fresh().await;
        ([here, there], database)
    }

    storage_conformance::change_feed_tests!(of_keys());
    storage_conformance::session_feed_tests!(of_sessions());
}

async fn insert(store: &PostgresStore, owner: &OwnerId, max: u32) -> Option<(KeyId, CredentialDigest)> {
    let request = new_key_request(owner, max);
    let stored = store.insert_within(&request).await.unwrap();
    matches!(stored, Insertion::Stored(_)).then_some((request.key.id, request.digest))
}

async fn rotate(store: &PostgresStore, owner: &OwnerId, id: KeyId, max: u32) -> Rotation {
    store.rotate(&rotate_request(owner, id, max)).await.unwrap()
}

async fn revoke(store: &PostgresStore, owner: &OwnerId, id: KeyId) -> Revocation {
    store.revoke(&revoke_request(owner, id, at(0))).await.unwrap()
}

async fn read(store: &PostgresStore, since: Option<&FeedPosition>) -> FeedRead {
    store.changes_since(since, 100).await.unwrap()
}

/// A restored row has a writer and a number of another time.
#[tokio::test]
async fn a_restored_change_is_read_once_at_most() {
    let (stores, database) = instances(1).await;
    let restored = CredentialDigest::from_bytes([7; 32]);
    let mut position = read(&stores[0], None).await.position;
    for (writer, number) in [(5, 1), (6, i64::MAX), (5, 2)] {
        let row = format!(
            "INSERT INTO credential_changes (writer, number, digest) VALUES ({writer}, {number}, '\\x{}')",
            "07".repeat(32)
        );
        Cluster::shared().await.unwrap().execute(&database, &row).await.unwrap();
        for expected in [vec![restored], Vec::new()] {
            let found = read(&stores[0], Some(&position)).await;
            assert_eq!(found.changes, CredentialChanges::Of(expected));
            position = found.position;
        }
    }
}

/// A transaction that begins first and commits last, after any number of reads, is read once. No read repeats a change
/// while the transaction runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_read_however_long_its_commit_takes() {
    let (stores, database) = instances(1).await;
    let (store, alice) = (&stores[0], user("alice"));
    let [late, early] = [insert(store, &alice, 10).await, insert(store, &alice, 10).await];
    let (late, early) = (late.unwrap(), early.unwrap());
    let start = read(store, None).await.position;
    let cluster = Cluster::shared().await.unwrap();
    let hex = late.1.as_bytes().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let insert = format!("INSERT INTO credential_changes (digest) VALUES ('\\x{hex}')");
    let stalled = {
        let (database, stall) = (database.clone(), format!("BEGIN; {insert}; SELECT pg_sleep(14); COMMIT"));
        tokio::spawn(async move { cluster.execute(&database, &stall).await.unwrap() })
    };
    let running = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
    while cluster.execute(&database, running).await.unwrap() != "1" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    revoke(store, &alice, early.0).await;
    let mut last = read(store, Some(&start)).await;
    assert_eq!(last.changes, CredentialChanges::Of(vec![early.1]));
    while !stalled.is_finished() {
        last = read(store, Some(&last.position)).await;
        if last.changes != CredentialChanges::Of(Vec::new()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    stalled.await.unwrap();
    if last.changes == CredentialChanges::Of(Vec::new()) {
        last = read(store, Some(&last.position)).await;
    }
    assert_eq!(last.changes, CredentialChanges::Of(vec![late.1]), "the change is read after its commit");
    assert_eq!(read(store, Some(&last.position)).await.changes, CredentialChanges::Of(Vec::new()));
}

/// A crash and a restart lose no change and repeat none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chain_of_reads_goes_on_after_a_crash() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    let database = cluster.database().await.unwrap();
    let (store, alice) = (open(&database.url).await, user("alice"));
    store.migrate().await.unwrap();
    let keys = [(); 3].map(|()| insert(&store, &alice, 10));
    let [first, second, third] = futures_util::future::join_all(keys).await.try_into().unwrap();
    let [first, second, third] = [first.unwrap(), second.unwrap(), third.unwrap()];
    let start = read(&store, None).await.position;
    revoke(&store, &alice, first.0).await;

    // If one of the server's processes is killed, the postmaster keeps running and recovers.
    let victim =
        cluster.execute(&database.name, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'");
    let victim = victim.await.unwrap();
    assert!(std::process::Command::new("kill").args(["-9", &victim]).status().unwrap().success());
    let is_new = format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {victim}");
    while cluster.execute(&database.name, &is_new).await.ok().as_deref() != Some("0") {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let again = read(&store, Some(&start)).await;
    assert_eq!(again.changes, CredentialChanges::Of(vec![first.1]));
    revoke(&store, &alice, second.0).await;
    cluster.restart().await.unwrap();
    let last = read(&store, Some(&again.position)).await;
    assert_eq!(last.changes, CredentialChanges::Of(vec![second.1]));
    revoke(&store, &alice, third.0).await;
    assert_eq!(read(&store, Some(&last.position)).await.changes, CredentialChanges::Of(vec![third.1]));
}

/// A newer version may write other changes than digests: the reader then forgets all keys, and reads on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_kind_of_change_does_not_stop_the_feed() {
    let (stores, database) = instances(1).await;
    let start = read(&stores[0], None).await.position;
    let cluster = Cluster::shared().await.unwrap();
    cluster.execute(&database, "INSERT INTO credential_changes (digest) VALUES ('\\x01')").await.unwrap();
    let unknown = read(&stores[0], Some(&start)).await;
    assert_eq!(unknown.changes, CredentialChanges::OfAny);
    assert_eq!(read(&stores[0], Some(&unknown.position)).await.changes, CredentialChanges::Of(Vec::new()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forgotten_changes_are_deleted() {
    let (stores, database) = instances(1).await;
    let (store, cluster) = (&stores[0], Cluster::shared().await.unwrap());
    let alice = user("alice");
    let start = read(store, None).await.position;
    for _ in 0..3 {
        let (id, _) = insert(store, &alice, 10).await.unwrap();
        revoke(store, &alice, id).await;
    }
    let kept = async || cluster.execute(&database, "SELECT count(*) FROM credential_changes").await.unwrap();
    store.forget_changes(&start).await.unwrap();
    assert_eq!(kept().await, "3");
    let end = read(store, None).await.position;
    store.forget_changes(&FeedPosition::new("0 5:9")).await.unwrap();
    assert_eq!(kept().await, "3");
    store.forget_changes(&end).await.unwrap();
    assert_eq!(kept().await, "0");
}

/// The planner knows the number of rows, as after an automatic ANALYZE.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_changes_are_forgotten_at_once() {
    let (stores, database) = instances(1).await;
    let cluster = Cluster::shared().await.unwrap();
    for statement in [
        "INSERT INTO credential_changes (writer, number, digest)
            SELECT 1 + n % 3, n, sha256(n::text::bytea) FROM generate_series(1, 160000) AS n",
        "ANALYZE credential_changes",
    ] {
        cluster.execute(&database, statement).await.unwrap();
    }
    let end = read(&stores[0], None).await.position;
    stores[0].forget_changes(&end).await.unwrap();
    assert_eq!(cluster.execute(&database, "SELECT count(*) FROM credential_changes").await.unwrap(), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_are_woken_even_after_a_lost_connection() {
    let (stores, database) = instances(2).await;
    let ([here, there], alice) = (stores.as_slice(), user("alice")) else { panic!() };
    let hint = |store: &PostgresStore| {
        let store = store.clone();
        async move { tokio::time::timeout(Duration::from_secs(20), store.hint()).await.unwrap() }
    };
    // The first notification shows that the connection is open.
    tokio::join!(hint(here), hint(there));
    let (id, _) = insert(here, &alice, 10).await.unwrap();
    revoke(here, &alice, id).await;
    tokio::join!(hint(here), hint(there));
    let terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = 'gatepost' AND datname = current_database()";
    Cluster::shared().await.unwrap().execute(&database, terminate).await.unwrap();
    tokio::join!(hint(here), hint(there));
}

/// At the maximum, many instances rotate each owner's keys twice, and insert and revoke keys at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_maximum_is_exact_while_keys_are_rotated() -> Result<(), StoreError> {
    let (stores, _) = instances(6).await;
    for round in 0..5 {
        let owner = user(&format!("alice {round}"));
        let mut keys = Vec::new();
        for _ in 0..4 {
            keys.push(insert(&stores[0], &owner, 4).await.unwrap().0);
        }
        let gate = Arc::new(Barrier::new(24));
        let calls = (0..24).map(|call| {
            let (store, owner, key) = (stores[call % stores.len()].clone(), owner.clone(), keys[call % 4]);
            let gate = Arc::clone(&gate);
            tokio::spawn(async move {
                gate.wait().await;
                if call % 3 == 0 {
                    u32::from(insert(&store, &owner, 4).await.is_some()) << 8
                } else {
                    u32::from(matches!(rotate(&store, &owner, key, 3).await, Rotation::Rotated { .. }))
                }
            })
        });
        let done: u32 = futures_util::future::try_join_all(calls).await.unwrap().into_iter().sum();
        let listed = stores[0].list(&owner, ListView::at(at(0))).await?;
        let active = listed.iter().filter(|key| key.is_active(at(0))).count();
        let replaced = listed.iter().filter(|key| key.is_being_replaced(at(0))).count();
        assert_eq!((done, active, replaced), (3, 4, 3), "round {round}: three overlaps, and the maximum of keys");
        let spare = listed.iter().find(|key| key.is_active(at(0))).unwrap().id;
        let refused = rotate(&stores[1], &owner, spare, 3).await;
        assert_eq!(refused, Rotation::Refused(RotationRefusal::OverlapLimitReached));
    }
    Ok(())
}

/// A revocation is entirely before a rotation, which is then refused, or entirely after it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_key_is_not_rotated_once_it_is_revoked() {
    let (stores, _) = instances(2).await;
    let ([here, there], alice) = (stores.as_slice(), user("alice")) else { panic!() };
    for round in 0..20 {
        let (id, digest) = insert(here, &alice, 1_000).await.unwrap();
        let (revoked, rotated) = tokio::join!(revoke(here, &alice, id), rotate(there, &alice, id, 1_000));
        assert!(matches!(revoked, Revocation::Revoked { .. }), "{revoked:?}");
        let key: ApiKey = here.find_by_digest(&digest).await.unwrap().unwrap();
        let is_rotated = matches!(rotated, Rotation::Rotated { .. });
        assert!(is_rotated || rotated == Rotation::Refused(RotationRefusal::Revoked), "{rotated:?}");
        assert_eq!((key.revoked_at, key.replaced_by.is_some()), (Some(at(0)), is_rotated), "round {round}");
    }
}
