//! Events that readers fetch themselves.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::host::{Consumer, SUBSCRIPTIONS, publish_batch, setup};
use super::orders::{CALLS, EVENTS_EACH, publish_in_parallel};
use crate::harness::{Gatepost, Request, Response, Storage, on_both_databases};

on_both_databases!(
    a_reader_passes_over_no_event,
    a_reader_that_waits_gets_an_event_of_any_instance,
    wrong_calls_are_refused_by_name,
);

/// The path of a new pull subscription of the consumer to the type `a`.
pub(crate) async fn subscribed(consumer: &Consumer) -> String {
    let (id, created) = consumer.create(&json!({ "type": "pull", "events": ["a"] })).await;
    let subscription = &created["subscription"];
    assert_eq!((&subscription["type"], &subscription["url"]), (&json!("pull"), &json!("pull:")), "{created}");
    assert_eq!(created.get("secret"), None);
    format!("{SUBSCRIPTIONS}/{id}")
}

pub(crate) async fn receive(consumer: &Consumer, path: &str, wish: Value) -> Response {
    consumer.send(Request::new("POST", &format!("{path}/consumers/billing/receive")).json(&wish)).await
}

async fn commit(consumer: &Consumer, path: &str, received: &Value) {
    let last = received["events"].as_array().and_then(|events| events.last()).expect("events");
    let body = json!({ "lease": received["lease"], "through": last["id"] });
    let commit = Request::new("POST", &format!("{path}/consumers/billing/commit")).json(&body);
    let committed = consumer.send(commit).await;
    assert_eq!(committed.status, 204, "{}", committed.text());
}

fn numbers(received: &Value) -> Vec<usize> {
    let events = received["events"].as_array().expect("events");
    events.iter().filter_map(|one| usize::try_from(one["sequence"].as_u64()?).ok()).collect()
}

/// Instances publish at the same time, and one of them is killed: it is the one that the reader asks, in the middle of a lease.
/// The reader gets each number once, without a gap, and the events of the lease again.
async fn a_reader_passes_over_no_event(storage: Storage) {
    let setup = setup(&storage).await.with("USER_RATE_LIMIT", "off");
    let count = if storage.url().starts_with("sqlite") { 1 } else { 3 };
    let mut instances = setup.start_twins(count).await;
    let consumer = Consumer::new(&instances[0], "alice").await;
    let path = subscribed(&consumer).await;
    let all = count * CALLS * EVENTS_EACH;
    let read = async |consumer: &Consumer, from: usize, to: usize| {
        let mut next = from;
        while next <= to {
            let received = receive(consumer, &path, json!({ "limit": 7, "wait": 30 })).await.json();
            let numbers = numbers(&received);
            let expected: Vec<usize> = (next..next + numbers.len()).collect();
            assert_eq!(numbers, expected, "{received}");
            next += numbers.len();
            commit(consumer, &path, &received).await;
        }
        next
    };
    let ((), next) = tokio::join!(publish_in_parallel(&instances), read(&consumer, 1, all));
    assert_eq!(next, all + 1);

    publish_batch(&instances[0], "a", 5).await;
    let leased = receive(&consumer, &path, json!({ "limit": 3, "leaseSeconds": 1 })).await.json();
    assert_eq!(numbers(&leased), [next, next + 1, next + 2]);
    instances[0].kill().await;
    let successor = setup.twin().start().await;
    let consumer = consumer.at(successor.address());
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let again = receive(&consumer, &path, json!({ "limit": 500 })).await;
        if again.status == 200 {
            let again = again.json();
            assert_eq!(numbers(&again), (next..next + 5).collect::<Vec<_>>(), "{again}");
            commit(&consumer, &path, &again).await;
            break;
        }
        assert_eq!(again.json()["code"], "consumer_leased", "{}", again.text());
        assert!(Instant::now() < deadline, "the lease must end");
    }
    let consumers = consumer.get(&format!("{path}/consumers")).await;
    assert_eq!(consumers, json!({ "consumers": [{ "name": "billing", "lag": 0 }] }));
    let mut cursor = String::new();
    let mut read = Vec::new();
    while read.len() < next + 4 {
        let page = consumer.get(&format!("{path}/events?limit=50{cursor}")).await;
        read.extend(numbers(&page));
        cursor = format!("&cursor={}", page["cursor"].as_str().expect("a cursor"));
    }
    assert_eq!(read, (1..next + 5).collect::<Vec<_>>());
}

async fn a_reader_that_waits_gets_an_event_of_any_instance(storage: Storage) {
    let setup = setup(&storage).await;
    let gatepost = setup.twin().start().await;
    let other = if storage.url().starts_with("sqlite") { None } else { Some(setup.twin().start().await) };
    let consumer = Consumer::new(&gatepost, "alice").await;
    let path = subscribed(&consumer).await;
    for publisher in [Some(&gatepost), other.as_ref()].into_iter().flatten() {
        let waiting = receive(&consumer, &path, json!({ "wait": 30 }));
        let publishing = async {
            // The reader waits when the consumer is listed.
            while consumer.get(&format!("{path}/consumers")).await["consumers"] == json!([]) {}
            let published = Instant::now();
            publish_batch(publisher, "a", 1).await;
            published
        };
        let (received, published) = tokio::join!(waiting, publishing);
        let received = received.json();
        assert_eq!(numbers(&received).len(), 1, "{received}");
        assert!(published.elapsed() < Duration::from_secs(20), "it must not wait for the end");
        commit(&consumer, &path, &received).await;
    }
    // Longer than other calls may take, and than a connection waits for its client.
    let (began, wait) = (Instant::now(), Duration::from_secs(17));
    let nothing = receive(&consumer, &path, json!({ "wait": wait.as_secs() })).await.json();
    assert_eq!(nothing, json!({ "events": [] }));
    assert!(began.elapsed() >= wait);
}

async fn wrong_calls_are_refused_by_name(storage: Storage) {
    let gatepost = setup(&storage).await.start().await;
    let consumer = Consumer::new(&gatepost, "alice").await;
    let path = subscribed(&consumer).await;
    let other = subscribed(&consumer).await;
    for (wish, field) in [
        (json!({ "type": "pull", "events": ["a"], "url": "https://example.com/" }), "url"),
        (json!({ "type": "pull", "events": ["a"], "headers": { "x-a": "b" } }), "headers"),
        (json!({ "type": "pull", "events": ["a"], "ordering": "subscription" }), "ordering"),
        (json!({ "type": "push", "events": ["a"] }), "type"),
        (json!({ "type": "pull" }), "events"),
        (json!({ "events": ["a"] }), "url"),
    ] {
        let refused = consumer.send(Request::new("POST", SUBSCRIPTIONS).json(&wish)).await;
        assert_eq!((refused.status, &refused.json()["errors"][0]["field"]), (400, &json!(field)), "{wish}");
    }
    for (field, value) in [
        ("url", json!("http://127.0.0.1:1024/")),
        ("headers", json!({ "x-a": "b" })),
        ("auth", json!({ "type": "bearer", "token": "t" })),
        ("maxPerSecond", json!(1)),
        ("onExhausted", json!("stop")),
    ] {
        let refused = consumer.send(Request::new("PATCH", &path).json(&json!({ field: value }))).await;
        assert_eq!((refused.status, &refused.json()["errors"][0]["field"]), (400, &json!(field)), "{value}");
    }

    publish_batch(&gatepost, "a", 2).await;
    let received = receive(&consumer, &path, json!({ "limit": 1 })).await.json();
    let (lease, event) = (received["lease"].as_str().unwrap(), received["events"][0]["id"].as_str().unwrap());
    let lost = "lease_0000000000000000";
    let seek = format!("{path}/consumers/billing/seek");
    for (call, body, answer) in [
        ("receive", json!({ "limit": 501 }), (400, "limit")),
        ("receive", json!({ "wait": 31 }), (400, "wait")),
        ("receive", json!({ "leaseSeconds": 0 }), (400, "leaseSeconds")),
        ("receive", json!({}), (409, "consumer_leased")),
        ("commit", json!({ "lease": "x", "through": event }), (400, "lease")),
        ("commit", json!({ "lease": lost, "through": event }), (409, "lease_lost")),
        ("commit", json!({ "lease": lease, "through": "evt_01h455vb4pex5vsknk084sn02q" }), (400, "through")),
        ("seek", json!({ "to": "yesterday" }), (400, "to")),
    ] {
        let refused =
            consumer.send(Request::new("POST", &format!("{path}/consumers/billing/{call}")).json(&body)).await;
        let problem = refused.json();
        let what = if answer.0 == 400 { &problem["errors"][0]["field"] } else { &problem["code"] };
        assert_eq!((refused.status, what), (answer.0, &json!(answer.1)), "{call} {body}");
    }
    let bad = consumer.send(Request::new("POST", &format!("{path}/consumers/a%20b/receive")).json(&json!({}))).await;
    assert_eq!((bad.status, &bad.json()["errors"][0]["field"]), (400, &json!("consumer")));
    let page = consumer.get(&format!("{path}/events")).await;
    let cursor = page["cursor"].as_str().unwrap();
    let foreign = consumer.send(Request::new("GET", &format!("{other}/events?cursor={cursor}"))).await;
    assert_eq!((foreign.status, &foreign.json()["errors"][0]["field"]), (400, &json!("cursor")));
    assert_eq!(consumer.send(Request::new("POST", &seek).json(&json!({ "to": "end" }))).await.status, 204);
    let late = json!({ "lease": lease, "through": event });
    let late = consumer.send(Request::new("POST", &format!("{path}/consumers/billing/commit")).json(&late)).await;
    assert_eq!(late.json()["code"], "lease_lost", "a seek ends the lease");
    for (call, body) in
        [("test", json!({})), ("rotate-secret", json!({})), ("recover", json!({ "since": "2026-01-01T00:00:00Z" }))]
    {
        let refused = consumer.send(Request::new("POST", &format!("{path}/{call}")).json(&body)).await;
        assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("subscription_pulled")), "{call}");
    }
    let (plain, _) = consumer.subscribe("http://127.0.0.1:1024/", &["b"]).await;
    let plain = receive(&consumer, &format!("{SUBSCRIPTIONS}/{plain}"), json!({})).await;
    assert_eq!((plain.status, &plain.json()["code"]), (404, &json!("subscription_not_found")));
    scopes_are_checked(&gatepost, &path).await;
}

async fn scopes_are_checked(gatepost: &Gatepost, path: &str) {
    let user = gatepost.user("alice");
    for (scope, receives, creates) in
        [("webhooks:consume", 200, 403), ("webhooks:read", 403, 403), ("webhooks:write", 200, 200)]
    {
        let key = json!({ "label": scope, "scopes": [scope] });
        let key = gatepost.send(&Request::new("POST", "/api/api-keys").bearer(&user.token).json(&key)).await.json();
        let send = async |path: &str, body: Value| {
            let request = Request::new("POST", path).header("x-api-key", key["key"].as_str().unwrap()).json(&body);
            gatepost.send(&request).await.status
        };
        let receive = format!("{path}/consumers/{}/receive", scope.replace(':', "-"));
        assert_eq!(send(&receive, json!({})).await, receives, "{scope}");
        assert_eq!(send(SUBSCRIPTIONS, json!({ "type": "pull", "events": ["a"] })).await, creates, "{scope}");
    }
}
