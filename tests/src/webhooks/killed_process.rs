use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::host::{Consumer, Host, setup, started};
use super::receiver::{Behaviour, Receiver};
use crate::harness::{Gatepost, Storage, eventually, free_address, on_both_databases, until};

on_both_databases!(
    kill_9_loses_no_accepted_event,
    what_was_being_sent_arrives_soon_after_a_kill,
    waiting_events_survive_a_kill_and_arrive,
);

const KILLS: usize = 20;
const PUBLISHERS: usize = 8;
const ACCEPTED_BETWEEN_KILLS: usize = 100;
/// The limit of parallel attempts, and so of repetitions after each kill.
const CONCURRENCY: usize = 16;

/// Kills the process twenty times under load, while the receiver keeps running. Every accepted event arrives. Only
/// events that were being sent when the process died arrive twice.
pub(crate) async fn kill_9_loses_no_accepted_event(storage: Storage) {
    let setup = setup(&storage).await.with("WEBHOOK_CONCURRENCY", &CONCURRENCY.to_string());
    let (mut gatepost, receiver, consumer) = started(setup).await;
    consumer.subscribe(&receiver.url(), &["*"]).await;
    let accepted = Arc::new(Mutex::new(BTreeSet::new()));
    for round in 0..KILLS {
        publish_until_killed(&mut gatepost, round, &accepted).await;
        gatepost.start_again().await;
    }
    let accepted = accepted.lock().unwrap().clone();
    let arrived = eventually_arrived(&receiver, &accepted).await;
    let repeated: usize = arrived.values().map(|times| times - 1).sum();
    assert!(repeated <= KILLS * CONCURRENCY, "{repeated} came again");
    report(format_args!(
        "{KILLS} kills: {} accepted, none lost, {repeated} delivered again, {} delivered whose answer was cut off",
        accepted.len(),
        arrived.keys().filter(|id| !accepted.contains(*id)).count(),
    ));
}

#[expect(clippy::print_stdout, reason = "measurements go to the test's output")]
fn report(text: std::fmt::Arguments<'_>) {
    println!("{text}");
}

/// Publishes over several connections at once, kills the process during that, and records the ids of accepted events.
async fn publish_until_killed(gatepost: &mut Gatepost, round: usize, accepted: &Arc<Mutex<BTreeSet<String>>>) {
    let enough = accepted.lock().unwrap().len() + ACCEPTED_BETWEEN_KILLS;
    let host = Host(gatepost.address());
    let mut publishers = JoinSet::new();
    for publisher in 0..PUBLISHERS {
        let accepted = Arc::clone(accepted);
        publishers.spawn(async move {
            let data = json!({ "round": round, "publisher": publisher });
            let event = json!({ "userId": "alice", "type": "life.goes.on", "data": data });
            while let Ok(response) = host.try_publish(&event).await {
                assert_eq!(response.status, 202, "{}", response.text());
                let id = response.json()["event"]["id"].as_str().unwrap().to_owned();
                accepted.lock().unwrap().insert(id);
            }
        });
    }
    until("enough is accepted", async || accepted.lock().unwrap().len() >= enough).await;
    gatepost.kill().await;
    publishers.join_all().await;
}

/// Waits until every accepted event has arrived, and counts how often each event arrived.
pub(crate) async fn eventually_arrived(receiver: &Receiver, accepted: &BTreeSet<String>) -> BTreeMap<String, usize> {
    eventually("every accepted event arrives", async || {
        let mut arrived = BTreeMap::new();
        for webhook in receiver.received() {
            *arrived.entry(webhook.header("webhook-id").to_owned()).or_insert(0) += 1;
        }
        accepted.iter().all(|id| arrived.contains_key(id)).then_some(arrived)
    })
    .await
}

/// The next process ends the claim of the killed one, which would have lasted a minute. See decision 74.
pub(crate) async fn what_was_being_sent_arrives_soon_after_a_kill(storage: Storage) {
    let (mut gatepost, receiver, consumer) = started(setup(&storage).await).await;
    receiver.behave(Behaviour::Hang);
    consumer.subscribe(&receiver.url(), &["*"]).await;
    Host(gatepost.address()).publish("alice", "order.paid", json!({ "order": 7 })).await;
    receiver.expect(1).await;
    gatepost.kill().await;
    receiver.behave(Behaviour::ok());
    let killed = Instant::now();
    gatepost.start_again().await;
    let webhooks = receiver.expect(2).await;
    assert_eq!(webhooks[0].header("webhook-id"), webhooks[1].header("webhook-id"));
    report(format_args!("what was being sent arrived {} ms after the kill", killed.elapsed().as_millis()));
}

/// An event that was published while the receiver was down arrives even if the process is killed in between.
async fn waiting_events_survive_a_kill_and_arrive(storage: Storage) {
    let setup = setup(&storage).await.with("WEBHOOK_RETRY_SCHEDULE", "3s,3s,3s,3s");
    let mut gatepost = setup.start().await;
    let address = free_address();
    let consumer = Consumer::new(&gatepost, "survivor").await;
    let (subscription, _) = consumer.subscribe(&format!("http://{address}/hook"), &["*"]).await;
    let published = Host(gatepost.address()).publish("survivor", "order.paid", json!({ "order": 7 })).await;
    consumer.delivery_in(&subscription, "waiting").await;
    gatepost.kill().await;
    let receiver = Receiver::start_at(address, Behaviour::ok()).await;
    gatepost.start_again().await;
    let webhook = receiver.expect(1).await.remove(0);
    assert_eq!(webhook.header("webhook-id"), published["event"]["id"].as_str().unwrap());
    let body = webhook.json();
    assert_eq!((&body["type"], &body["data"]), (&json!("order.paid"), &json!({ "order": 7 })));
}
