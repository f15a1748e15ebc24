use std::net::SocketAddr;

use serde_json::{Value, json};

use super::exposition::{Exposition, OPEN_METRICS, TEXT, scrape, scrape_with};
use crate::harness::{Browser, Gatepost, Request, Setup, Storage, eventually, free_address, on_both_databases};
use crate::webhooks::host::{Consumer, Host, OPERATOR_TOKEN, by_host, setup};
use crate::webhooks::receiver::{Behaviour, Receiver};

on_both_databases!(
    keys_move_the_figures_by_exactly_their_number,
    webhooks_move_the_figures_by_exactly_their_number,
    events_that_break_their_schema_are_counted,
    browsers_that_are_signed_in_are_counted,
    no_figure_names_a_secret_or_a_user,
);

/// An instance, and the address of its metrics.
pub(crate) async fn metered(setup: Setup) -> (Gatepost, SocketAddr) {
    let address = free_address();
    (setup.with("METRICS_LISTEN", &address.to_string()).start().await, address)
}

/// By how much a sample has risen.
struct Change(Exposition, Exposition);

impl Change {
    #[track_caller]
    fn expect(&self, name: &str, labels: &[(&str, &str)], change: f64) {
        let (before, after) = (self.0.value(name, labels), self.1.value(name, labels));
        assert!((after - before - change).abs() < f64::EPSILON, "{name} {labels:?}: {before} to {after}, not {change}");
    }
}

async fn keys_move_the_figures_by_exactly_their_number(storage: Storage) {
    let (gatepost, address) = metered(Setup::serve(&storage).await).await;
    let bob = gatepost.user("bob").created("to find that keys are remembered").await.0;
    let before = eventually("the change feed is read", async || {
        assert_eq!(gatepost.whoami(&bob).await.status, 200);
        Some(scrape(address, TEXT).await).filter(|one| one.value("gatepost_key_cache_hits_total", &[]) > 0.0)
    })
    .await;
    let alice = gatepost.user("alice");
    let (key, id) = alice.created("counted").await;
    for _ in 0..5 {
        assert_eq!(gatepost.whoami(&key).await.status, 200);
    }
    for key in ["gp_0", "no key at all", "gp_0123456789012345678901234567890123456789"] {
        assert_eq!(gatepost.whoami(key).await.status, 401);
    }
    assert_eq!(alice.revoke(&id).await.status, 200);
    assert_eq!(gatepost.whoami(&key).await.status, 401);
    assert_eq!(gatepost.send(&Request::new("BREW", "/no/such/path")).await.status, 404);
    let change = Change(before, scrape(address, TEXT).await);
    change.expect("gatepost_verifications_total", &[("result", "good")], 5.0);
    change.expect("gatepost_verifications_total", &[("result", "refused")], 4.0);
    change.expect("gatepost_verifications_total", &[("result", "failed")], 0.0);
    change.expect("gatepost_key_cache_evictions_total", &[("reason", "changed")], 1.0);
    change.expect("gatepost_key_cache_entries", &[("kind", "good")], 0.0);
    for (action, events) in [("key.created", 1.0), ("key.revoked", 1.0), ("session.opened", 0.0)] {
        change.expect("gatepost_audit_events_total", &[("action", action)], events);
    }
    let rise = |name: &str| change.1.value(name, &[]) - change.0.value(name, &[]);
    let (misses, hits) = (rise("gatepost_key_cache_misses_total"), rise("gatepost_key_cache_hits_total"));
    assert!(misses >= 2.0 && hits >= 4.0, "the first use asks, the others need not: {misses}, {hits}");
    let count = "http_server_request_duration_seconds_count";
    for (method, route, status, requests) in [
        ("POST", "/api/api-keys", "200", 1.0),
        ("DELETE", "/api/api-keys", "200", 1.0),
        ("GET", "/api/whoami", "200", 5.0),
        ("GET", "/api/whoami", "401", 4.0),
        ("_OTHER", "unmatched", "404", 1.0),
    ] {
        change.expect(count, &[("method", method), ("route", route), ("status", status)], requests);
    }
}

/// A start reads the figures of the database, so the test need not wait for the next reading.
async fn browsers_that_are_signed_in_are_counted(storage: Storage) {
    let (mut gatepost, address) = metered(setup(&storage).await).await;
    let name = "gatepost_sessions_active";
    let active = async || scrape_with(address, name).await.value(name, &[]);
    assert!(active().await < 0.5);
    for user in ["alice", "bob"] {
        Browser::by_link(gatepost.address(), OPERATOR_TOKEN, user).await;
    }
    gatepost.restart().await;
    assert!((active().await - 2.0).abs() < 0.5);
}

async fn webhooks_move_the_figures_by_exactly_their_number(storage: Storage) {
    let (gatepost, address) = metered(setup(&storage).await.with("WEBHOOK_RETRY_SCHEDULE", "1h")).await;
    let (receiver, broken) =
        (Receiver::start(Behaviour::ok()).await, Receiver::start(Behaviour::answer("500 No", "", "")).await);
    let consumer = Consumer::new(&gatepost, "alice").await;
    let (disabled, _) = consumer.subscribe(&receiver.url(), &["never"]).await;
    let path = format!("/api/webhooks/subscriptions/{disabled}");
    consumer.call(Request::new("PATCH", &path).json(&json!({ "enabled": false }))).await;
    consumer.subscribe(&receiver.url(), &["good.*"]).await;
    consumer.subscribe(&broken.url(), &["bad.*"]).await;
    let host = Host(gatepost.address());
    for number in 0..3 {
        host.publish("alice", "good.news", json!({ "number": number })).await;
    }
    host.publish("alice", "bad.news", Value::Null).await;
    host.publish("alice", "nobody.hears", Value::Null).await;
    let named = |data: u32| json!({ "userId": "alice", "id": "one", "type": "good.news", "data": data });
    for (data, status) in [(1, 202), (1, 202), (2, 409)] {
        assert_eq!(host.try_publish(&named(data)).await.expect("an answer").status, status);
    }
    let delivered = &[("outcome", "delivered")];
    let after = eventually("the attempts are counted", async || {
        let now = scrape(address, TEXT).await;
        let attempts = |outcome| now.value("gatepost_attempts_total", &[("outcome", outcome)]);
        (attempts("delivered") >= 4.0 && attempts("failed") >= 1.0).then_some(now)
    })
    .await;
    let start = Exposition::parse("# HELP a A.\n# TYPE a gauge\na 0\n", false);
    let change = Change(start, after);
    change.expect("gatepost_attempts_total", delivered, 4.0);
    change.expect("gatepost_attempts_total", &[("outcome", "failed")], 1.0);
    change.expect("gatepost_attempts_total", &[("outcome", "not_charged")], 0.0);
    change.expect("gatepost_attempt_duration_seconds_count", &[], 5.0);
    change.expect("gatepost_first_attempt_delay_seconds_count", &[], 5.0);
    for (result, events) in [("accepted", 6.0), ("duplicate", 1.0), ("conflict", 1.0), ("failed", 0.0)] {
        change.expect("gatepost_events_published_total", &[("result", result)], events);
    }
    let lanes = [("open", 2.0), ("paused", 0.0), ("closed", 1.0)];
    let subscriptions = [("enabled", 2.0), ("owner", 1.0), ("gone", 0.0), ("only_failures", 0.0)];
    let read = eventually("the queue is read again, and the retry is due later", async || {
        let now = scrape(address, OPEN_METRICS).await;
        let all = |name: &str, states: &[(&str, f64)]| {
            states.iter().all(|&(state, number)| now.find(name, &[("state", state)]) == Some(number))
        };
        let is_read = all("gatepost_lanes", &lanes)
            && all("gatepost_subscriptions", &subscriptions)
            && now.find("gatepost_deliveries_waiting", &[]) == Some(1.0)
            && now.find("gatepost_oldest_due_age_seconds", &[]) == Some(0.0);
        is_read.then_some(now)
    })
    .await;
    assert!(read.value("gatepost_store_reading_age_seconds", &[]) < 11.0);
}

async fn events_that_break_their_schema_are_counted(storage: Storage) {
    let (gatepost, address) = metered(setup(&storage).await).await;
    for (name, validation) in [("loose.news", "warn"), ("strict.news", "enforce"), ("any.news", "off")] {
        let settings = json!({ "schema": { "type": "object" }, "validation": validation });
        let put = by_host("PUT", &format!("event-types/{name}")).json(&settings);
        assert_eq!(gatepost.send(&put).await.status, 200, "{name}");
    }
    let host = Host(gatepost.address());
    for (name, data, status) in [
        ("loose.news", json!(1), 202),
        ("loose.news", json!({}), 202),
        ("strict.news", json!(1), 422),
        ("strict.news", json!({}), 202),
        ("any.news", json!(1), 202),
    ] {
        let event = json!({ "userId": "alice", "type": name, "data": data });
        assert_eq!(host.try_publish(&event).await.expect("an answer").status, status, "{event}");
    }
    let read = scrape(address, TEXT).await;
    let count = |name, result| read.find("gatepost_events_invalid_total", &[("type", name), ("result", result)]);
    let counts = |name| (count(name, "warned"), count(name, "refused"));
    assert_eq!(counts("loose.news"), (Some(1.0), Some(0.0)));
    assert_eq!(counts("strict.news"), (Some(0.0), Some(1.0)));
    assert_eq!(counts("any.news"), (None, None), "it is not checked");
}

/// Uses Gatepost as a user, a consumer and the operator, and then looks for their names and secrets.
async fn no_figure_names_a_secret_or_a_user(storage: Storage) {
    let (gatepost, address) = metered(setup(&storage).await).await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    let user = gatepost.user("canary-7Hq2");
    let (key, id) = user.created("canary-label").await;
    gatepost.whoami(&key).await;
    let consumer = Consumer::new(&gatepost, "canary-7Hq2").await;
    let (subscription, secret) = consumer.subscribe(&receiver.url(), &["canary.type"]).await;
    let published = Host(gatepost.address()).publish("canary-7Hq2", "canary.type", json!("canary-data")).await;
    receiver.expect(1).await;
    let deliveries = consumer.deliveries(&format!("subscriptionId={subscription}")).await;
    let delivery = deliveries[0]["id"].as_str().unwrap().to_owned();
    for hostile in [format!("/{key}"), format!("/docs/errors/{id}"), format!("/api/whoami?key={key}")] {
        gatepost.send(&Request::new("GET", &hostile).header("x-api-key", &id)).await;
    }
    let event = published["event"]["id"].as_str().unwrap();
    let receiver = receiver.address().to_string();
    let secrets = [
        &key[12..],
        id.as_str(),
        "canary",
        "7Hq2",
        &user.token[..40],
        &secret,
        &subscription,
        &delivery,
        event,
        &receiver,
        gatepost.provider().issuer(),
        OPERATOR_TOKEN,
        storage.url().as_str(),
    ]
    .map(str::to_owned);
    for format in [TEXT, OPEN_METRICS] {
        let exposition = scrape(address, format).await;
        assert!(exposition.text.contains("/api/whoami"), "the metrics have the templates of routes");
        for secret in &secrets {
            assert!(!exposition.text.contains(secret), "{secret} is in the metrics");
        }
    }
}
