//! Postgres as in production: standbys that are reached first, primaries that fail, commits that stall, full pools.
//! Every server in these tests is a real Postgres.

use std::process::Command;
use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::ports::{
    ChangeFeed, CredentialChanges, CredentialStore, Insertion, KeyStore as _, Revocation, Schema, StoreError,
};
use domain::{ApiKey, CredentialDigest, KeyId};
use storage_conformance::requests::{at, new_key_request, revoke_request, user};
use throwaway_postgres::{Cluster, ClusterSettings};

use crate::databases::{connect, until_calls_wait};

async fn open(url: &str) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: url.to_owned(), pool_size: 4 }).await.unwrap()
}

async fn insert(store: &PostgresStore) -> (KeyId, CredentialDigest) {
    let request = new_key_request(&user("alice"), 1_000);
    let stored = store.insert_within(&request).await.unwrap();
    assert!(matches!(stored, Insertion::Stored(_)));
    (request.key.id, request.digest)
}

async fn try_revoke(store: &PostgresStore, id: KeyId) -> Result<Revocation, StoreError> {
    store.revoke(&revoke_request(&user("alice"), id, at(0))).await
}

async fn revoke(store: &PostgresStore, id: KeyId) {
    try_revoke(store, id).await.unwrap();
}

/// Repeats the check until it succeeds. Fails after 30 seconds.
async fn until(mut condition: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waiting).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_is_skipped_until_it_is_promoted() {
    let primary = Cluster::start(ClusterSettings::default()).await.unwrap();
    let name = primary.database().await.unwrap().name;
    let url = |hosts: &str| format!("postgres://postgres@{hosts}/{name}");
    let here = open(&url(&format!("127.0.0.1:{}", primary.port()))).await;
    here.migrate().await.unwrap();
    let (revoked, revoked_later) = (insert(&here).await, insert(&here).await);

    // A standby that is behind without limit is the first host of another instance.
    let standby = primary.standby().await.unwrap();
    standby.execute("postgres", "SELECT pg_wal_replay_pause()").await.unwrap();
    let there = open(&url(&format!("127.0.0.1:{},127.0.0.1:{}", standby.port(), primary.port()))).await;
    let start = there.changes_since(None, 10).await.unwrap().position;
    revoke(&here, revoked.0).await;
    let read = there.changes_since(Some(&start), 10).await.unwrap();
    assert_eq!(read.changes, CredentialChanges::Of(vec![revoked.1]));
    let found: ApiKey = there.find_by_digest(&revoked.1).await.unwrap().unwrap();
    assert!(!found.is_good(at(0)), "the standby does not see the revocation yet");

    let misconfigured = open(&url(&format!("127.0.0.1:{}", standby.port()))).await;
    let refusal = CredentialStore::<ApiKey>::find_by_digest(&misconfigured, &revoked.1).await.unwrap_err();
    let cause = std::error::Error::source(&refusal).unwrap().to_string();
    assert!(cause.contains("the server is a standby"), "{cause}");
    misconfigured.changes_since(None, 10).await.unwrap_err();

    standby.execute("postgres", "SELECT pg_wal_replay_resume()").await.unwrap();
    let replayed = format!("SELECT count(*) FROM credential_changes WHERE digest = '\\x{}'", hex(&revoked.1));
    until(async || standby.execute(&name, &replayed).await.unwrap() == "1").await;
    primary.crash().await.unwrap();
    standby.promote().await.unwrap();
    until(async || CredentialStore::<ApiKey>::find_by_digest(&there, &revoked.1).await.is_ok()).await;
    let read = there.changes_since(Some(&read.position), 10).await.unwrap();
    assert_eq!(read.changes, CredentialChanges::OfAny, "another server may lack what was read before");
    revoke(&there, revoked_later.0).await;
    let read = there.changes_since(Some(&read.position), 10).await.unwrap();
    assert_eq!(read.changes, CredentialChanges::Of(vec![revoked_later.1]));
}

/// The former primary of a cluster continues as before, as after its machine stood still. It does not have the
/// revocation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_former_primary_is_not_used_again() {
    let former = Cluster::start(ClusterSettings::default()).await.unwrap();
    let name = former.database().await.unwrap().name;
    let url = |ports: &[u16]| {
        let hosts: Vec<_> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        format!("postgres://postgres@{}/{name}", hosts.join(","))
    };
    let primary = former.standby().await.unwrap();
    let store = open(&url(&[former.port(), primary.port()])).await;
    store.migrate().await.unwrap();
    let key = insert(&store).await;
    let is_good = async || -> Result<bool, StoreError> {
        let found: Option<ApiKey> = store.find_by_digest(&key.1).await?;
        Ok(found.is_some_and(|key| key.is_good(at(0))))
    };
    assert!(is_good().await.unwrap(), "an idle connection for look-ups leads to the first primary now");
    store.changes_since(None, 10).await.unwrap();
    let listening = tokio::spawn({
        let store = store.clone();
        async move {
            loop {
                store.hint().await;
            }
        }
    });
    until(async || watchers(&former).await.len() == 1).await;
    until(async || primary.execute(&name, "SELECT count(*) FROM api_keys").await.is_ok_and(|count| count == "1")).await;
    primary.promote().await.unwrap();

    let refuse = async |refused: bool| {
        let alter = format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {}", !refused);
        former.execute("postgres", &alter).await.unwrap();
    };
    refuse(true).await;
    revoke(&open(&url(&[primary.port()])).await, key.0).await;
    assert!(is_good().await.unwrap(), "the former primary does not have the revocation");
    let end_feed = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE query LIKE '%RECURSIVE writers%' AND pid <> pg_backend_pid()";
    assert_eq!(former.execute("postgres", end_feed).await.unwrap(), "1");
    until(async || store.changes_since(None, 10).await.is_ok()).await;
    assert!(!is_good().await.unwrap(), "the feed is read on the new primary, and keys are looked up on the former one");

    until(async || watchers(&former).await.is_empty()).await;
    until(async || watchers(&primary).await.len() == 1).await;
    listening.abort();

    refuse(false).await;
    primary.stop().await.unwrap();
    is_good().await.expect_err("the new primary is away, and the former one is not asked");
    primary.start_again().await.unwrap();
    until(async || is_good().await.is_ok()).await;
    assert!(!is_good().await.unwrap());
}

/// Some services refuse functions of the log to every role.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_refuses_to_tell_its_timeline_is_used() {
    let primary = Cluster::start(ClusterSettings::default()).await.unwrap();
    let name = primary.database().await.unwrap().name;
    let refuse = "CREATE ROLE app LOGIN; ALTER SCHEMA public OWNER TO app;
        REVOKE EXECUTE ON FUNCTION pg_control_checkpoint() FROM PUBLIC";
    primary.execute(&name, refuse).await.unwrap();
    let standby = primary.standby().await.unwrap();
    let url = |hosts: &str| format!("postgres://app@{hosts}/{name}");
    let store = open(&url(&format!("127.0.0.1:{},127.0.0.1:{}", standby.port(), primary.port()))).await;
    store.migrate().await.unwrap();
    let (id, digest) = insert(&store).await;
    let start = store.changes_since(None, 10).await.unwrap().position;
    revoke(&store, id).await;
    let read = store.changes_since(Some(&start), 10).await.unwrap();
    assert_eq!(read.changes, CredentialChanges::Of(vec![digest]));
    assert!(!store.tells_timeline());

    let misconfigured = open(&url(&format!("127.0.0.1:{}", standby.port()))).await;
    let refusal = CredentialStore::<ApiKey>::find_by_digest(&misconfigured, &digest).await.unwrap_err();
    let cause = std::error::Error::source(&refusal).unwrap().to_string();
    assert!(cause.contains("the server is a standby"), "{cause}");

    let asked = open(&format!("postgres://postgres@127.0.0.1:{}/{name}", primary.port())).await;
    CredentialStore::<ApiKey>::find_by_digest(&asked, &digest).await.unwrap();
    assert!(asked.tells_timeline(), "a superuser may call everything");
}

/// The processes of a server that serve the connections for notifications, on which instances look for each other.
async fn watchers(server: &Cluster) -> Vec<String> {
    let watchers =
        "SELECT pid FROM pg_stat_activity WHERE query LIKE '%FROM webhook_claimers%' AND application_name = 'gatepost'";
    server.execute("postgres", watchers).await.unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_for_notifications_that_never_answers_is_opened_again() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    let store = open(&cluster.database().await.unwrap().url).await;
    store.migrate().await.unwrap();
    let listening = tokio::spawn(async move {
        loop {
            store.hint().await;
        }
    });
    until(async || watchers(&cluster).await.len() == 1).await;
    let first = watchers(&cluster).await.remove(0);
    let send = |signal: &str| {
        let kill = format!("kill -{signal} {first}");
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    };
    send("STOP");
    until(async || watchers(&cluster).await.iter().any(|process| *process != first)).await;
    send("CONT");
    listening.abort();
}

/// A commit waits for an unreachable synchronous standby: its caller gives up, and the change is read when it is
/// committed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revocation_whose_commit_stalls_is_read_when_it_is_committed() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    let database = cluster.database().await.unwrap();
    let (here, there) = (open(&database.url).await, open(&database.url).await);
    here.migrate().await.unwrap();
    let (key, other) = (insert(&here).await, insert(&here).await);
    let impatient = open(&format!("{}?options=-c%20synchronous_commit%3Dlocal", database.url)).await;
    let start = there.changes_since(None, 10).await.unwrap().position;

    cluster.wait_for_standby("unreachable").await.unwrap();
    try_revoke(&here, key.0).await.unwrap_err();
    let mut read = there.changes_since(Some(&start), 10).await.unwrap();
    assert_eq!(read.changes, CredentialChanges::Of(Vec::new()), "the revocation is not committed yet");
    // A commit that does not wait comes later from the same process.
    revoke(&impatient, other.0).await;
    read = there.changes_since(Some(&read.position), 10).await.unwrap();
    assert_eq!(read.changes, CredentialChanges::Of(vec![other.1]));
    // Longer than a feed that reads by time could look back.
    tokio::time::sleep(Duration::from_secs(11)).await;
    read = there.changes_since(Some(&read.position), 10).await.unwrap();
    assert_eq!(read.changes, CredentialChanges::Of(Vec::new()));
    cluster.wait_for_standby("").await.unwrap();
    let find = async || -> ApiKey { there.find_by_digest(&key.1).await.unwrap().unwrap() };
    until(async || !find().await.is_good(at(0))).await;
    read = there.changes_since(Some(&read.position), 10).await.unwrap();
    assert_eq!(read.changes, CredentialChanges::Of(vec![key.1]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_looked_up_while_every_other_connection_waits() {
    let database = Cluster::shared().await.unwrap().database().await.unwrap();
    let store = open(&database.url).await;
    store.migrate().await.unwrap();
    let key = insert(&store).await;
    let (client, observer) = (connect(&database).await, connect(&database).await);
    let look_up = async || {
        let look_ups: &dyn CredentialStore<ApiKey> = &store;
        assert!(look_ups.find_by_digest(&key.1).await.unwrap().is_some());
        let several = [key.1, CredentialDigest::from_bytes([0; 32])];
        assert_eq!(look_ups.find_by_digests(&several).await.stored.len(), 1);
        store.changes_since(None, 10).await.unwrap();
    };
    // Opens the connections.
    look_up().await;
    client.batch_execute("BEGIN; SELECT * FROM api_keys FOR UPDATE").await.unwrap();
    let waiting: Vec<_> = (0..64)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { try_revoke(&store, key.0).await })
        })
        .collect();
    until_calls_wait(&observer, 4).await;
    let begin = tokio::time::Instant::now();
    look_up().await;
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
    assert!(waiting.iter().all(|call| !call.is_finished()), "every connection for calls is still waiting");
    client.batch_execute("COMMIT").await.unwrap();
    futures_util::future::join_all(waiting).await;
}

fn hex(digest: &CredentialDigest) -> String {
    digest.as_bytes().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
