use std::collections::BTreeSet;
use std::time::Duration;

use domain::Timestamp;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::host::{Consumer, SUBSCRIPTIONS, publish_batch, setup, started};
use super::receiver::{Behaviour, Receiver};
use crate::harness::{Request, Storage, eventually, on_both_databases};

on_both_databases!(receivers_get_no_more_than_their_rate, a_rate_changes_and_ends);

const SLOW: f64 = 2.0;
const QUICK: f64 = 40.0;
/// At the slow rate these take 20 s.
const EVENTS: usize = 40;
const QUICK_EVENTS: usize = 200;

/// Three instances on Postgres, of which one is killed, keep the rates of two subscriptions together. A subscription
/// without a rate waits for nothing.
async fn receivers_get_no_more_than_their_rate(storage: Storage) {
    let setup = setup(&storage).await.with("USER_RATE_LIMIT", "off");
    let count = if storage.url().starts_with("sqlite") { 1 } else { 3 };
    let mut instances = setup.start_twins(count).await;
    let receivers = [Receiver::start(Behaviour::ok()).await, Receiver::start(Behaviour::ok()).await];
    let free = Receiver::start(Behaviour::ok()).await;
    let consumer = Consumer::new(&instances[0], "alice").await;
    let mut ids = Vec::new();
    for (receiver, events, rate) in [(&receivers[0], "slow", SLOW), (&receivers[1], "quick", QUICK)] {
        ids.push(subscribe(&consumer, &receiver.url(), events, rate).await);
    }
    consumer.subscribe(&free.url(), &["slow", "quick"]).await;
    for (number, instance) in instances.iter().enumerate() {
        let part = |all: usize| all / count + usize::from(number < all % count);
        publish_batch(instance, "slow", part(EVENTS)).await;
        publish_batch(instance, "quick", part(QUICK_EVENTS)).await;
    }
    free.expect(EVENTS + QUICK_EVENTS).await;
    assert!(receivers[0].received().len() < EVENTS, "all come without a rate before the slow ones");
    if count > 1 {
        instances[0].kill().await;
    }
    let consumer = consumer.at(instances[count - 1].address());
    let events = || receivers[0].received().iter().map(|one| one.header("webhook-id").to_owned()).collect();
    let all = async || Some(events()).filter(|events: &BTreeSet<_>| events.len() == EVENTS);
    eventually("each event comes, also what the killed instance had", all).await;
    check(&mut starts(&consumer, &ids[0], EVENTS).await, SLOW);
    check(&mut starts(&consumer, &ids[1], QUICK_EVENTS).await, QUICK);
}

async fn subscribe(consumer: &Consumer, url: &str, event: &str, rate: f64) -> String {
    let body = json!({ "url": url, "events": [event], "maxPerSecond": rate });
    let (id, created) = consumer.create(&body).await;
    assert_eq!(created["subscription"]["maxPerSecond"], json!(rate));
    id
}

/// When the last attempts of this number of deliveries began, in Unix milliseconds, after all have ended. A receiver on a busy
/// machine reads a webhook later.
async fn starts(consumer: &Consumer, subscription: &str, count: usize) -> Vec<i64> {
    let query = format!("subscriptionId={subscription}&state=delivered&limit=200");
    let all = async || Some(consumer.deliveries(&query).await).filter(|found| found.len() == count);
    let deliveries = eventually("all are delivered", all).await;
    let start = |delivery: &Value| Timestamp::parse_rfc3339(delivery["lastAttempt"]["startedAt"].as_str()?);
    deliveries.iter().map(|delivery| start(delivery).expect("a time").unix_millis()).collect()
}

/// Panics if a second has more than the promise.
fn check(millis: &mut [i64], rate: f64) {
    millis.sort_unstable();
    for first in &*millis {
        let second = millis.iter().filter(|millis| (*first..first + 1_000).contains(millis)).count();
        assert!(f64::from(u32::try_from(second).unwrap()) <= 1.1 * rate + 1.0, "{second} at {rate}: {millis:?}");
    }
}

/// At five in a second these take a minute.
const ALL: usize = 300;

/// A new rate holds from the next delivery, and without a rate all deliveries leave at once.
async fn a_rate_changes_and_ends(storage: Storage) {
    let (gatepost, receiver, consumer) = started(setup(&storage).await).await;
    let id = subscribe(&consumer, &receiver.url(), "a", 0.1).await;
    publish_batch(&gatepost, "a", ALL).await;
    receiver.expect(1).await;
    let changed = async |rate: Value| {
        let body = json!({ "maxPerSecond": rate });
        consumer.call(Request::new("PATCH", &format!("{SUBSCRIPTIONS}/{id}")).json(&body)).await["subscription"].clone()
    };
    let begun = Instant::now();
    assert_eq!(changed(json!(5)).await["maxPerSecond"], json!(5.0));
    receiver.expect(6).await;
    let elapsed = begun.elapsed();
    assert!(elapsed < Duration::from_secs(20), "five at the old rate would take fifty seconds, not {elapsed:?}");
    assert!(receiver.received().len() < ALL / 2, "half of them take thirty seconds");
    assert!(changed(Value::Null).await.get("maxPerSecond").is_none());
    let ended = Instant::now();
    receiver.expect(ALL).await;
    assert!(ended.elapsed() < Duration::from_secs(25), "{:?} without a rate", ended.elapsed());
}
