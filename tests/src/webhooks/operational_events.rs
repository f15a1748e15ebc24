//! Operational events from the outside: the operator and the owners receive theirs, and no others.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::host::{Consumer, Host, SUBSCRIPTIONS, by_host, setup};
use super::receiver::{Behaviour, Received, Receiver};
use super::three_calls::verify;
use crate::harness::{Gatepost, Request, Setup, Storage, eventually, on_both_databases, until};

on_both_databases!(
    the_operator_hears_of_keys_and_subscriptions,
    an_owner_hears_of_its_own_keys,
    nothing_is_lost_or_doubled_by_a_kill,
);

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

async fn with_operator(storage: &Storage, receiver: &Receiver) -> Setup {
    let setup = setup(storage).await.with("API_KEYS_MAX_ACTIVE", "3");
    setup.with("OPERATOR_WEBHOOK_URL", &receiver.url()).with("OPERATOR_WEBHOOK_SECRET", SECRET)
}

/// Waits for each of these: a type, and the id of its target. Returns everything that was received.
async fn told(receiver: &Receiver, expected: &[(&str, &str)]) -> Vec<Value> {
    eventually(&format!("{expected:?} are received"), async || {
        let bodies: Vec<Value> = receiver.received().iter().map(Received::json).collect();
        let is_told = |(kind, target): &(&str, &str)| {
            bodies.iter().any(|body| body["type"] == *kind && body["data"]["target"]["id"] == *target)
        };
        expected.iter().all(is_told).then_some(bodies)
    })
    .await
}

async fn the_operator_hears_of_keys_and_subscriptions(storage: Storage) {
    let receiver = Receiver::start(Behaviour::ok()).await;
    let gatepost = with_operator(&storage, &receiver).await.start().await;
    let alice = gatepost.user("alice");
    let (_, first) = alice.created("first").await;
    let (leaking, second) = alice.created("second").await;
    assert_eq!(alice.revoke(&first).await.status, 200);
    report_leak(&gatepost, &leaking).await;
    let (failing, _gone) = failing_subscription(&gatepost).await;
    let expected: [(&str, &str); 6] = [
        ("gatepost.key.created", &first),
        ("gatepost.key.revoked", &first),
        ("gatepost.key.leaked", &second),
        ("gatepost.subscription.failing", &failing),
        ("gatepost.subscription.recovered", &failing),
        ("gatepost.subscription.disabled", &failing),
    ];
    let bodies = told(&receiver, &expected).await;
    let is_created = |body: &&Value| body["type"] == "gatepost.key.created" && body["data"]["target"]["id"] == *first;
    let created = bodies.iter().find(is_created).expect("it was received");
    assert_eq!((&created["data"]["userId"], &created["data"]["action"]), (&json!("alice"), &json!("key.created")));
    assert_eq!(created["data"]["address"], "127.0.0.1", "the operator sees from where");
    let reason = bodies.iter().find(|body| body["type"] == "gatepost.subscription.failing").expect("it was received");
    let change = json!([{ "field": "health", "before": "healthy", "after": "failing: status" }]);
    assert_eq!(reason["data"]["changes"], change, "{reason}");
    let reached = bodies.iter().filter(|body| body["type"] == "gatepost.key.limit_reached").count();
    assert_eq!(reached, 0, "three keys are allowed");
    for webhook in receiver.received() {
        verify(SECRET, &webhook).expect("the configured secret signs");
    }
}

async fn report_leak(gatepost: &Gatepost, full_key: &str) {
    let report = json!({ "tokens": [full_key] });
    let response = gatepost.send(&by_host("POST", "leaks").json(&report)).await;
    assert_eq!(response.status, 200, "{}", response.text());
}

/// A subscription of bob's that fails five times, is recovered by hand, and then answers 410.
async fn failing_subscription(gatepost: &Gatepost) -> (String, Receiver) {
    let broken = Receiver::start(Behaviour::answer("500 Broken", "", "")).await;
    let bob = Consumer::new(gatepost, "bob").await;
    let (id, _) = bob.subscribe(&broken.url(), &["*"]).await;
    for _ in 0..6 {
        Host(gatepost.address()).publish("bob", "a", Value::Null).await;
    }
    let path = format!("{SUBSCRIPTIONS}/{id}");
    until("the subscription fails", async || bob.get(&path).await["health"]["state"] == "paused").await;
    broken.behave(Behaviour::answer("410 Gone", "", ""));
    let recover = Request::new("POST", &format!("{path}/recover"));
    bob.call(recover.json(&json!({ "since": "2026-01-01T00:00:00Z" }))).await;
    (id, broken)
}

async fn an_owner_hears_of_its_own_keys(storage: Storage) {
    let (receiver, everything) = (Receiver::start(Behaviour::ok()).await, Receiver::start(Behaviour::ok()).await);
    let gatepost = setup(&storage).await.with("API_KEYS_MAX_ACTIVE", "3").start().await;
    let consumer = Consumer::new(&gatepost, "alice").await;
    consumer.subscribe(&everything.url(), &["*"]).await;
    let (_, secret) = consumer.subscribe(&receiver.url(), &["gatepost.key.*"]).await;
    let (alice, bob) = (gatepost.user("alice"), gatepost.user("bob"));
    bob.created("bob's").await;
    let (_, id) = alice.created("hers").await;
    alice.created("the last").await;
    assert_eq!(alice.revoke(&id).await.status, 200);
    told(&receiver, &[("gatepost.key.created", &id), ("gatepost.key.revoked", &id)]).await;
    let is_reached = |webhook: &Received| webhook.json()["type"] == "gatepost.key.limit_reached";
    until("the maximum is received", async || receiver.received().iter().any(is_reached)).await;
    for webhook in receiver.received() {
        verify(&secret, &webhook).expect("the secret of the subscription signs");
        assert_eq!(webhook.json()["data"]["userId"], "alice", "the event is of alice alone");
    }
    let reserved = json!({ "userId": "alice", "type": "gatepost.key.created", "data": {} });
    let refused = Host(gatepost.address()).try_publish(&reserved).await.expect("an answer");
    let problem = refused.json();
    assert_eq!((refused.status, &problem["errors"][0]["field"]), (400, &json!("type")), "{problem}");
    assert!(problem["errors"][0]["detail"].as_str().is_some_and(|text| text.contains("gatepost.")), "{problem}");
    Host(gatepost.address()).publish("alice", "invoice.paid", Value::Null).await;
    everything.expect(1).await;
    assert_eq!(everything.received().len(), 1, "`*` does not ask for events of the service");
}

/// Processes that are killed while keys are created: each creation is received, under one id.
async fn nothing_is_lost_or_doubled_by_a_kill(storage: Storage) {
    let receiver = Receiver::start(Behaviour::ok()).await;
    let setup = with_operator(&storage, &receiver).await.with("API_KEYS_MAX_ACTIVE", "100");
    let mut created = Vec::new();
    for _ in 0..3 {
        let mut gatepost = setup.clone().start().await;
        let alice = gatepost.user("alice");
        for number in 0..6 {
            created.push(alice.created(&format!("key {number}")).await.1);
        }
        gatepost.kill().await;
    }
    let _last = setup.start().await;
    let expected: Vec<(&str, &str)> = created.iter().map(|id| ("gatepost.key.created", id.as_str())).collect();
    told(&receiver, &expected).await;
    for id in &created {
        assert_eq!(ids_about(&receiver, id).len(), 1, "repetitions have one id");
    }
}

/// An announcement has two steps: it is published, and marked as published. A trigger of the database refuses one of
/// them until the process is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_between_the_steps_repeats_an_announcement_under_one_id() {
    const FAILED: &str = "cannot publish operational events";
    let storage = Storage::postgres().await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    let mut gatepost = with_operator(&storage, &receiver).await.start().await;
    let sql = async |sql: &str| storage.execute_in_each(sql).await;
    let mut created = Vec::new();
    for (step, table, accepted) in [("mark", "audit_events", "to_announce"), ("publish", "webhook_events", "FALSE")] {
        // Citus has no triggers.
        sql(&format!("ALTER TABLE {table} ADD CONSTRAINT refusal CHECK ({accepted}) NOT VALID")).await;
        let failed = gatepost.written().matches(FAILED).count();
        created.push(gatepost.user("alice").created(step).await.1);
        until("the step fails", async || gatepost.written().matches(FAILED).count() > failed).await;
        gatepost.kill().await;
        sql(&format!("ALTER TABLE {table} DROP CONSTRAINT refusal")).await;
        gatepost.start_again().await;
        told(&receiver, &[("gatepost.key.created", &created[created.len() - 1])]).await;
    }
    for id in &created {
        assert_eq!(ids_about(&receiver, id).len(), 1, "repetitions have one id");
    }
}

/// The ids of the webhooks about this target.
fn ids_about(receiver: &Receiver, target: &str) -> BTreeSet<String> {
    let about = receiver.received().into_iter().filter(|one| one.json()["data"]["target"]["id"] == *target);
    about.map(|one| one.header("webhook-id").to_owned()).collect()
}
