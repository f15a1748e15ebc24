use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use super::host::{Consumer, Host, SUBSCRIPTIONS, setup};
use super::receiver::{Behaviour, Receiver};
use crate::harness::{Gatepost, Request, Storage, on_both_databases, until};

on_both_databases!(what_an_owner_changes_holds_soon);

/// At eight in four seconds these take 100 s.
const EVENTS: usize = 200;
/// By when a change holds: a second, and some time for a busy test machine. Attempts take longer.
const SOON: Duration = Duration::from_secs(2);
const ANSWER_TIME: Duration = Duration::from_secs(4);

async fn what_an_owner_changes_holds_soon(storage: Storage) {
    let gatepost = setup(&storage).await.with("USER_RATE_LIMIT", "off").start().await;
    let new = Receiver::start(Behaviour::ok()).await;
    let moved = json!({ "url": new.url() });
    tokio::join!(
        holds(&gatepost, "mover", Request::new("PATCH", "").json(&moved)),
        holds(&gatepost, "disabler", Request::new("PATCH", "").json(&json!({ "enabled": false }))),
        holds(&gatepost, "deleter", Request::new("DELETE", "")),
    );
    assert!(!new.received().is_empty(), "what waited goes to the new URL");
}

/// Many deliveries wait for a slow receiver. Soon after the change, no more attempts begin there.
async fn holds(gatepost: &Gatepost, user: &str, mut change: Request) {
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned();
    let slow = Receiver::start(Behaviour::AnswerAfter(ANSWER_TIME, answer)).await;
    let consumer = Consumer::new(gatepost, user).await;
    let (id, _) = consumer.subscribe(&slow.url(), &["*"]).await;
    for _ in 0..EVENTS {
        Host(gatepost.address()).publish(user, "a", Value::Null).await;
    }
    slow.expect(8).await;
    change.path = format!("{SUBSCRIPTIONS}/{id}");
    consumer.call(change).await;
    sleep(SOON).await;
    let begun = slow.received().len();
    assert!((8..EVENTS).contains(&begun), "{user}: {begun} attempts");
    let count = async |state: &str| consumer.deliveries(&format!("state={state}")).await.len();
    until("all deliveries have ended", async || count("waiting").await + count("sending").await == 0).await;
    assert_eq!(slow.received().len(), begun, "{user}: nothing more may begin at the old URL");
}
