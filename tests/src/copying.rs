//! `gatepost copy`, from each database to the other.

use std::collections::BTreeMap;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::harness::{Gatepost, Request, Setup, Storage, eventually, gatepost_binary, run_gatepost};
use crate::webhooks::host::{Consumer, DELIVERIES, Host, OPERATOR_TOKEN, SUBSCRIPTIONS, setup};
use crate::webhooks::receiver::{Behaviour, Receiver};

const WAITING: usize = 2;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_on_postgres_answers_as_the_sqlite_file_did() {
    a_copy_answers_as_its_source(Storage::sqlite(), Storage::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_on_sqlite_answers_as_postgres_did() {
    a_copy_answers_as_its_source(Storage::postgres().await, Storage::sqlite()).await;
}

/// Everything that can be read is the same. What waited is delivered once, what was in flight at a kill a second time,
/// and what was published before is not published again.
async fn a_copy_answers_as_its_source(from: Storage, to: Storage) {
    let setup = setup(&from).await;
    let mut source = setup.clone().start().await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    let world = World::fill(&source, &receiver).await;
    let served = copy(&from, &to).await;
    assert!(!served.status.success() && said(&served).contains("us"), "a source that is served: {}", said(&served));
    let before = world.answers(&source).await;
    source.kill().await;

    copied(&from, &to).await;
    let again = copy(&from, &to).await;
    assert!(said(&again).contains("the target is not empty: it has rows in api_keys"), "{}", said(&again));

    let count = receiver.received().len();
    let setup = setup.twin().with("DATABASE_URL", &to.url());
    let mut target = setup.clone().with("DISPATCH", "false").start().await;
    let after = world.answers(&target).await;
    assert_eq!(before.len(), after.len());
    for (call, answer) in &before {
        assert_eq!(answer, &after[call], "{call}");
    }
    target.signal("TERM");
    target.exited().await;
    world.waiting_arrives_once(setup, &receiver, count).await;
}

/// What a test has stored, and may ask for.
struct World {
    alice: Consumer,
    alice_token: String,
    good: String,
    revoked: String,
    session: String,
    waiting: Vec<String>,
}

impl World {
    async fn fill(gatepost: &Gatepost, receiver: &Receiver) -> Self {
        let alice = Consumer::new(gatepost, "alice").await;
        let user = gatepost.user("alice");
        let (good, good_id) = user.created("Zoë's \u{1F511} deploy key").await;
        let (revoked, revoked_id) = user.created("revoked").await;
        assert_eq!(user.revoke(&revoked_id).await.status, 200);
        let rotated = Request::new("POST", &format!("/api/api-keys/{good_id}/rotate")).bearer(&user.token);
        let rotated = rotated.json(&json!({ "overlapSeconds": 3600 }));
        assert_eq!(gatepost.send(&rotated).await.status, 200);
        assert_eq!(gatepost.whoami(&good).await.status, 200);
        let (gone, _) = alice.subscribe(&receiver.url(), &["never.sent"]).await;
        alice.call(Request::new("DELETE", &format!("{SUBSCRIPTIONS}/{gone}"))).await;
        let (delivered, _) = alice.subscribe(&receiver.url(), &["order.*"]).await;
        let host = Host(gatepost.address());
        let event = json!({ "userId": "alice", "type": "order.paid", "id": "paid-1", "data": { "total": 1.50 } });
        assert_eq!(host.try_publish(&event).await.unwrap().status, 202);
        alice.delivery_in(&delivered, "delivered").await;
        let waiting = Self::fill_queue(&alice, host, receiver).await;
        Self { alice, alice_token: user.token, good, revoked, session: session(gatepost).await, waiting }
    }

    /// Some deliveries that have failed once and wait, and one that is being sent.
    async fn fill_queue(alice: &Consumer, host: Host, receiver: &Receiver) -> Vec<String> {
        receiver.behave(Behaviour::answer("503 Service Unavailable", "", ""));
        let (failing, _) = alice.subscribe(&receiver.url(), &["invoice.*"]).await;
        let mut waiting = Vec::new();
        for number in 0..WAITING {
            let published = host.publish("alice", "invoice.sent", json!({ "number": number })).await;
            waiting.push(published["event"]["id"].as_str().unwrap().to_owned());
        }
        let failed = format!("subscriptionId={failing}&state=waiting");
        let has_failed = |delivery: &Value| delivery["attempts"] == 1;
        eventually("they have failed once", async || {
            (alice.deliveries(&failed).await.iter().filter(|one| has_failed(one)).count() == WAITING).then_some(())
        })
        .await;
        receiver.behave(Behaviour::Hang);
        let (hanging, _) = alice.subscribe(&receiver.url(), &["refund.*"]).await;
        let published = host.publish("alice", "refund.sent", json!({})).await;
        waiting.push(published["event"]["id"].as_str().unwrap().to_owned());
        let sending = format!("subscriptionId={hanging}&state=sending");
        eventually("a delivery is being sent", async || alice.deliveries(&sending).await.pop()).await;
        waiting
    }

    /// The answers of every call that reads, without what the time of the call changes.
    async fn answers(&self, gatepost: &Gatepost) -> BTreeMap<String, Value> {
        let alice = self.alice.at(gatepost.address());
        let mut answers = BTreeMap::new();
        let lists = [
            format!("{SUBSCRIPTIONS}?limit=50"),
            format!("{DELIVERIES}?limit=50&state=delivered"),
            "/api/audit?limit=200".to_owned(),
            "/api/api-keys".to_owned(),
        ];
        for path in lists {
            let answer = gatepost.send(&Request::new("GET", &path).bearer(&self.alice_token)).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            answers.insert(path, without_last_use(answer.json()));
        }
        for delivery in alice.deliveries("limit=50&state=delivered").await {
            let path = format!("{DELIVERIES}/{}", delivery["id"].as_str().unwrap());
            answers.insert(path.clone(), alice.get(&path).await);
        }
        for (name, key) in [("good", &self.good), ("revoked", &self.revoked)] {
            let answer = gatepost.whoami(key).await;
            answers.insert(name.to_owned(), json!([answer.status, answer.json()["keyId"]]));
        }
        let session = Request::new("GET", "/api/session").header("cookie", &self.session);
        answers.insert("session".to_owned(), gatepost.send(&session).await.json());
        let all = alice.deliveries("limit=50").await;
        let counts = all.iter().map(|one| json!([one["id"], one["eventId"], one["attempts"]]));
        answers.insert("all deliveries".to_owned(), counts.collect());
        answers
    }

    async fn waiting_arrives_once(&self, setup: Setup, receiver: &Receiver, count: usize) {
        receiver.behave(Behaviour::ok());
        let target = setup.start().await;
        let arrived = receiver.expect(count + self.waiting.len()).await;
        let mut ids: Vec<&str> = arrived[count..].iter().map(|webhook| webhook.header("webhook-id")).collect();
        ids.sort_unstable();
        let mut expected: Vec<&str> = self.waiting.iter().map(String::as_str).collect();
        expected.sort_unstable();
        assert_eq!(ids, expected);
        let paid = json!({ "userId": "alice", "type": "order.paid", "id": "paid-1", "data": { "total": 1.50 } });
        let again = Host(target.address()).try_publish(&paid).await.unwrap();
        assert_eq!(again.status, 202, "{}", again.text());
        Host(target.address()).publish("alice", "order.paid", json!("the last")).await;
        let after = receiver.expect(count + self.waiting.len() + 1).await;
        let last: Value = serde_json::from_slice(&after[count + self.waiting.len()].body).unwrap();
        assert_eq!(last["data"], "the last", "nothing is delivered twice");
    }
}

/// A killed process has not written the last uses.
fn without_last_use(mut answer: Value) -> Value {
    for key in answer["keys"].as_array_mut().into_iter().flatten() {
        key.as_object_mut().unwrap().remove("lastUsedAt");
    }
    answer
}

/// A copy that is killed in the middle leaves an empty target, on which Gatepost starts, and to which the next copy goes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_to_postgres_that_is_killed_leaves_nothing() {
    let (from, to) = (Storage::sqlite(), Storage::postgres().await);
    // The partitions of the log are made after the keys are copied.
    a_copy_that_is_killed_leaves_nothing(&from, &to, &to, "webhook_periods").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_to_sqlite_that_is_killed_leaves_nothing() {
    let (from, to) = (Storage::postgres().await, Storage::sqlite());
    // The last table.
    a_copy_that_is_killed_leaves_nothing(&from, &to, &from, "audit_events").await;
}

async fn a_copy_that_is_killed_leaves_nothing(from: &Storage, to: &Storage, locked: &Storage, table: &str) {
    let setup = setup(from).await;
    let mut source = setup.clone().start().await;
    let alice = Consumer::new(&source, "alice").await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    alice.subscribe(&receiver.url(), &["*"]).await;
    Host(source.address()).publish("alice", "order.paid", json!({})).await;
    let there = setup.twin().with("DATABASE_URL", &to.url());
    migrate(to).await;
    source.kill().await;

    let lock = tokio::spawn(hold(locked, table));
    eventually("the table is locked", async || (sessions(locked, table, true).await > 0).then_some(())).await;
    let arguments = ["copy", "--from", &from.url(), "--to", &to.url()];
    let mut copy = Command::new(gatepost_binary()).args(arguments).env_clear().stderr(Stdio::null()).spawn().unwrap();
    eventually("the copy waits", async || (sessions(locked, table, false).await > 0).then_some(())).await;
    copy.kill().unwrap();
    copy.wait().unwrap();
    lock.abort();
    let (cluster, database) = locked.server().unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity 
        WHERE query LIKE '%pg_sleep%' AND pid <> pg_backend_pid() AND datname = current_database()";
    cluster.execute(&database.name, end).await.unwrap();

    let mut target = there.clone().start().await;
    assert!(target.user("alice").keys().await.is_empty());
    target.signal("TERM");
    target.exited().await;
    assert_eq!(copied(from, to).await["api_keys"], 1);
    assert_eq!(there.start().await.user("alice").keys().await.len(), 1);
}

/// Keeps everybody from the table.
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
    let (cluster, database) = storage.server().expect("a server");
    let count = format!(
        "SELECT count(*) FROM pg_locks WHERE relation = to_regclass('{table}') AND granted = {granted}
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    );
    cluster.execute(&database.name, &count).await.unwrap().trim().parse().unwrap()
}

async fn migrate(storage: &Storage) {
    let url = storage.url();
    let work = move || run_gatepost(std::env::temp_dir().as_path(), &["migrate"], &[("DATABASE_URL", &url)]);
    assert!(spawn_blocking(work).await.unwrap().status.success());
}

/// The cookie of a browser that alice's portal link has signed in.
async fn session(gatepost: &Gatepost) -> String {
    let link = Request::new("POST", "/api/operator/portal-links").bearer(OPERATOR_TOKEN);
    let link = gatepost.send(&link.json(&json!({ "userId": "alice" }))).await.json();
    let code = link["url"].as_str().unwrap().rsplit('#').next().unwrap().to_owned();
    let enter = Request::new("POST", "/api/session").header("sec-fetch-site", "same-origin");
    let entered = gatepost.send(&enter.json(&json!({ "code": code }))).await;
    entered.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

async fn copy(from: &Storage, to: &Storage) -> Output {
    let arguments = ["copy".to_owned(), "--from".into(), from.url(), "--to".into(), to.url(), "--json".into()];
    let work = move || {
        let folder = TempDir::new().unwrap();
        run_gatepost(folder.path(), &arguments.each_ref().map(String::as_str), &[])
    };
    spawn_blocking(work).await.unwrap()
}

/// Copies, which must succeed: how many rows each table has.
async fn copied(from: &Storage, to: &Storage) -> BTreeMap<String, i64> {
    let output = copy(from, to).await;
    assert!(output.status.success(), "{}", said(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tables = answer["tables"].as_array().unwrap().iter();
    tables.map(|copied| (copied["table"].as_str().unwrap().to_owned(), copied["rows"].as_i64().unwrap())).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
