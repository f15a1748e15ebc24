//! Each readable value of the copy is that of its source.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{copied, copy, three_shards};
use crate::harness::{Browser, Gatepost, Request, Setup, Storage, complaint, eventually, until};
use crate::shards::subjects;
use crate::webhooks::host::{Consumer, DELIVERIES, Host, OPERATOR_TOKEN, SUBSCRIPTIONS, by_host, setup};
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
    // A busy machine may need some attempts before the source ends, and the next one comes soon.
    let setup = setup(&from).await.with("WEBHOOK_RETRY_SCHEDULE", &["20s"; 30].join(","));
    let mut source = setup.clone().start().await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    let world = World::fill(&source, &receiver, from.shards().max(to.shards())).await;
    let served = copy(&from, &to).await;
    assert!(!served.status.success() && complaint(&served).contains("us"), "a source that is served: {served:?}");
    // Everything is counted and stored. A source without a dispatcher then stays the same, however slow the machine is.
    world.answers(&source).await;
    source.kill().await;
    let mut source = setup.clone().with("DISPATCH", "false").start().await;
    let before = world.answers(&source).await;
    source.kill().await;

    let tables = copied(&from, &to).await;
    assert!(tables.len() == 18 && tables.values().all(|rows| *rows > 0), "every table has rows: {tables:?}");
    let again = complaint(&copy(&from, &to).await);
    assert!(again.contains("the target is not empty: it has rows in api_keys"), "{again}");

    let count = receiver.received().len();
    let setup = setup.twin().on(&to);
    let mut target = setup.clone().with("DISPATCH", "false").start().await;
    let after = world.answers(&target).await;
    assert_eq!(before.len(), after.len());
    for (call, answer) in &before {
        assert_eq!(answer, &after[call], "{call}");
    }
    for Person { name, .. } in &world.people {
        let record = target.send(&by_host("GET", &format!("users/{name}"))).await.json();
        assert_eq!((&record["name"], &record["maxSubscriptions"]), (&json!(name), &json!(7)));
    }
    target.stop().await;
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
    browser: Browser,
    /// A subscription that is pulled, of which a reader has an event.
    pulled: String,
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
        let put = by_host("PUT", "event-types/a").json(&event_type);
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
        for path in ["audit?limit=200", "owners", "event-types/a"] {
            answers.insert(path.to_owned(), gatepost.send(&by_host("GET", path)).await.json());
        }
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
            assert_eq!(after[count].json()["data"], "the last", "each event is delivered once");
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
        let record = by_host("PATCH", &format!("users/{name}")).json(&json!({
            "name": name, "maxSubscriptions": 7, "metadata": { "plan": "pro" }, "keyRateLimit": "90/s",
            "requestRateLimit": "9000/m",
        }));
        assert_eq!(gatepost.send(&record).await.status, 200);
        let (gone, _) = consumer.subscribe(&receiver.url(), &["never.sent"]).await;
        consumer.call(Request::new("DELETE", &format!("{SUBSCRIPTIONS}/{gone}"))).await;
        let (delivered, _) = consumer.subscribe(&receiver.url(), &["order.*"]).await;
        let (pulled, _) = consumer.create(&json!({ "type": "pull", "events": ["order.*"] })).await;
        assert_eq!(Host(gatepost.address()).try_publish(&paid(&name)).await.unwrap().status, 202);
        let receive = format!("{SUBSCRIPTIONS}/{pulled}/consumers/billing/receive");
        let page = consumer.call(Request::new("POST", &receive).json(&json!({ "leaseSeconds": 3600 }))).await;
        assert_eq!(page["events"][0]["data"], json!({ "total": 1.50 }), "{page}");
        consumer.delivery_in(&delivered, "delivered").await;
        let (browser, _) = Browser::by_link(gatepost.address(), OPERATOR_TOKEN, &name).await;
        Self { name, consumer, token: user.token, good, good_id, revoked, browser, pulled }
    }

    /// Deliveries that have failed and wait.
    async fn fail(&self, host: Host, receiver: &Receiver) -> Vec<String> {
        let (failing, _) = self.consumer.subscribe(&receiver.url(), &["invoice.*"]).await;
        let mut waiting = Vec::new();
        for number in 0..WAITING {
            let published = host.publish(&self.name, "invoice.sent", json!({ "number": number })).await;
            waiting.push(published["event"]["id"].as_str().unwrap().to_owned());
        }
        let failed = format!("subscriptionId={failing}&state=waiting");
        let has_failed = |delivery: &&Value| delivery["attempts"].as_u64() >= Some(1);
        let count = async || self.consumer.deliveries(&failed).await.iter().filter(has_failed).count();
        until("they have failed", async || count().await == WAITING).await;
        waiting
    }

    /// A delivery that is being sent, with headers of its subscription.
    async fn hang(&self, host: Host, receiver: &Receiver) -> String {
        let hanging = json!({
            "url": receiver.url(), "events": ["refund.*"], "headers": { "x-tenant": self.name },
            "auth": { "type": "header", "name": "x-key", "value": "of the receiver" },
        });
        let (hanging, _) = self.consumer.create(&hanging).await;
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
        for what in ["consumers", "events"] {
            let path = format!("{SUBSCRIPTIONS}/{}/{what}", self.pulled);
            let answer = consumer.get(&path).await;
            assert_ne!(answer[what], json!([]), "{answer}");
            add(&path, answer);
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
        let session = self.browser.clone().send(gatepost.address(), Request::new("GET", "/api/session")).await;
        add("session", session.json());
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
