//! A copy that is killed in the middle.

use std::process::{Command, Stdio};

use super::{answer, arguments, copied, copy, fill_and_stop, migrate};
use crate::harness::{Storage, complaint, eventually, gatepost_binary, until};
use crate::shards::shard_of;
use crate::survival::pgbouncer::pooled;
use crate::webhooks::host::setup;

/// A copy that is killed in the middle leaves an empty target, on which Gatepost starts, and to which the next copy goes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_to_postgres_that_is_killed_leaves_nothing() {
    // A copy to several shards has several transactions, and leaves a mark: see below.
    let (from, to) = (Storage::sqlite(), Storage::postgres().await.undivided());
    // The partitions of the log are made after the keys are copied.
    a_copy_that_is_killed_leaves_nothing(&from, &to, &to, "public.webhook_periods").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_to_sqlite_that_is_killed_leaves_nothing() {
    let (from, to) = (Storage::postgres().await, Storage::sqlite());
    // The last table.
    let table = format!("{}.audit_events", from.schema(0));
    a_copy_that_is_killed_leaves_nothing(&from, &to, &from, &table).await;
}

async fn a_copy_that_is_killed_leaves_nothing(from: &Storage, to: &Storage, locked: &Storage, table: &str) {
    let setup = setup(from).await;
    fill_and_stop(&setup, "alice").await;
    let there = setup.twin().on(to);
    migrate(to).await;
    copy_until_killed(from, to, locked, table, async || {}).await;

    let mut target = there.clone().start().await;
    assert!(target.user("alice").keys().await.is_empty());
    target.stop().await;
    assert_eq!(copied(from, to).await["api_keys"], 1);
    assert_eq!(there.start().await.user("alice").keys().await.len(), 1);
}

/// No instance starts on shards of which some have a part of the data, and the next copy begins again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_to_shards_that_is_killed_leaves_nothing_that_starts() {
    a_copy_to_three_shards_is_killed(Storage::divided(&[Storage::postgres().await], 3)).await;
}

/// The lock of the killed copy is not left to a session that others use.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_is_killed_behind_a_pooler_keeps_no_other_out() {
    let database = pooled("pool_mode = transaction\ndefault_pool_size = 20\nserver_round_robin = 1").await;
    a_copy_to_three_shards_is_killed(Storage::divided(std::slice::from_ref(&database), 3)).await;
}

async fn a_copy_to_three_shards_is_killed(to: Storage) {
    let (from, other) = (Storage::sqlite(), Storage::sqlite());
    let setup = setup(&from).await;
    let source = fill_and_stop(&setup, "alice").await;
    let there = setup.twin().on(&to);
    migrate(&to).await;
    migrate(&other).await;
    // The partitions of the log are made after the keys are copied.
    let table = format!("{}.webhook_periods", to.schema(shard_of(&source, "alice", 3)));
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = x'636f7079'::int::oid
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    copy_until_killed(&from, &to, &to, &table, async || {
        until("the copy keeps others out", async || answer(&to, held).await != "0").await;
        let second = complaint(&copy(&other, &to).await);
        assert!(second.contains("another copy writes"), "{second}");
    })
    .await;
    let keys = "SELECT sum(count) FROM (SELECT count(*) FROM gatepost_shard_0.api_keys
        UNION ALL SELECT count(*) FROM gatepost_shard_1.api_keys UNION ALL SELECT count(*) FROM gatepost_shard_2.api_keys) _";
    assert_eq!(answer(&to, keys).await, "1", "the copy was in the middle");

    let (status, log) = there.clone().start_refused().await;
    assert!(!status.success() && log.contains("a copy to the database has not ended"), "{log}");
    let again = eventually("the session of the killed copy has ended", async || {
        let again = copy(&from, &to).await;
        (!complaint(&again).contains("another copy writes")).then_some(again)
    })
    .await;
    assert!(again.status.success(), "{}", complaint(&again));
    assert_eq!(answer(&to, keys).await, "1");

    // The state after a copy that is killed while it removes the marks.
    answer(&to, "INSERT INTO gatepost_shards.unfinished VALUES (0)").await;
    assert!(!there.clone().start_refused().await.0.success());
    assert_eq!(copied(&from, &to).await["api_keys"], 1);
    assert_eq!(answer(&to, keys).await, "1");
    assert_eq!(there.start().await.user("alice").keys().await.len(), 1);
}

/// Copies until the copy waits for this table, and kills it there when `meanwhile` has ended. The copy waits for ten
/// seconds at most, so `meanwhile` begins with it.
async fn copy_until_killed(from: &Storage, to: &Storage, locked: &Storage, table: &str, meanwhile: impl AsyncFn()) {
    let lock = tokio::spawn(hold(locked, table));
    until("the table is locked", async || sessions(locked, table, true).await > 0).await;
    let arguments = arguments(from, to);
    let mut copy = Command::new(gatepost_binary()).args(arguments).env_clear().stderr(Stdio::null()).spawn().unwrap();
    let waits = until("the copy waits", async || sessions(locked, table, false).await > 0);
    tokio::join!(meanwhile(), waits);
    copy.kill().unwrap();
    copy.wait().unwrap();
    lock.abort();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity 
        WHERE query LIKE '%pg_sleep%' AND pid <> pg_backend_pid() AND datname = current_database()";
    answer(locked, end).await;
}

/// Locks the table against all others.
fn hold(storage: &Storage, table: &str) -> impl Future<Output = ()> + Send + 'static {
    let (cluster, database) = storage.server().expect("a server");
    let (cluster, name) = (cluster.clone(), database.name.clone());
    let lock = format!("BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(60);");
    async move {
        let _ = cluster.execute(&name, &lock).await;
    }
}

/// How many sessions have a lock on the table, or wait for one.
async fn sessions(storage: &Storage, table: &str, granted: bool) -> usize {
    let count = format!(
        "SELECT count(*) FROM pg_locks WHERE relation = to_regclass('{table}') AND granted = {granted}
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    );
    answer(storage, &count).await.parse().unwrap()
}
