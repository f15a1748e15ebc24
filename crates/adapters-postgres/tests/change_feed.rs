//! The promises of the change feed on Postgres, and what only this adapter promises: ages, notifications, and exactness
//! over many instances.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::Arc;
use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::memory::SeededEntropy;
use domain::ports::{
    ActiveLimit, ChangeFeed, Entropy, Insertion, KeyChange, KeyChangeKind, KeyStore, RecentChanges, Revocation,
    Rotation, StoreError,
};
use domain::{ApiKey, KeyDigest, KeyId, KeyRotation, Label, ListView, RotationRefusal, Scopes, Timestamp, UserId};
use storage_conformance::Instances;
use throwaway_postgres::{Cluster, Database};
use tokio::sync::Barrier;

/// Longer than any test here.
const WINDOW: Duration = Duration::from_hours(1);

async fn open(url: &str) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: url.to_owned(), pool_size: 4 }).await.unwrap()
}

/// Instances of one fresh database, and its name.
async fn instances(count: usize) -> (Vec<PostgresStore>, String) {
    let database = Cluster::shared().await.unwrap().database().await.unwrap();
    open(&database.url).await.migrate().await.unwrap();
    (futures_util::future::join_all((0..count).map(|_| open(&database.url))).await, database.name)
}

mod promises {
    use super::*;

    async fn fresh() -> (Instances, Database) {
        let database = Cluster::shared().await.unwrap().database().await.unwrap();
        open(&database.url).await.migrate().await.unwrap();
        let (here, there) = tokio::join!(open(&database.url), open(&database.url));
        ([Arc::new(here), Arc::new(there)], database)
    }

    storage_conformance::change_feed_tests!(fresh());
}

fn now() -> Timestamp {
    Timestamp::from_unix_millis(1_795_225_323_120).unwrap()
}

fn view() -> ListView {
    ListView::at(now())
}

fn user(subject: &str) -> UserId {
    UserId::new("https://id.example", subject).unwrap()
}

fn digest(entropy: &dyn Entropy) -> KeyDigest {
    let mut digest = [0; 32];
    entropy.fill(&mut digest);
    KeyDigest::from_bytes(digest)
}

async fn insert(store: &PostgresStore, owner: &UserId, max: u32, entropy: &dyn Entropy) -> Option<(KeyId, KeyDigest)> {
    let key = ApiKey {
        id: KeyId::mint(now(), entropy),
        owner: owner.clone(),
        label: Label::parse("CI").unwrap(),
        prefix: "svc_live_abc...".into(),
        created_at: now(),
        last_used_at: None,
        expires_at: None,
        revoked_at: None,
        scopes: Scopes::parse("orders:read").unwrap(),
        replaced_by: None,
    };
    let digest = digest(entropy);
    let stored = store.insert_within(&key, &digest, ActiveLimit { max, at: now() }, view()).await.unwrap();
    matches!(stored, Insertion::Stored(_)).then_some((key.id, digest))
}

async fn rotate(store: &PostgresStore, owner: &UserId, id: KeyId, max: u32, entropy: &dyn Entropy) -> Rotation {
    let rotation = KeyRotation {
        successor: KeyId::mint(now(), entropy),
        prefix: "svc_live_def...".into(),
        at: now(),
        overlap: Duration::from_mins(1),
        overlapping_max: max,
        ttl_max: WINDOW,
    };
    store.rotate(owner, id, &rotation, &digest(entropy), view()).await.unwrap()
}

async fn changes(store: &PostgresStore) -> Vec<KeyChange> {
    match store.changes_within(WINDOW, 100).await.unwrap() {
        RecentChanges::All(changes) => changes,
        RecentChanges::TooMany => panic!("too many"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_are_told_and_forgotten_by_their_age() {
    let (stores, database) = instances(1).await;
    let (store, entropy, alice) = (&stores[0], SeededEntropy::new(2), user("alice"));
    let old = insert(store, &alice, 10, &entropy).await.unwrap();
    let new = insert(store, &alice, 10, &entropy).await.unwrap();
    store.revoke(&alice, old.0, now(), view()).await.unwrap();
    let age = "UPDATE key_changes SET changed_at = changed_at - INTERVAL '2 hours'";
    Cluster::shared().await.unwrap().execute(&database, age).await.unwrap();
    store.revoke(&alice, new.0, now(), view()).await.unwrap();
    let newest = [KeyChange { digest: new.1, kind: KeyChangeKind::Revoked }];
    assert_eq!(changes(store).await, newest);
    let all = |changes| matches!(changes, RecentChanges::All(all) if all.len() == 2);
    store.forget_changes(WINDOW * 3).await.unwrap();
    assert!(all(store.changes_within(WINDOW * 3, 9).await.unwrap()));
    store.forget_changes(WINDOW).await.unwrap();
    assert_eq!(store.changes_within(WINDOW * 3, 9).await.unwrap(), RecentChanges::All(newest.to_vec()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_are_woken_also_after_a_lost_connection() {
    let (stores, database) = instances(2).await;
    let ([here, there], entropy, alice) = (stores.as_slice(), SeededEntropy::new(3), user("alice")) else { panic!() };
    let hint = |store: &PostgresStore| {
        let store = store.clone();
        async move { tokio::time::timeout(Duration::from_secs(20), store.hint()).await.unwrap() }
    };
    // The first says that the connection is there.
    tokio::join!(hint(here), hint(there));
    let key = insert(here, &alice, 10, &entropy).await.unwrap();
    here.revoke(&alice, key.0, now(), view()).await.unwrap();
    tokio::join!(hint(here), hint(there));
    let terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = 'gatepost' AND datname = current_database()";
    Cluster::shared().await.unwrap().execute(&database, terminate).await.unwrap();
    tokio::join!(hint(here), hint(there));
}

/// At the maximum, each owner's keys are rotated twice over, inserted and revoked by many instances at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_maximum_is_exact_while_keys_are_rotated() -> Result<(), StoreError> {
    let (stores, _) = instances(6).await;
    let entropy = Arc::new(SeededEntropy::new(4));
    for round in 0..5 {
        let owner = user(&format!("alice {round}"));
        let mut keys = Vec::new();
        for _ in 0..4 {
            keys.push(insert(&stores[0], &owner, 4, &*entropy).await.unwrap().0);
        }
        let gate = Arc::new(Barrier::new(24));
        let calls = (0..24).map(|call| {
            let (store, owner, key) = (stores[call % stores.len()].clone(), owner.clone(), keys[call % 4]);
            let (gate, entropy) = (Arc::clone(&gate), Arc::clone(&entropy));
            tokio::spawn(async move {
                gate.wait().await;
                if call % 3 == 0 {
                    u32::from(insert(&store, &owner, 4, &*entropy).await.is_some()) << 8
                } else {
                    u32::from(matches!(rotate(&store, &owner, key, 3, &*entropy).await, Rotation::Rotated { .. }))
                }
            })
        });
        let done: u32 = futures_util::future::try_join_all(calls).await.unwrap().into_iter().sum();
        let listed = stores[0].list(&owner, view()).await?;
        let active = listed.iter().filter(|key| key.is_active(now())).count();
        let replaced = listed.iter().filter(|key| key.is_being_replaced(now())).count();
        assert_eq!((done, active, replaced), (3, 4, 3), "round {round}: three overlaps, and no room for more keys");
        let spare = listed.iter().find(|key| key.is_active(now())).unwrap().id;
        let refused = rotate(&stores[1], &owner, spare, 3, &*entropy).await;
        assert_eq!(refused, Rotation::Refused(RotationRefusal::OverlapLimitReached));
    }
    Ok(())
}

/// A revocation comes wholly before a rotation, which is refused then, or wholly after.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_key_is_not_rotated_once_it_is_revoked() {
    let (stores, _) = instances(2).await;
    let ([here, there], entropy, alice) = (stores.as_slice(), SeededEntropy::new(5), user("alice")) else { panic!() };
    for round in 0..20 {
        let (id, digest) = insert(here, &alice, 1_000, &entropy).await.unwrap();
        let revoke = here.revoke(&alice, id, now(), view());
        let (revoked, rotated) = tokio::join!(revoke, rotate(there, &alice, id, 1_000, &entropy));
        assert!(matches!(revoked, Ok(Revocation::Revoked { .. })), "{revoked:?}");
        let key = here.find_by_digest(&digest).await.unwrap().unwrap();
        let is_rotated = matches!(rotated, Rotation::Rotated { .. });
        assert!(is_rotated || rotated == Rotation::Refused(RotationRefusal::Revoked), "{rotated:?}");
        assert_eq!((key.revoked_at, key.replaced_by.is_some()), (Some(now()), is_rotated), "round {round}");
    }
}
