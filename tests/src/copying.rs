//! `gatepost copy`, from each database to the other.

use std::collections::BTreeMap;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::harness::{Gatepost, Request, Setup, Storage, eventually, gatepost_binary, run_gatepost};
use crate::shards::{shard_of, subjects};
use crate::survival::pgbouncer::pooled;
use crate::webhooks::host::{Consumer, DELIVERIES, Host, OPERATOR_TOKEN, SUBSCRIPTIONS, setup};
use crate::webhooks::receiver::{Behaviour, Received, Receiver};

const WAITING: usize = 2;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_on_postgres_answers_as_the_sqlite_file_did() {
    a_copy_answers_as_its_source(Storage::sqlite(), Storage::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_on_sqlite_answers_as_postgres_did() {
    a_copy_answers_as_its_source(Storage::postgres().await, Storage::sqlite()).await;
}

/// Three shards in two databases.
async fn three_shards() -> Storage {
    Storage::divided(&[Storage::postgres().await, Storage::postgres().await], 3)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_on_three_shards_answers_as_the_sqlite_file_did() {
    a_copy_answers_as_its_source(Storage::sqlite(), three_shards().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_on_two_shards_answers_as_three_did() {
    a_copy_answers_as_its_source(three_shards().await, Storage::divided(&[Storage::postgres().await], 2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_on_sqlite_answers_as_three_shards_did() {
    a_copy_answers_as_its_source(three_shards().await, Storage::sqlite()).await;
}

/// Every readable value is the same. Waiting deliveries are made once, deliveries in flight at a kill a second time,
/// and earlier ones not again.
async fn a_copy_answers_as_its_source(from: Storage, to: Storage) {
    let setup = setup(&from).await;
    let mut source = setup.clone().start().await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    let world = World::fill(&source, &receiver, from.shards().max(to.shards())).await;
    let served = copy(&from, &to).await;
    assert!(!served.status.success() && said(&served).contains("us"), "a source that is served: {}", said(&served));
    // Everything is counted and stored. A source without a dispatcher then stays the same, however slow the machine is.
    world.answers(&source).await;
    source.kill().await;
    let mut source = setup.clone().with("DISPATCH", "false").start().await;
    let before = world.answers(&source).await;
    source.kill().await;

    let tables = copied(&from, &to).await;
    assert!(tables.len() == 16 && tables.values().all(|rows| *rows > 0), "every table has rows: {tables:?}");
    let again = copy(&from, &to).await;
    assert!(said(&again).contains("the target is not empty: it has rows in api_keys"), "{}", said(&again));

    let count = receiver.received().len();
    let setup = setup.twin().on(&to);
    let mut target = setup.clone().with("DISPATCH", "false").start().await;
    let after = world.answers(&target).await;
    assert_eq!(before.len(), after.len());
    for (call, answer) in &before {
        assert_eq!(answer, &after[call], "{call}");
    }
    for Person { name, .. } in &world.people {
        let record = Request::new("GET", &format!("/api/operator/users/{name}")).bearer(OPERATOR_TOKEN);
        let record = target.send(&record).await.json();
        assert_eq!((&record["name"], &record["maxSubscriptions"]), (&json!(name), &json!(7)));
    }
    target.signal("TERM");
    target.exited().await;
    world.waiting_arrives_once(setup, &receiver, count).await;
}

/// The data of a test, and the ids to ask for: of one user for each shard.
struct World {
    people: Vec<Person>,
    waiting: Vec<String>,
}

struct Person {
    name: String,
    consumer: Consumer,
    token: String,
    good: String,
    good_id: String,
    revoked: String,
    session: String,
}

impl World {
    async fn fill(gatepost: &Gatepost, receiver: &Receiver, users: usize) -> Self {
        let names = if users == 1 { vec!["alice".to_owned()] } else { subjects(gatepost, "user", users) };
        let mut people = Vec::new();
        for name in names {
            people.push(Person::fill(gatepost, receiver, name).await);
        }
        receiver.behave(Behaviour::answer("503 Service Unavailable", "", ""));
        let event_type = json!({ "title": "A", "schema": { "type": "object" } });
        let put = Request::new("PUT", "/api/operator/event-types/a").bearer(OPERATOR_TOKEN).json(&event_type);
        assert_eq!(gatepost.send(&put).await.status, 200);
        let (host, mut waiting) = (Host(gatepost.address()), Vec::new());
        for person in &people {
            waiting.extend(person.fail(host, receiver).await);
        }
        receiver.behave(Behaviour::Hang);
        for person in &people {
            waiting.push(person.hang(host, receiver).await);
        }
        Self { people, waiting }
    }

    /// The answers of every call that reads, without the values that depend on the time of the call.
    async fn answers(&self, gatepost: &Gatepost) -> BTreeMap<String, Value> {
        let mut answers = BTreeMap::new();
        for person in &self.people {
            person.add_answers(gatepost, &mut answers).await;
        }
        let audit = Request::new("GET", "/api/operator/audit?limit=200").bearer(OPERATOR_TOKEN);
        answers.insert("audit of all".to_owned(), gatepost.send(&audit).await.json());
        let types = Request::new("GET", "/api/operator/event-types/a").bearer(OPERATOR_TOKEN);
        answers.insert("event type".to_owned(), gatepost.send(&types).await.json());
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
        let has = |webhook: &&Received| {
            webhook.headers.iter().any(|header| *header == ("x-key".into(), "of the receiver".into()))
        };
        let mut tenants: Vec<&str> =
            arrived[count..].iter().filter(has).map(|webhook| webhook.header("x-tenant")).collect();
        tenants.sort_unstable();
        let mut names: Vec<&str> = self.people.iter().map(|person| person.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(tenants, names, "the headers of each subscription are copied");
        let sent = count + self.waiting.len();
        for (count, Person { name, .. }) in (sent..).zip(&self.people) {
            let again = Host(target.address()).try_publish(&paid(name)).await.unwrap();
            assert_eq!(again.status, 202, "{}", again.text());
            Host(target.address()).publish(name, "order.paid", json!("the last")).await;
            let after = receiver.expect(count + 1).await;
            let last: Value = serde_json::from_slice(&after[count].body).unwrap();
            assert_eq!(last["data"], "the last", "nothing is delivered twice");
        }
    }
}

/// An event that is published twice.
fn paid(user: &str) -> Value {
    json!({ "userId": user, "type": "order.paid", "id": "paid-1", "data": { "total": 1.50 } })
}

impl Person {
    async fn fill(gatepost: &Gatepost, receiver: &Receiver, name: String) -> Self {
        let consumer = Consumer::new(gatepost, &name).await;
        let user = gatepost.user(&name);
        let (good, good_id) = user.created("Zoë's \u{1F511} deploy key").await;
        let (revoked, revoked_id) = user.created("revoked").await;
        assert_eq!(user.revoke(&revoked_id).await.status, 200);
        let rotated = Request::new("POST", &format!("/api/api-keys/{good_id}/rotate")).bearer(&user.token);
        let rotated = rotated.json(&json!({ "overlapSeconds": 3600 }));
        assert_eq!(gatepost.send(&rotated).await.status, 200);
        assert_eq!(gatepost.whoami(&good).await.status, 200);
        let record = Request::new("PATCH", &format!("/api/operator/users/{name}")).bearer(OPERATOR_TOKEN);
        let record = record.json(&json!({ "name": name, "maxSubscriptions": 7, "metadata": { "plan": "pro" } }));
        assert_eq!(gatepost.send(&record).await.status, 200);
        let (gone, _) = consumer.subscribe(&receiver.url(), &["never.sent"]).await;
        consumer.call(Request::new("DELETE", &format!("{SUBSCRIPTIONS}/{gone}"))).await;
        let (delivered, _) = consumer.subscribe(&receiver.url(), &["order.*"]).await;
        assert_eq!(Host(gatepost.address()).try_publish(&paid(&name)).await.unwrap().status, 202);
        consumer.delivery_in(&delivered, "delivered").await;
        let session = session(gatepost, &name).await;
        Self { name, consumer, token: user.token, good, good_id, revoked, session }
    }

    /// Deliveries that have failed once and wait.
    async fn fail(&self, host: Host, receiver: &Receiver) -> Vec<String> {
        let (failing, _) = self.consumer.subscribe(&receiver.url(), &["invoice.*"]).await;
        let mut waiting = Vec::new();
        for number in 0..WAITING {
            let published = host.publish(&self.name, "invoice.sent", json!({ "number": number })).await;
            waiting.push(published["event"]["id"].as_str().unwrap().to_owned());
        }
        let failed = format!("subscriptionId={failing}&state=waiting");
        let has_failed = |delivery: &Value| delivery["attempts"] == 1;
        eventually("they have failed once", async || {
            let waiting = self.consumer.deliveries(&failed).await;
            (waiting.iter().filter(|one| has_failed(one)).count() == WAITING).then_some(())
        })
        .await;
        waiting
    }

    /// A delivery that is being sent, with headers of its subscription.
    async fn hang(&self, host: Host, receiver: &Receiver) -> String {
        let hanging = json!({
            "url": receiver.url(), "events": ["refund.*"], "headers": { "x-tenant": self.name },
            "auth": { "type": "header", "name": "x-key", "value": "of the receiver" },
        });
        let hanging = self.consumer.call(Request::new("POST", SUBSCRIPTIONS).json(&hanging)).await;
        let hanging = hanging["subscription"]["id"].as_str().unwrap();
        let published = host.publish(&self.name, "refund.sent", json!({})).await;
        let sending = format!("subscriptionId={hanging}&state=sending");
        eventually("a delivery is being sent", async || self.consumer.deliveries(&sending).await.pop()).await;
        published["event"]["id"].as_str().unwrap().to_owned()
    }

    async fn add_answers(&self, gatepost: &Gatepost, answers: &mut BTreeMap<String, Value>) {
        let consumer = self.consumer.at(gatepost.address());
        let lists = [
            format!("{SUBSCRIPTIONS}?limit=50"),
            format!("{DELIVERIES}?limit=50&state=delivered"),
            "/api/audit?limit=200".to_owned(),
            "/api/api-keys".to_owned(),
        ];
        let mut add = |call: &str, answer: Value| answers.insert(format!("{}: {call}", self.name), answer);
        for path in lists {
            let answer = gatepost.send(&Request::new("GET", &path).bearer(&self.token)).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text());
            add(&path, without_last_use(answer.json()));
        }
        let usage = format!("/api/api-keys/{}/usage?hours=2", self.good_id);
        add("verifications", self.total(gatepost, &usage, "accepted").await);
        add("attempts", self.total(gatepost, "/api/webhooks/outcomes?hours=2", "delivered").await);
        for delivery in consumer.deliveries("limit=50&state=delivered").await {
            let path = format!("{DELIVERIES}/{}", delivery["id"].as_str().unwrap());
            add(&path, consumer.get(&path).await);
        }
        for (name, key) in [("good", &self.good), ("revoked", &self.revoked)] {
            let answer = gatepost.whoami(key).await;
            add(name, json!([answer.status, answer.json()["keyId"]]));
        }
        let session = Request::new("GET", "/api/session").header("cookie", &self.session);
        add("session", gatepost.send(&session).await.json());
        let all = consumer.deliveries("limit=50").await;
        let counts = all.iter().map(|one| json!([one["id"], one["eventId"], one["attempts"]]));
        add("all deliveries", counts.collect());
    }

    /// Whether the hours have a count.
    async fn total(&self, gatepost: &Gatepost, path: &str, what: &str) -> Value {
        eventually(&format!("{path} has counted"), async || {
            let answer = gatepost.send(&Request::new("GET", path).bearer(&self.token)).await.json();
            let count = answer["total"][what].as_u64().unwrap_or_else(|| panic!("{path}: {answer}"));
            (count > 0).then(|| json!(count > 0))
        })
        .await
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
    target.signal("TERM");
    target.exited().await;
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
    copy_until_killed(&from, &to, &to, &table, async || {
        let second = copy(&other, &to).await;
        assert!(said(&second).contains("another copy writes"), "{}", said(&second));
    })
    .await;
    let keys = "SELECT sum(count) FROM (SELECT count(*) FROM gatepost_shard_0.api_keys
        UNION ALL SELECT count(*) FROM gatepost_shard_1.api_keys UNION ALL SELECT count(*) FROM gatepost_shard_2.api_keys) _";
    assert_eq!(answer(&to, keys).await, "1", "the copy was in the middle");

    let (status, log) = there.clone().start_refused().await;
    assert!(!status.success() && log.contains("a copy to the database has not ended"), "{log}");
    let again = eventually("the session of the killed copy has ended", async || {
        let again = copy(&from, &to).await;
        (!said(&again).contains("another copy writes")).then_some(again)
    })
    .await;
    assert!(again.status.success(), "{}", said(&again));
    assert_eq!(answer(&to, keys).await, "1");

    // The state after a copy that is killed while it removes the marks.
    answer(&to, "INSERT INTO gatepost_shards.unfinished VALUES (0)").await;
    assert!(!there.clone().start_refused().await.0.success());
    assert_eq!(copied(&from, &to).await["api_keys"], 1);
    assert_eq!(answer(&to, keys).await, "1");
    assert_eq!(there.start().await.user("alice").keys().await.len(), 1);
}

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
    let served = copy(&from, &to).await;
    assert!(said(&served).contains("1 running processes use the database"), "{}", said(&served));
    target.kill().await;
    let refused = copy(&from, &to).await;
    assert!(said(&refused).contains("the target is not empty: it has rows in api_keys"), "{}", said(&refused));
    let wrong = copy(&from, &Storage::divided(&[to], 4)).await;
    assert!(said(&wrong).contains("DATABASE_SHARDS"), "{}", said(&wrong));
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
    eventually("writes are refused", async || (user.create("after").await.status == 503).then_some(())).await;

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
    assert!(copied.status.success() && verified > 0, "{}", said(&copied));
    let target = there.start().await;
    assert_eq!((target.whoami(&key).await.status, target.user("alice").keys().await.len()), (200, 1));
    assert_eq!(target.user("alice").revoke(&id).await.status, 200);
    assert_eq!(source.user("alice").revoke(&id).await.status, 503);
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

/// Copies until the copy needs this table, runs `meanwhile`, and kills the copy there.
async fn copy_until_killed(from: &Storage, to: &Storage, locked: &Storage, table: &str, meanwhile: impl AsyncFn()) {
    let lock = tokio::spawn(hold(locked, table));
    eventually("the table is locked", async || (sessions(locked, table, true).await > 0).then_some(())).await;
    let arguments = arguments(from, to);
    let mut copy = Command::new(gatepost_binary()).args(arguments).env_clear().stderr(Stdio::null()).spawn().unwrap();
    eventually("the copy waits", async || (sessions(locked, table, false).await > 0).then_some(())).await;
    meanwhile().await;
    copy.kill().unwrap();
    copy.wait().unwrap();
    lock.abort();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity 
        WHERE query LIKE '%pg_sleep%' AND pid <> pg_backend_pid() AND datname = current_database()";
    answer(locked, end).await;
}

/// The answer of a storage's first database.
async fn answer(storage: &Storage, statement: &str) -> String {
    storage.execute(0, statement).await
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

async fn migrate(storage: &Storage) {
    let settings = storage.settings();
    let work = move || {
        let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        run_gatepost(std::env::temp_dir().as_path(), &["migrate"], &settings)
    };
    assert!(spawn_blocking(work).await.unwrap().status.success());
}

/// The cookie of a browser that a user's portal link has signed in.
async fn session(gatepost: &Gatepost, user: &str) -> String {
    let link = Request::new("POST", "/api/operator/portal-links").bearer(OPERATOR_TOKEN);
    let link = gatepost.send(&link.json(&json!({ "userId": user }))).await.json();
    let code = link["url"].as_str().unwrap().rsplit('#').next().unwrap().to_owned();
    let enter = Request::new("POST", "/api/session").header("sec-fetch-site", "same-origin");
    let entered = gatepost.send(&enter.json(&json!({ "code": code }))).await;
    entered.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
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
    let work = move || {
        let folder = TempDir::new().unwrap();
        run_gatepost(folder.path(), &arguments.iter().map(String::as_str).collect::<Vec<_>>(), &[])
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
