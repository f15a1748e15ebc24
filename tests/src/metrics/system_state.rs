//! The system state of operators agrees with the metrics.

use serde_json::{Value, json};

use super::exposition::{TEXT, scrape};
use super::figures::metered;
use crate::harness::{Gatepost, Setup, Storage, eventually, on_both_databases, until};
use crate::webhooks::host::{Consumer, Host, OPERATOR_TOKEN, by_host, setup};
use crate::webhooks::receiver::{Behaviour, Receiver};

on_both_databases!(an_operator_sees_the_figures_of_the_metrics, the_state_needs_no_listener_for_metrics);

async fn an_operator_sees_the_figures_of_the_metrics(storage: Storage) {
    let receiver = Receiver::start(Behaviour::ok()).await;
    let (gatepost, address) = metered(setup(&storage).await).await;
    let (host, alice) = (Host(gatepost.address()), Consumer::new(&gatepost, "alice").await);
    alice.subscribe(&receiver.url(), &["*"]).await;
    host.publish("alice", "a", json!({})).await;
    let (key, _) = gatepost.user("alice").created("counted").await;
    for (key, status) in [(&*key, 200), ("gp_0", 401), ("gp_1", 401)] {
        assert_eq!(gatepost.whoami(key).await.status, status);
    }
    until("the attempt", async || system(&gatepost).await["attempts"]["delivered"] == 1).await;
    let (state, metrics) = (system(&gatepost).await, scrape(address, TEXT).await);
    for (part, metric, label, names) in [
        ("verifications", "gatepost_verifications_total", "result", vec!["good", "refused", "failed"]),
        ("events", "gatepost_events_published_total", "result", vec!["accepted", "duplicate", "conflict", "failed"]),
        ("attempts", "gatepost_attempts_total", "outcome", vec!["delivered", "failed"]),
    ] {
        for name in names {
            let shown = state[part][name].as_f64().unwrap_or_else(|| panic!("{part} {name}: {state}"));
            let counted = metrics.value(metric, &[(label, name)]);
            assert!((shown - counted).abs() < f64::EPSILON, "{part} {name}: {shown}, not {counted}");
        }
    }
    assert_eq!((&state["events"]["accepted"], &state["verifications"]["refused"]), (&json!(1), &json!(2)));
    let is_shared = storage.url().starts_with("postgres");
    let (database, has_feed) = if is_shared { ("postgres", true) } else { ("sqlite", false) };
    assert_eq!((&state["database"], state["changeFeedAgeSeconds"].is_number()), (&json!(database), has_feed));
    // On Postgres the first reading may be earlier than the first sign of life.
    assert!(is_shared || state["instances"].as_array().is_some_and(Vec::is_empty), "{state}");
}

async fn the_state_needs_no_listener_for_metrics(storage: Storage) {
    let setup = Setup::serve(&storage).await.with("METRICS_LISTEN", "").with("OPERATOR_TOKEN", OPERATOR_TOKEN);
    let gatepost = setup.start().await;
    eventually("a reading", async || system(&gatepost).await["queue"]["waiting"].as_u64()).await;
    eventually("the keys", async || system(&gatepost).await["identityKeysAgeSeconds"].as_f64()).await;
}

/// Every instance counts all of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_sees_the_versions_of_all_instances() {
    let storage = Storage::postgres().await;
    let setup = setup(&storage).await;
    let (one, mut other) = (setup.twin().start().await, setup.twin().start().await);
    let sees = async |instance: &Gatepost, count: u32| {
        let expected = json!([{ "version": env!("CARGO_PKG_VERSION"), "count": count }]);
        until("the instances are counted", async || system(instance).await["instances"] == expected).await;
    };
    sees(&one, 2).await;
    sees(&other, 2).await;
    other.kill().await;
    sees(&one, 1).await;
}

async fn system(gatepost: &Gatepost) -> Value {
    let answer = gatepost.send(&by_host("GET", "system")).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}
