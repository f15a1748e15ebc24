//! Receivers that ask for a client certificate.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use domain::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::host::{Consumer, Host, SUBSCRIPTIONS, setup, started};
use super::tls_receiver::TlsReceiver;
use crate::console::hexadecimal;
use crate::harness::{Request, Setup, Storage, eventually, on_both_databases, until};

on_both_databases!(each_subscription_has_its_own_client_certificate, a_certificate_that_expires_soon_is_announced,);

const DAY: Duration = Duration::from_hours(24);

fn now() -> Timestamp {
    let since = super::signatures::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp::from_unix_millis(0).unwrap().plus(since)
}

async fn trusting(storage: &Storage, receiver: &TlsReceiver, folder: &tempfile::TempDir) -> Setup {
    setup(storage).await.with("SSL_CERT_FILE", receiver.authority_file(folder.path()).to_str().unwrap())
}

async fn each_subscription_has_its_own_client_certificate(storage: Storage) {
    let (receiver, folder) = (TlsReceiver::requiring_certificates().await, tempfile::tempdir().unwrap());
    let gatepost = trusting(&storage, &receiver, &folder).await.start().await;
    let consumer = Consumer::new(&gatepost, "alice").await;
    let clients = [receiver.client(now().plus(DAY * 90)), receiver.client(now().plus(DAY * 90))];
    let mut ids = Vec::new();
    for client in &clients {
        let wish = json!({ "url": receiver.url(), "events": ["*"], "clientCertificate": client.wish() });
        let (id, created) = consumer.create(&wish).await;
        let shown = &created["subscription"]["clientCertificate"];
        assert_eq!(shown["fingerprint"], hexadecimal(&Sha256::digest(&client.certificate)), "{created}");
        assert!(shown["subject"].is_string() && shown["expiresAt"].is_string() && shown["setAt"].is_string());
        ids.push(id);
    }
    let (without, _) = consumer.subscribe(&receiver.url(), &["*"]).await;
    let host = Host(gatepost.address());
    for served in [2, 4] {
        host.publish("alice", "a", Value::Null).await;
        until("both are delivered", async || receiver.served() == served).await;
    }
    let seen = receiver.clients();
    for client in &clients {
        assert_eq!(seen.iter().filter(|seen| **seen == client.certificate).count(), 2);
    }
    let failed = async || consumer.deliveries(&format!("subscriptionId={without}")).await.into_iter().next();
    let errors = async || failed().await.and_then(|one| one["lastAttempt"]["error"].as_str().map(str::to_owned));
    assert_eq!(eventually("the attempt without a certificate fails", errors).await, "tls");

    let test = json!({ "url": receiver.url(), "clientCertificate": clients[0].wish() });
    let tested = consumer.call(Request::new("POST", "/api/webhooks/test").json(&test)).await;
    assert_eq!(tested["attempt"]["status"], 200, "{tested}");

    let one = format!("{SUBSCRIPTIONS}/{}", ids[0]);
    let plain = json!({ "url": receiver.url().replace("https", "http"), "clientCertificate": clients[0].wish() });
    let refused = consumer.send(Request::new("PATCH", &one).json(&plain)).await;
    assert_eq!((refused.status, &refused.json()["errors"][0]["field"]), (400, &json!("clientCertificate")));
    let moved = json!({ "url": receiver.url().replace("127.0.0.1", "127.0.0.2") });
    let moved = consumer.call(Request::new("PATCH", &one).json(&moved)).await;
    assert_eq!(moved["dropped"], json!(["clientCertificate"]), "{moved}");
    assert_eq!(moved["subscription"].get("clientCertificate"), None);

    let mixed = json!({ "chain": clients[0].wish()["chain"], "key": clients[1].wish()["key"] });
    let expired = receiver.client(now().minus(Duration::from_secs(1))).wish();
    for (wrong, field) in [(mixed, "clientCertificate.key"), (expired, "clientCertificate.chain")] {
        let change = json!({ "clientCertificate": wrong });
        let refused = consumer.send(Request::new("PATCH", &format!("{SUBSCRIPTIONS}/{}", ids[1])).json(&change)).await;
        assert_eq!((refused.status, refused.json()["errors"][0]["field"].as_str()), (400, Some(field)));
    }
}

/// The first round of an instance begins at its start.
async fn a_certificate_that_expires_soon_is_announced(storage: Storage) {
    let (receiver, folder) = (TlsReceiver::requiring_certificates().await, tempfile::tempdir().unwrap());
    let setup = trusting(&storage, &receiver, &folder).await;
    let (mut gatepost, told, consumer) = started(setup.clone()).await;
    consumer.subscribe(&told.url(), &["gatepost.subscription.certificate_expiring"]).await;
    let expires_at = now().plus(DAY * 7 + Duration::from_secs(3));
    let wish =
        json!({ "url": receiver.url(), "events": ["a"], "clientCertificate": receiver.client(expires_at).wish() });
    let (id, created) = consumer.create(&wish).await;
    let shown = &created["subscription"]["clientCertificate"];
    gatepost.kill().await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    let mut gatepost = setup.clone().start().await;
    let event = told.expect(1).await[0].json();
    assert_eq!(event["type"], "gatepost.subscription.certificate_expiring");
    assert_eq!(event["data"]["target"]["id"], id, "{event}");
    let changes = json!([
        { "field": "clientCertificate", "after": shown["fingerprint"] },
        { "field": "expiresAt", "after": shown["expiresAt"] },
    ]);
    assert_eq!(event["data"]["changes"], changes, "{event}");
    gatepost.kill().await;
    let _gatepost = setup.start().await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    // The first instance may have died before it stored the answer: then the same event comes again.
    let notices: BTreeSet<String> = told.received().iter().map(|one| one.header("webhook-id").to_owned()).collect();
    assert_eq!(notices.len(), 1, "a notice comes once");
}
