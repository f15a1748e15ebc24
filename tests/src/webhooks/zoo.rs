use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::host::{Consumer, Host, SUBSCRIPTIONS, setup};
use super::receiver::{Behaviour, Receiver};
use super::tls_receiver::TlsReceiver;
use crate::harness::{Storage, free_address, on_both_databases, until};

on_both_databases!(
    every_kind_of_receiver_ends_in_time_with_its_reason,
    a_410_disables_the_subscription,
    retry_after_is_respected,
    a_receiver_that_comes_back_gets_the_missed_events,
    a_goaway_over_http2_fails_one_attempt_only,
);

/// The expected end of a delivery with one attempt.
struct Expected {
    state: &'static str,
    error: Option<&'static str>,
    status: Option<u16>,
}

const fn delivered(status: u16) -> Expected {
    Expected { state: "delivered", error: None, status: Some(status) }
}

const fn failed(error: &'static str, status: Option<u16>) -> Expected {
    Expected { state: "failed", error: Some(error), status }
}

/// Receivers over plain HTTP/1.1.
fn animals() -> Vec<(&'static str, Behaviour, Expected)> {
    let answer = Behaviour::answer;
    let head = |headers: &str| format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
    // Looks like the start of a gzip stream. The sender must not decompress it.
    let gzip = "\u{1f}~".repeat(4096);
    vec![
        ("200", Behaviour::ok(), delivered(200)),
        ("204", Behaviour::Answer("HTTP/1.1 204 No Content\r\n\r\n".into()), delivered(204)),
        ("301", answer("301 Moved", "location: http://127.0.0.1:1/\r\n", ""), failed("redirect", Some(301))),
        ("307", answer("307 Moved", "location: /elsewhere\r\n", ""), failed("redirect", Some(307))),
        ("400", answer("400 Bad Request", "", "no"), failed("status", Some(400))),
        ("404", answer("404 Not Found", "", "no"), failed("status", Some(404))),
        ("500", answer("500 Oops", "", "no"), failed("status", Some(500))),
        ("503", answer("503 Busy", "", "no"), failed("status", Some(503))),
        ("hang before the head", Behaviour::Hang, failed("timeout", None)),
        ("hang within the head", Behaviour::AnswerAndHang("HTTP/1.1 200 OK\r\nx-a".into()), failed("timeout", None)),
        ("hang after the head", Behaviour::AnswerAndHang(head("content-length: 5\r\n")), failed("too_slow", Some(200))),
        ("reset", Behaviour::Reset, failed("connect", None)),
        ("no HTTP", Behaviour::Answer("SSH-2.0-OpenSSH_9.2\r\n\r\n".into()), failed("connect", None)),
        ("endless body", Behaviour::Endless(head(""), vec![b'x'; 65_536]), delivered(200)),
        (
            "endless head",
            Behaviour::Endless("HTTP/1.1 200 OK\r\n".into(), b"x-a: b\r\n".to_vec()),
            failed("connect", None),
        ),
        ("gzip bomb", Behaviour::Endless(head("content-encoding: gzip\r\n"), gzip.into_bytes()), delivered(200)),
        ("slow drip", Behaviour::Drip(head("content-length: 100\r\n") + &"x".repeat(100)), failed("timeout", None)),
    ]
}

async fn every_kind_of_receiver_ends_in_time_with_its_reason(storage: Storage) {
    let setup = setup(&storage).await.with("WEBHOOK_TIMEOUT_SECONDS", "10").with("WEBHOOK_RETRY_SCHEDULE", "");
    let mut gatepost = setup.start().await;
    let consumer = Consumer::new(&gatepost, "zoo").await;
    let mut cages = Vec::new();
    for (name, behaviour, expected) in animals() {
        let receiver = Receiver::start(behaviour).await;
        let (subscription, _) = consumer.subscribe(&receiver.url(), &["*"]).await;
        cages.push((name, subscription, expected, Some(receiver)));
    }
    let untrusted = TlsReceiver::start().await;
    let nobody = format!("http://{}/hook", free_address());
    let more = [
        ("wrong certificate", untrusted.url(), failed("tls", None)),
        ("nobody listens", nobody, failed("connect", None)),
        ("no such name", "http://nowhere.invalid/hook".into(), failed("dns", None)),
    ];
    for (name, url, expected) in more {
        cages.push((name, consumer.subscribe(&url, &["*"]).await.0, expected, None));
    }
    Host(gatepost.address()).publish("zoo", "feeding.time", json!({ "fish": 3 })).await;
    for (name, subscription, expected, receiver) in cages {
        assert_end(&consumer, name, &subscription, &expected).await;
        assert!(receiver.is_none_or(|one| one.received().len() == 1), "{name}: one attempt is one request");
    }
    assert!(untrusted.nothing_was_read(), "nothing is sent to a server with a wrong certificate");
    gatepost.assert_healthy();
}

async fn assert_end(consumer: &Consumer, name: &str, subscription: &str, expected: &Expected) {
    let detail = consumer.delivery_in(subscription, expected.state).await;
    let attempts = detail["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 1, "{name}: {detail}");
    let attempt = &attempts[0];
    assert_eq!(attempt["error"].as_str(), expected.error, "{name}: {attempt}");
    assert_eq!(attempt["status"].as_u64(), expected.status.map(u64::from), "{name}: {attempt}");
    let duration = attempt["durationMs"].as_u64().expect("a duration");
    assert!(duration < 30_000, "{name} took {duration} ms, with a deadline of 10 s");
    let excerpt = attempt["response"].as_str().unwrap_or_default();
    assert!(excerpt.len() <= 3 * 16 * 1024, "{name}: {} bytes of the answer are shown", excerpt.len());
}

async fn a_410_disables_the_subscription(storage: Storage) {
    let gatepost = setup(&storage).await.start().await;
    let consumer = Consumer::new(&gatepost, "zoo").await;
    let receiver = Receiver::start(Behaviour::answer("410 Gone", "", "")).await;
    let (subscription, _) = consumer.subscribe(&receiver.url(), &["*"]).await;
    Host(gatepost.address()).publish("zoo", "feeding.time", Value::Null).await;
    let detail = consumer.delivery_in(&subscription, "failed").await;
    assert_eq!(detail["attempts"][0]["status"], 410, "{detail}");
    let found = consumer.get(&format!("{SUBSCRIPTIONS}/{subscription}")).await;
    assert_eq!(found["subscription"]["enabled"], false, "{found}");
    let health = (&found["health"]["state"], &found["health"]["reason"]);
    assert_eq!(health, (&json!("disabled"), &json!("gone")), "{found}");
    let accepted = Host(gatepost.address()).publish("zoo", "feeding.time", Value::Null).await;
    assert_eq!(accepted["deliveries"], 0, "a disabled subscription gets no more events: {accepted}");
}

async fn retry_after_is_respected(storage: Storage) {
    let gatepost = setup(&storage).await.with("WEBHOOK_RETRY_SCHEDULE", "1s,1s").start().await;
    let consumer = Consumer::new(&gatepost, "zoo").await;
    let receiver = Receiver::start(Behaviour::answer("429 Slow Down", "retry-after: 10\r\n", "")).await;
    let (subscription, _) = consumer.subscribe(&receiver.url(), &["*"]).await;
    Host(gatepost.address()).publish("zoo", "feeding.time", json!(1)).await;
    let waiting = consumer.delivery_in(&subscription, "waiting").await;
    receiver.behave(Behaviour::ok());
    let (started, next) = (&waiting["attempts"][0]["startedAt"], &waiting["delivery"]["nextAttemptAt"]);
    assert!(millis_between(started, next) >= 10_000, "{waiting}");
    let health = consumer.get(&format!("{SUBSCRIPTIONS}/{subscription}")).await["health"].clone();
    assert_eq!(health["state"], "paused", "the whole lane waits: {health}");
    let delivered = consumer.delivery_in(&subscription, "delivered").await;
    let attempts = delivered["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2, "{delivered}");
    assert!(millis_between(&attempts[0]["startedAt"], &attempts[1]["startedAt"]) >= 10_000, "{delivered}");
    let webhooks = receiver.received();
    assert_eq!(webhooks[0].header("webhook-id"), webhooks[1].header("webhook-id"));
    assert_eq!(webhooks[0].body, webhooks[1].body);
}

/// Events that were published while the receiver was down arrive after it starts again.
async fn a_receiver_that_comes_back_gets_the_missed_events(storage: Storage) {
    let gatepost = setup(&storage).await.with("WEBHOOK_RETRY_SCHEDULE", "1s,1s,1s,1s,1s,1s,1s").start().await;
    let consumer = Consumer::new(&gatepost, "zoo").await;
    let address = free_address();
    let receiver = Receiver::start_at(address, Behaviour::ok()).await;
    let (subscription, _) = consumer.subscribe(&receiver.url(), &["order.*"]).await;
    drop(receiver);
    let host = Host(gatepost.address());
    for number in 0..3 {
        host.publish("zoo", "order.paid", json!({ "number": number })).await;
    }
    let query = format!("subscriptionId={subscription}");
    let has_failed = |delivery: &Value| delivery["attempts"].as_u64() >= Some(1);
    until("each has failed once", async || consumer.deliveries(&query).await.iter().all(has_failed)).await;
    let receiver = Receiver::start_at(address, Behaviour::ok()).await;
    let webhooks = receiver.expect(3).await;
    let mut numbers: Vec<_> = webhooks.iter().map(|webhook| webhook.json()["data"]["number"].as_u64()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [Some(0), Some(1), Some(2)]);
}

fn millis_between(earlier: &Value, later: &Value) -> i64 {
    let millis = |value: &Value| {
        let text = value.as_str().expect("a time");
        domain::Timestamp::parse_rfc3339(text).expect("a time").unix_millis()
    };
    millis(later) - millis(earlier)
}

async fn a_goaway_over_http2_fails_one_attempt_only(storage: Storage) {
    let receiver = TlsReceiver::start().await;
    let folder = tempfile::tempdir().unwrap();
    let authority = receiver.authority_file(folder.path());
    let setup = setup(&storage).await.with("SSL_CERT_FILE", authority.to_str().unwrap());
    let gatepost = setup.with("WEBHOOK_RETRY_SCHEDULE", "1s").start().await;
    let consumer = Consumer::new(&gatepost, "zoo").await;
    let (subscription, _) = consumer.subscribe(&receiver.url(), &["*"]).await;
    let (host, began) = (Host(gatepost.address()), Instant::now());
    for served in 1..=3 {
        host.publish("zoo", "feeding.time", Value::Null).await;
        until("the webhook is delivered", async || receiver.served() == served).await;
    }
    // An idle connection is closed after four seconds.
    if began.elapsed() < Duration::from_secs(3) {
        assert_eq!(receiver.connections(), 1, "the webhooks share a connection");
    }
    receiver.go_away();
    host.publish("zoo", "feeding.time", Value::Null).await;
    until("the webhook is delivered after the retry", async || receiver.served() == 4).await;
    let delivered = format!("subscriptionId={subscription}&state=delivered");
    until("four are delivered", async || consumer.deliveries(&delivered).await.len() == 4).await;
    let newest = &consumer.deliveries(&format!("subscriptionId={subscription}")).await[0];
    let detail = consumer.get(&format!("/api/webhooks/deliveries/{}", newest["id"].as_str().unwrap())).await;
    let errors: Vec<Option<&str>> =
        detail["attempts"].as_array().unwrap().iter().map(|attempt| attempt["error"].as_str()).collect();
    assert_eq!(errors, [Some("connect"), None], "{detail}");
}
