//! The rows that statements on keys read: as many for an owner with very many ended keys as for an owner with few.

use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::memory::unique_cause;
use domain::ports::{
    Close as _, CredentialStore, Insertion, KeyStore as _, Retained, Retention as _, Revocation, RevokeDigestsRequest,
    RevokeKeyRequest, RevokeUserKeysRequest, Rotation, Schema as _,
};
use domain::{ApiKey, KeyUse, LISTED_ENDED_KEYS_MAX, ListView, Timestamp};
use storage_conformance::requests::{self, new_key_request, revoke_all_request, revoke_request, rotate_request, user};
use throwaway_postgres::{Cluster, Database};

/// Turns before the owner has ended keys: enough for the server to keep its plans.
const TURNS_BEFORE: u64 = 8;
/// Turns with counted rows.
const TURNS: u64 = 10;

/// Also for statements that were planned while the table was empty.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_rows_read_does_not_depend_on_the_ended_keys() {
    let (few, many) = (rows_read(LISTED_ENDED_KEYS_MAX).await, rows_read(20_000).await);
    assert!(few > 1_000, "the server counts the reads: {few}");
    // A statement that goes through half of them in each turn reads 100,000 rows.
    assert!(many < few + 50_000, "{few} rows beside few ended keys, {many} beside many");
}

/// The number of rows that ten turns of one owner read. The owner and each of many others have this many ended keys.
async fn rows_read(ended: u32) -> u64 {
    let cluster = Cluster::shared().await.unwrap();
    let database = cluster.database().await.unwrap();
    let store = PostgresStore::open(PostgresSettings { url: database.url.clone(), pool_size: 1 }).await.unwrap();
    store.migrate().await.unwrap();
    for number in 0..TURNS_BEFORE {
        turn(&store, at(number)).await;
    }
    plant(&database, ended).await;
    for number in TURNS_BEFORE..TURNS_BEFORE + TURNS {
        turn(&store, at(number)).await;
    }
    store.close().await;
    cluster.rows_read(&database.name, "api_keys").await.unwrap()
}

/// Half of the ended keys are revoked, and half have expired. Other owners have as many keys that are good.
async fn plant(database: &Database, ended: u32) {
    let id =
        |owner: &str| format!("substring(sha256(('{owner}' || i)::bytea) FOR 16), sha256(('{owner}' || i)::bytea)");
    let (alice, others) = (id("alice"), id("others"));
    let plant = format!(
        "INSERT INTO api_keys SELECT {alice}, 'https://id.example', 'alice', 'old', '', now(), NULL,
            CASE WHEN i % 2 = 0 THEN '2026-01-01'::timestamptz + i * INTERVAL '1 s' END,
            CASE WHEN i % 2 = 1 THEN '2026-01-01'::timestamptz + i * INTERVAL '1 s' END, '', NULL
            FROM generate_series(1, {ended}) AS i;
        INSERT INTO api_keys SELECT {others}, 'https://id.example', 'user ' || i, 'new', '', now(), NULL,
            CASE WHEN i % 2 = 0 THEN '2036-01-01'::timestamptz END, NULL, '', NULL
            FROM generate_series(1, {ended}) AS i;
        SELECT pg_stat_reset()"
    );
    Cluster::shared().await.unwrap().execute(&database.name, &plant).await.unwrap();
}

/// Creates a key, rotates it, notes its use, reports it as leaked, revokes both keys and those of a user without keys,
/// lists keys eight times, and purges keys.
async fn turn(store: &PostgresStore, now: Timestamp) {
    let (view, owner) = (ListView::at(now), user("alice"));
    let mut new = new_key_request(&owner, 10);
    (new.key.created_at, new.limit.at, new.view) = (now, now, view);
    let inserted = store.insert_within(&new).await.unwrap();
    assert!(matches!(inserted, Insertion::Stored(_)), "{inserted:?}");
    let id = new.key.id;
    let mut rotation = rotate_request(&owner, id, 10);
    (rotation.rotation.at, rotation.view) = (now, view);
    let rotated = store.rotate(&rotation).await.unwrap();
    assert!(matches!(rotated, Rotation::Rotated { .. }), "{rotated:?}");
    let uses: &dyn CredentialStore<ApiKey> = store;
    uses.record_uses(&[KeyUse { id, at: now.plus(Duration::from_secs(1)) }]).await.unwrap();
    let report = RevokeDigestsRequest { digests: vec![new.digest], at: now, cause: unique_cause() };
    assert_eq!(store.revoke_by_digests(&report).await.unwrap().len(), 1);
    for id in [id, rotation.rotation.successor] {
        let request = RevokeKeyRequest { view, ..revoke_request(&owner, id, now) };
        let revoked = store.revoke(&request).await.unwrap();
        assert!(matches!(revoked, Revocation::Revoked { .. }), "{revoked:?}");
    }
    let request = RevokeUserKeysRequest { created_before: now, max: 10, ..revoke_all_request(&user("bob"), now) };
    assert_eq!(store.revoke_user_keys(&request).await.unwrap(), []);
    // One after another: lists at the same time share statements, and how many depends on how busy the machine is.
    for _ in 0..8 {
        let shown = store.list(&owner, view).await.unwrap().len();
        assert!(shown <= LISTED_ENDED_KEYS_MAX as usize, "{shown}");
    }
    assert_eq!(store.purge(Retained::Keys, Timestamp::MIN, 10).await.unwrap(), 0);
}

fn at(seconds: u64) -> Timestamp {
    requests::at(0).plus(Duration::from_secs(seconds))
}
