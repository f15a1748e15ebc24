//! Webhooks that are signed by key pairs, as receivers verify them with the public keys that the service shows.

use std::time::SystemTime;

use gatepost_client::webhooks::{Headers, PublicKey, Refused, SigningSecret};
use serde_json::{Value, json};

use super::host::{Consumer, Host, SUBSCRIPTIONS, setup, started};
use super::receiver::Received;
use crate::harness::{Gatepost, Request, Storage, on_both_databases};

/// The events that are published during each rotation, and after it.
const EVENTS: usize = 8;

on_both_databases!(no_webhook_fails_to_verify_during_rotations, a_subscription_changes_from_secrets_to_keys,);

/// A receiver has kept the key set from before a rotation, and another one reads it afterwards: both verify every webhook
/// that is sent while the rotation runs and while its overlap lasts.
async fn no_webhook_fails_to_verify_during_rotations(storage: Storage) {
    let (gatepost, receiver, consumer) = started(setup(&storage).await).await;
    let (id, _) = consumer.create(&json!({ "url": receiver.url(), "events": ["*"], "signing": "ed25519" })).await;
    for round in 0..3 {
        let kept = key_set(&gatepost, &id).await;
        let with_overlap = json!({ "overlapSeconds": 3600 });
        let (rotated, ()) = tokio::join!(rotate(&consumer, &id, &with_overlap), publish(&gatepost));
        let current = key_set(&gatepost, &id).await;
        assert_eq!((current.len(), current[1]), (2, kept[0]), "the new key, and the old one");
        assert_eq!(public_keys(&rotated), current, "the answer has the same keys");
        receiver.expect((2 * round + 1) * EVENTS).await;
        publish(&gatepost).await;
        let webhooks = receiver.expect(2 * (round + 1) * EVENTS).await.split_off(2 * round * EVENTS);
        for webhook in &webhooks {
            assert_eq!(verified(&kept, webhook), Ok(()), "with the keys from before the rotation");
            assert_eq!(verified(&current, webhook), Ok(()), "with the keys from after the rotation");
        }
        for webhook in &webhooks[EVENTS..] {
            assert_eq!(webhook.header("webhook-signature").matches("v1a,").count(), 2);
            let mut changed = webhook.clone();
            changed.body.push(b' ');
            assert_eq!(verified(&current, &changed), Err(Refused::WrongSignature));
        }
        // Ends the overlap, so that the next rotation may have one.
        rotate(&consumer, &id, &json!({ "overlapSeconds": 0 })).await;
        assert_eq!(key_set(&gatepost, &id).await.len(), 1);
    }
}

/// A receiver that has a secret learns the public key during the overlap, and forgets the secret afterwards.
async fn a_subscription_changes_from_secrets_to_keys(storage: Storage) {
    let (gatepost, receiver, consumer) = started(setup(&storage).await).await;
    let (id, secret) = consumer.subscribe(&receiver.url(), &["*"]).await;
    let secret = SigningSecret::parse(&secret).unwrap();
    let rotated = rotate(&consumer, &id, &json!({ "signing": "ed25519" })).await;
    assert_eq!((&rotated["secret"], &rotated["subscription"]["signing"]), (&Value::Null, &json!("ed25519")));
    let keys = key_set(&gatepost, &id).await;
    publish(&gatepost).await;
    for webhook in receiver.expect(EVENTS).await {
        assert_eq!((verified(&keys, &webhook), by_secret(&secret, &webhook)), (Ok(()), Ok(())));
    }
    rotate(&consumer, &id, &json!({ "overlapSeconds": 0 })).await;
    let keys = key_set(&gatepost, &id).await;
    publish(&gatepost).await;
    for webhook in receiver.expect(2 * EVENTS).await.split_off(EVENTS) {
        assert_eq!(verified(&keys, &webhook), Ok(()));
        assert_eq!(by_secret(&secret, &webhook), Err(Refused::WrongSignature), "the secret signs no more");
    }
    let (_, created) = consumer.create(&json!({ "url": receiver.url(), "events": ["*"], "signing": "both" })).await;
    let secret = SigningSecret::parse(created["secret"].as_str().unwrap()).unwrap();
    publish(&gatepost).await;
    let webhooks = receiver.expect(4 * EVENTS).await.split_off(2 * EVENTS);
    let both = webhooks.iter().filter(|webhook| by_secret(&secret, webhook).is_ok());
    let both: Vec<&str> = both.map(|webhook| webhook.header("webhook-signature")).collect();
    assert_eq!(both.len(), EVENTS);
    assert!(both.iter().all(|text| text.starts_with("v1,") && text.contains(" v1a,")), "{both:?}");
}

async fn rotate(consumer: &Consumer, id: &str, body: &Value) -> Value {
    consumer.call(Request::new("POST", &format!("{SUBSCRIPTIONS}/{id}/rotate-secret")).json(body)).await
}

async fn publish(gatepost: &Gatepost) {
    for number in 0..EVENTS {
        Host(gatepost.address()).publish("alice", "a", json!({ "number": number })).await;
    }
}

/// The public keys of the subscription, read without a credential.
pub(super) async fn key_set(gatepost: &Gatepost, id: &str) -> Vec<PublicKey> {
    let request = Request::new("GET", &format!("/.well-known/webhooks/{id}/jwks.json"));
    let answer = gatepost.send(&request).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    PublicKey::of_jwks(&answer.json())
}

#[expect(clippy::disallowed_methods, reason = "the clock of the receiver")]
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

fn public_keys(answer: &Value) -> Vec<PublicKey> {
    let keys = answer["subscription"]["publicKeys"].as_array().unwrap();
    keys.iter().map(|key| PublicKey::parse(key.as_str().unwrap()).unwrap()).collect()
}

/// Whether one of the keys verifies.
pub(super) fn verified(keys: &[PublicKey], webhook: &Received) -> Result<(), Refused> {
    let headers = Headers::read(|name| Some(webhook.header(name))).unwrap();
    let verdicts = keys.iter().map(|key| key.verify(&headers, &webhook.body, now()));
    verdicts.reduce(Result::or).unwrap()
}

fn by_secret(secret: &SigningSecret, webhook: &Received) -> Result<(), Refused> {
    let headers = Headers::read(|name| Some(webhook.header(name))).unwrap();
    secret.verify(&headers, &webhook.body, now())
}
