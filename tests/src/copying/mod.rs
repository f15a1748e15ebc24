//! `gatepost copy`, from each database to the other.

mod killed;
mod same_answers;

use std::collections::BTreeMap;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::harness::{Gatepost, NO_SETTINGS, Setup, Storage, complaint, run_gatepost, succeeded, until};
use crate::shards::subjects;
use crate::webhooks::host::{Consumer, Host, setup};
use crate::webhooks::receiver::{Behaviour, Receiver};

/// A copy that is refused, or fails, deletes no data.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shards_with_data_are_not_copied_to() {
    let (from, to) = (Storage::sqlite(), three_shards().await);
    let setup = setup(&from).await;
    let there = setup.twin().on(&to);
    let mut target = there.clone().start().await;
    let [_, _, last] = subjects(&target, "user", 3).try_into().unwrap();
    target.user(&last).created("in the last shard").await;
    fill_and_stop(&setup, &last).await;
    let served = complaint(&copy(&from, &to).await);
    assert!(served.contains("1 running processes use the database"), "{served}");
    target.kill().await;
    let refused = complaint(&copy(&from, &to).await);
    assert!(refused.contains("the target is not empty: it has rows in api_keys"), "{refused}");
    let wrong = complaint(&copy(&from, &Storage::divided(&[to], 4)).await);
    assert!(wrong.contains("DATABASE_SHARDS"), "{wrong}");
    assert_eq!(there.start().await.user(&last).keys().await.len(), 1);
}

/// While its database refuses writes, an instance verifies keys during the copy. See the runbook "move to several
/// shards".
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_source_serves_reads_while_it_is_copied() {
    let (from, to) = (Storage::postgres().await, three_shards().await);
    let setup = setup(&from).await;
    let source = setup.clone().start().await;
    let (user, there) = (source.user("alice"), setup.twin().on(&to));
    let (key, id) = user.created("before").await;
    let database = &from.server().unwrap().1.name;
    answer(&from, &format!("ALTER DATABASE {database} SET default_transaction_read_only = on")).await;
    let sessions = "pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    answer(&from, &format!("SELECT count(pg_terminate_backend(pid)) FROM {sessions}")).await;
    until("writes are refused", async || user.create("after").await.status == 503).await;

    let copying = tokio::spawn({
        let arguments = arguments(&from, &to);
        async move { run(arguments).await }
    });
    let mut verified = 0;
    while !copying.is_finished() {
        assert_eq!(source.whoami(&key).await.status, 200);
        assert_eq!(user.keys().await.len(), 1);
        verified += 1;
    }
    let copied = copying.await.unwrap();
    assert!(copied.status.success() && verified > 0, "{}", complaint(&copied));
    let target = there.start().await;
    assert_eq!((target.whoami(&key).await.status, target.user("alice").keys().await.len()), (200, 1));
    assert_eq!(target.user("alice").revoke(&id).await.status, 200);
    assert_eq!(source.user("alice").revoke(&id).await.status, 503);
}

/// Three shards in two databases.
async fn three_shards() -> Storage {
    Storage::divided(&[Storage::postgres().await, Storage::postgres().await], 3)
}

/// A source with a key and a published event. Its process has ended.
async fn fill_and_stop(setup: &Setup, user: &str) -> Gatepost {
    let mut source = setup.clone().start().await;
    let consumer = Consumer::new(&source, user).await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    consumer.subscribe(&receiver.url(), &["*"]).await;
    Host(source.address()).publish(user, "order.paid", json!({})).await;
    source.kill().await;
    source
}

/// The answer of a storage's first database.
async fn answer(storage: &Storage, statement: &str) -> String {
    storage.execute(0, statement).await
}

async fn migrate(storage: &Storage) {
    let settings = storage.settings();
    let work = move || run_gatepost(std::env::temp_dir().as_path(), &["migrate"], &settings);
    assert!(spawn_blocking(work).await.unwrap().status.success());
}

fn arguments(from: &Storage, to: &Storage) -> Vec<String> {
    let (from_shards, to_shards) = (format!("--from-shards={}", from.shards()), format!("--to-shards={}", to.shards()));
    let ends = ["copy".into(), "--from".into(), from.url(), from_shards, "--to".into(), to.url(), to_shards];
    ends.into_iter().chain(["--json".to_owned()]).collect()
}

async fn copy(from: &Storage, to: &Storage) -> Output {
    run(arguments(from, to)).await
}

async fn run(arguments: Vec<String>) -> Output {
    let work = move || run_gatepost(TempDir::new().unwrap().path(), &arguments, &NO_SETTINGS);
    spawn_blocking(work).await.unwrap()
}

/// Copies, which must succeed: how many rows each table has.
async fn copied(from: &Storage, to: &Storage) -> BTreeMap<String, i64> {
    let answer: Value = serde_json::from_str(&succeeded(&copy(from, to).await)).unwrap();
    let tables = answer["tables"].as_array().unwrap().iter();
    tables.map(|copied| (copied["table"].as_str().unwrap().to_owned(), copied["rows"].as_i64().unwrap())).collect()
}
