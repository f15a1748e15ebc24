use serde_json::json;

use super::host::{Consumer, SUBSCRIPTIONS, publish_batch, setup};
use super::receiver::{Behaviour, Receiver};
use crate::harness::{Gatepost, Request, Storage, eventually, on_both_databases};

on_both_databases!(receivers_get_the_order_of_publication, an_order_stops_and_is_recovered);

pub(super) const CALLS: usize = 20;
pub(super) const EVENTS_EACH: usize = 3;

/// Three instances on Postgres publish at the same time, the receiver fails for a while, and one instance is killed. The
/// receiver gets the first attempts in the order of the numbers, and each failed one again before the next.
async fn receivers_get_the_order_of_publication(storage: Storage) {
    let schedule = format!("{}1h", "1s,".repeat(10));
    let setup = setup(&storage).await.with("USER_RATE_LIMIT", "off").with("WEBHOOK_RETRY_SCHEDULE", &schedule);
    let count = if storage.url().starts_with("sqlite") { 1 } else { 3 };
    let mut instances = setup.start_twins(count).await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    let consumer = Consumer::new(&instances[0], "alice").await;
    subscribe(&consumer, &receiver.url(), "skip").await;
    publish_in_parallel(&instances).await;
    receiver.expect(5).await;
    receiver.behave(Behaviour::answer("500 Oops", "", ""));
    let failing = receiver.received().len() + 1;
    // On a busy machine, the others may have been delivered before the receiver fails.
    publish_batch(&instances[0], "a", EVENTS_EACH).await;
    receiver.expect(failing).await;
    receiver.behave(Behaviour::ok());
    let published = count * CALLS * EVENTS_EACH;
    let first = published + EVENTS_EACH;
    let numbers = numbers_when(&receiver, first).await;
    assert!(numbers.is_sorted(), "each attempt that fails is repeated before the next delivery: {numbers:?}");

    publish_in_parallel(&instances).await;
    receiver.expect(numbers.len() + 5).await;
    instances[0].kill().await;
    let _successor = setup.twin().start().await;
    let numbers = numbers_when(&receiver, first + published).await;
    let mut highest = 0;
    for number in numbers {
        assert!(number <= highest + 1, "{number} comes before {}", highest + 1);
        highest = highest.max(number);
    }
}

async fn subscribe(consumer: &Consumer, url: &str, on_exhausted: &str) -> String {
    let body = json!({ "url": url, "events": ["a"], "ordering": "subscription", "onExhausted": on_exhausted });
    let (id, created) = consumer.create(&body).await;
    assert_eq!(created["subscription"]["onExhausted"], json!(on_exhausted));
    id
}

/// Publishes at all instances at the same time.
pub(super) async fn publish_in_parallel(instances: &[Gatepost]) {
    futures_util::future::join_all(instances.iter().map(async |instance| {
        for _ in 0..CALLS {
            publish_batch(instance, "a", EVENTS_EACH).await;
        }
    }))
    .await;
}

fn numbers(receiver: &Receiver) -> Vec<usize> {
    let number = |text: &str| text.parse().expect("a number");
    receiver.received().iter().map(|one| number(one.header("webhook-sequence"))).collect()
}

/// The numbers in the order of their arrival, when this one has come.
async fn numbers_when(receiver: &Receiver, last: usize) -> Vec<usize> {
    eventually("every number comes", async || Some(numbers(receiver)).filter(|numbers| numbers.contains(&last))).await
}

/// When the attempts of a delivery are used up, the subscription is disabled with its reason. A recovery brings back the
/// deliveries in their old order, and then those that it missed.
async fn an_order_stops_and_is_recovered(storage: Storage) {
    let setup = setup(&storage).await.with("USER_RATE_LIMIT", "off").with("WEBHOOK_RETRY_SCHEDULE", "1s");
    let gatepost = setup.start().await;
    let receiver = Receiver::start(Behaviour::answer("500 Oops", "", "")).await;
    let consumer = Consumer::new(&gatepost, "alice").await;
    let id = subscribe(&consumer, &receiver.url(), "stop").await;
    let path = format!("{SUBSCRIPTIONS}/{id}");
    publish_batch(&gatepost, "a", 3).await;
    let stopped = async || {
        let subscription = consumer.get(&path).await["subscription"].clone();
        Some(subscription).filter(|one| one["enabled"] == json!(false))
    };
    let subscription = eventually("the subscription is disabled", stopped).await;
    assert_eq!(subscription["disabledReason"], json!("order_stopped"));
    assert_eq!(numbers(&receiver), [1, 1], "2 and 3 are not attempted");
    publish_batch(&gatepost, "a", 1).await;
    receiver.behave(Behaviour::ok());
    let ended = async || Some(consumer.deliveries("state=failed").await).filter(|found| found.len() == 3);
    eventually("all deliveries end", ended).await;
    let recover = Request::new("POST", &format!("{path}/recover"));
    let recovered = consumer.call(recover.json(&json!({ "since": "2026-01-01T00:00:00Z" }))).await;
    assert_eq!(recovered["deliveries"], json!(4), "{recovered}");
    receiver.expect(6).await;
    assert_eq!(numbers(&receiver)[2..], [4, 5, 6, 7]);
    let events: Vec<String> = receiver.received()[1..].iter().map(|one| one.header("webhook-id").to_owned()).collect();
    assert_eq!(events[0], events[1], "the first one comes again, and the others follow");
}
