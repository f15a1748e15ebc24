//! The rows that statements on keys read: as many for an owner with very many ended keys as for an owner with few.

use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::memory::SeededEntropy;
use domain::memory::unique_cause;
use domain::ports::{
    ActiveLimit, Close as _, CredentialStore, Entropy, InsertKeyRequest, Insertion, KeyStore as _, KeysOf, Retained,
    Retention as _, Revocation, RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest,
    Rotation, Schema as _,
};
use domain::{
    ApiKey, CredentialDigest, KeyId, KeyRotation, KeyUse, LISTED_ENDED_KEYS_MAX, Label, ListView, OwnerId, Scopes,
    Timestamp, WebhookAccess,
};
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
    let entropy = SeededEntropy::new(1);
    for number in 0..TURNS_BEFORE {
        turn(&store, &entropy, at(number)).await;
    }
    plant(&database, ended).await;
    for number in TURNS_BEFORE..TURNS_BEFORE + TURNS {
        turn(&store, &entropy, at(number)).await;
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
async fn turn(store: &PostgresStore, entropy: &SeededEntropy, now: Timestamp) {
    let (view, limit) = (ListView::at(now), ActiveLimit { max: 10, at: now });
    let (old, successor) = (key(KeyId::mint(now, entropy), now), KeyId::mint(now, entropy));
    let leaked = digest(entropy);
    let inserted = store
        .insert_within(&InsertKeyRequest { key: old.clone(), digest: leaked, limit, view, cause: unique_cause() })
        .await
        .unwrap();
    assert!(matches!(inserted, Insertion::Stored(_)), "{inserted:?}");
    let (overlap, ttl_max) = (Duration::from_mins(1), Duration::from_hours(1));
    let rotation = KeyRotation {
        successor,
        prefix: "svc_".into(),
        at: now,
        overlap,
        overlapping_max: 10,
        ttl_max,
        ttl_if_endless: None,
        webhooks_max: Some(WebhookAccess::Write),
        created_by: None,
    };
    let rotated = store
        .rotate(&RotateKeyRequest {
            owner: old.owner.clone(),
            id: old.id,
            rotation: rotation.clone(),
            digest: digest(entropy),
            view,
            cause: unique_cause(),
        })
        .await
        .unwrap();
    assert!(matches!(rotated, Rotation::Rotated { .. }), "{rotated:?}");
    let uses: &dyn CredentialStore<ApiKey> = store;
    uses.record_uses(&[KeyUse { id: old.id, at: now.plus(Duration::from_secs(1)) }]).await.unwrap();
    assert_eq!(
        store
            .revoke_by_digests(&RevokeDigestsRequest { digests: vec![leaked], at: now, cause: unique_cause() })
            .await
            .unwrap()
            .len(),
        1
    );
    for id in [old.id, successor] {
        let revoked = store
            .revoke(&RevokeKeyRequest { owner: old.owner.clone(), id, at: now, view, cause: unique_cause() })
            .await
            .unwrap();
        assert!(matches!(revoked, Revocation::Revoked { .. }), "{revoked:?}");
    }
    let bob = OwnerId::new("https://id.example", "bob").unwrap();
    assert_eq!(
        store
            .revoke_user_keys(&RevokeUserKeysRequest {
                of: KeysOf::Owner(bob.clone()),
                created_before: now,
                at: now,
                max: 10,
                cause: unique_cause()
            })
            .await
            .unwrap(),
        []
    );
    // One after another: lists at the same time share statements, and how many depends on how busy the machine is.
    for _ in 0..8 {
        let shown = store.list(&old.owner, view).await.unwrap().len();
        assert!(shown <= LISTED_ENDED_KEYS_MAX as usize, "{shown}");
    }
    assert_eq!(store.purge(Retained::Keys, Timestamp::MIN, 10).await.unwrap(), 0);
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_unix_millis(1_795_225_323_120).unwrap().plus(Duration::from_secs(seconds))
}

fn key(id: KeyId, created_at: Timestamp) -> ApiKey {
    ApiKey {
        id,
        owner: OwnerId::new("https://id.example", "alice").unwrap(),
        label: Label::parse("CI").unwrap(),
        prefix: "svc_live_abc...".into(),
        created_at,
        last_used_at: None,
        expires_at: None,
        revoked_at: None,
        scopes: Scopes::default(),
        replaced_by: None,
        settings: domain::KeySettings::default(),
        created_by: None,
    }
}

fn digest(entropy: &SeededEntropy) -> CredentialDigest {
    let mut digest = [0; 32];
    entropy.fill(&mut digest);
    CredentialDigest::from_bytes(digest)
}
