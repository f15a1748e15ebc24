//! Signatures as the reference library of Standard Webhooks computes them. The library's `verify` reads the wall clock, so
//! the test computes the signature with the library and compares.

use domain::ports::WebhookSender as _;
use standardwebhooks::Webhook;

use crate::exchange::{BODY, EVENT, SECRET, Sending, attempt, now};
use crate::receiver::{Received, Receiver};

async fn received(secrets: &[&str]) -> Received {
    let receiver = Receiver::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
    Sending::default().sender().send(attempt(&receiver.url(), secrets)).await;
    receiver.requests().remove(0)
}

fn expected(webhook: &Webhook) -> String {
    webhook.sign(&EVENT.to_string(), now().unix_millis() / 1_000, BODY).unwrap()
}

#[tokio::test]
async fn the_reference_library_agrees() {
    let request = received(&[SECRET]).await;
    assert_eq!(request.header("webhook-signature"), Some(expected(&Webhook::new(SECRET).unwrap()).as_str()));
}

#[tokio::test]
async fn a_secret_without_prefix_is_its_own_bytes() {
    let request = received(&["correct horse battery staple"]).await;
    let webhook = Webhook::from_bytes(b"correct horse battery staple".to_vec()).unwrap();
    assert_eq!(request.header("webhook-signature"), Some(expected(&webhook).as_str()));
}

#[tokio::test]
async fn each_secret_of_a_rotation_signs() {
    let request = received(&["new secret", SECRET]).await;
    let new = Webhook::from_bytes(b"new secret".to_vec()).unwrap();
    let both = format!("{} {}", expected(&new), expected(&Webhook::new(SECRET).unwrap()));
    assert_eq!(request.header("webhook-signature"), Some(both.as_str()));
}
