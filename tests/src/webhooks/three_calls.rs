use serde_json::{Value, json};
use standardwebhooks::Webhook;

use super::host::{Consumer, Host, SUBSCRIPTIONS, setup, started};
use super::receiver::{Behaviour, Received, Receiver};
use crate::harness::{Request, Storage, on_both_databases};

on_both_databases!(
    a_subscribed_receiver_gets_the_signed_event,
    only_matching_subscriptions_get_the_event,
    a_secret_that_the_consumer_chose_signs,
    both_secrets_sign_while_a_rotation_overlaps,
);

/// Verifies a webhook with the reference library of Standard Webhooks.
pub(crate) fn verify(secret: &str, webhook: &Received) -> Result<(), standardwebhooks::WebhookError> {
    let mut headers = http::HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, webhook.header(name).parse().unwrap());
    }
    Webhook::new(secret)?.verify(&webhook.body, &headers)
}

pub(crate) async fn a_subscribed_receiver_gets_the_signed_event(storage: Storage) {
    let (gatepost, receiver, consumer) = started(setup(&storage).await).await;
    let (subscription, secret) = consumer.subscribe(&receiver.url(), &["invoice.*"]).await;
    let published = Host(gatepost.address()).publish("alice", "invoice.paid", json!({ "z": 1, "a": 2.50 })).await;
    assert_eq!(published["deliveries"], 1, "{published}");

    let webhook = receiver.expect(1).await.remove(0);
    assert_eq!((webhook.path.as_str(), webhook.header("content-type")), ("/hook", "application/json"));
    assert!(webhook.header("user-agent").starts_with("Gatepost/"));
    assert_eq!(webhook.header("webhook-id"), published["event"]["id"].as_str().unwrap());
    verify(&secret, &webhook).expect("the reference library verifies the webhook");
    let body = webhook.json();
    assert_eq!((&body["type"], &body["timestamp"]), (&json!("invoice.paid"), &published["event"]["createdAt"]));
    let text = String::from_utf8(webhook.body).unwrap();
    assert!(text.ends_with(r#""data":{"z":1,"a":2.5}}"#) || text.ends_with(r#""data":{"a":2.5,"z":1}}"#), "{text}");

    let detail = consumer.delivery_in(&subscription, "delivered").await;
    assert_eq!(detail["event"]["id"], published["event"]["id"]);
    assert_eq!(detail["attempts"][0]["response"], "thanks", "{detail}");
}

async fn only_matching_subscriptions_get_the_event(storage: Storage) {
    let gatepost = setup(&storage).await.start().await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    let (alice, bob) = (Consumer::new(&gatepost, "alice").await, Consumer::new(&gatepost, "bob").await);
    let url = |path: &str| format!("http://{}{path}", receiver.address());
    alice.subscribe(&url("/all"), &["*"]).await;
    alice.subscribe(&url("/invoices"), &["invoice.*"]).await;
    alice.subscribe(&url("/paid"), &["invoice.paid", "order.paid"]).await;
    alice.subscribe(&url("/orders"), &["order.*"]).await;
    bob.subscribe(&url("/bob"), &["*"]).await;
    let published = Host(gatepost.address()).publish("alice", "invoice.paid", Value::Null).await;
    assert_eq!(published["deliveries"], 3, "{published}");
    let bobs = Host(gatepost.address()).publish("bob", "other", Value::Null).await;
    assert_eq!(bobs["deliveries"], 1, "{bobs}");
    let mut paths: Vec<String> = receiver.expect(4).await.into_iter().map(|webhook| webhook.path).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/all", "/bob", "/invoices", "/paid"]);
}

async fn a_secret_that_the_consumer_chose_signs(storage: Storage) {
    let (gatepost, receiver, consumer) = started(setup(&storage).await).await;
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let body = json!({ "url": receiver.url(), "events": ["*"], "secret": secret });
    let (_, answer) = consumer.create(&body).await;
    assert_eq!(answer.get("secret"), None, "the answer does not repeat the secret: {answer}");
    Host(gatepost.address()).publish("alice", "a", Value::Null).await;
    verify(secret, &receiver.expect(1).await[0]).expect("the reference library verifies the webhook");
}

async fn both_secrets_sign_while_a_rotation_overlaps(storage: Storage) {
    let (gatepost, receiver, consumer) = started(setup(&storage).await).await;
    let (id, old) = consumer.subscribe(&receiver.url(), &["*"]).await;
    let rotate = format!("{SUBSCRIPTIONS}/{id}/rotate-secret");
    let host = Host(gatepost.address());
    let rotated = consumer.call(Request::new("POST", &rotate).json(&json!({}))).await;
    let new = rotated["secret"].as_str().expect("a secret that the service made is shown once").to_owned();
    host.publish("alice", "a", Value::Null).await;
    let webhook = receiver.expect(1).await.remove(0);
    verify(&old, &webhook).expect("the old secret signs until the overlap ends");
    verify(&new, &webhook).expect("the new secret signs");
    let at_once = consumer.call(Request::new("POST", &rotate).json(&json!({ "overlapSeconds": 0 }))).await;
    host.publish("alice", "b", Value::Null).await;
    let webhook = receiver.expect(2).await.remove(1);
    verify(at_once["secret"].as_str().unwrap(), &webhook).expect("the newest signs");
    assert!(verify(&new, &webhook).is_err(), "without an overlap the secret before it does not sign");
}
