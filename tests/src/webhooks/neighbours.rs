use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::host::{Consumer, Host, setup};
use super::receiver::{Behaviour, Receiver};
use crate::harness::{Storage, on_both_databases};

on_both_databases!(slow_receivers_of_others_delay_no_event);

/// More than the attempts that the instance may make at a time.
const SLOW: usize = 120;
const EVENTS: usize = 10;
/// The time after which an attempt at a slow receiver ends.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Far less than the timeout, and far more than a busy test machine needs.
const SOON: Duration = Duration::from_secs(10);

async fn slow_receivers_of_others_delay_no_event(storage: Storage) {
    let setup = setup(&storage).await.with("WEBHOOK_CONCURRENCY", "64").with("USER_RATE_LIMIT", "off");
    let setup = setup.with("WEBHOOK_TIMEOUT_SECONDS", &TIMEOUT.as_secs().to_string());
    let gatepost = setup.with("WEBHOOK_MAX_SUBSCRIPTIONS", "1000").start().await;
    let host = Host(gatepost.address());
    let slow = Receiver::start(Behaviour::Hang).await;
    for (user, subscriptions) in [("greedy", SLOW), ("slow", 10)] {
        let consumer = Consumer::new(&gatepost, user).await;
        for _ in 0..subscriptions {
            consumer.subscribe(&slow.url(), &["*"]).await;
        }
    }
    let first = Instant::now();
    for user in ["greedy", "slow"] {
        host.publish(user, "a", Value::Null).await;
    }
    // Three quarters of the places.
    slow.expect(48).await;

    let receiver = Receiver::start(Behaviour::ok()).await;
    Consumer::new(&gatepost, "alice").await.subscribe(&receiver.url(), &["*"]).await;
    for count in 1..=EVENTS {
        let published = Instant::now();
        host.publish("alice", "a", Value::Null).await;
        receiver.expect(count).await;
        let waited = published.elapsed();
        assert!(waited < SOON, "event {count} of {EVENTS} came after {waited:?}");
    }
    let begun = slow.received().len();
    assert!(begun <= 64 || first.elapsed() > TIMEOUT, "none of {begun} has ended, so the instance was full");
}
