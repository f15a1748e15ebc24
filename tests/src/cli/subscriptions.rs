//! Every call about subscriptions, deliveries and sessions has a command.

use serde_json::json;

use super::Shell;
use crate::harness::{Browser, Gatepost, Storage, complaint, eventually, until};
use crate::webhooks::host::{OPERATOR_TOKEN, setup};
use crate::webhooks::receiver::{Behaviour, Receiver};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_is_shown_changed_disabled_recovered_and_its_secret_rotated() {
    let (gatepost, shell) = Shell::dev().await;
    let receiver = Receiver::start(Behaviour::answer("500 Internal Server Error", "", "on fire")).await;
    let create = format!("webhooks create {} --event * --user alice", receiver.url());
    let tested = shell.run(&format!("webhooks test-url {} --user alice", receiver.url()));
    let said = complaint(&tested);
    assert!(tested.status.code() == Some(1) && said.contains("status 500") && said.contains("on fire"), "{tested:?}");
    receiver.expect(1).await;
    let created = shell.json(&create);
    let id = created["subscription"]["id"].as_str().unwrap();
    let show = || shell.json(&format!("webhooks show {id} --user alice"));
    assert_eq!(show()["health"]["state"], "healthy");

    shell.succeeds("events publish --user alice --type invoice.paid --data {}");
    let failing = eventually("the health shows the failure", async || {
        Some(show()).filter(|shown| shown["health"]["state"] == "failing")
    });
    assert_eq!(failing.await["health"]["lastAttempt"]["status"], 500);
    let shown = shell.succeeds(&format!("webhooks show {id} --user alice"));
    assert!(shown.contains("failing: ") && shown.contains("with status 500") && shown.contains("waiting"), "{shown}");

    let changed = shell.json(&format!("webhooks update {id} --event order.* --description Orders --user alice"));
    assert_eq!((&changed["events"], &changed["description"]), (&json!(["order.*"]), &json!("Orders")));
    assert_eq!(shell.run(&format!("webhooks update {id} --user alice")).status.code(), Some(2), "no change is named");

    let unasked = shell.run(&format!("webhooks disable {id} --user alice"));
    assert_eq!(unasked.status.code(), Some(2), "nobody can answer: {unasked:?}");
    assert_eq!(shell.json(&format!("webhooks disable {id} --user alice --yes"))["enabled"], false);
    assert_eq!(show()["health"]["state"], "disabled");
    // A retry in flight ends later than the call.
    let failed = async || shell.json("webhooks deliveries --user alice --state failed")["deliveries"] != json!([]);
    until("the delivery ends", failed).await;
    assert_eq!(shell.succeeds(&format!("webhooks enable {id} --user alice")), format!("{id} is enabled"));
    receiver.behave(Behaviour::ok());
    let failures = shell.succeeds("webhooks failures --user alice");
    let row = failures.lines().nth(1).unwrap_or_default().split_whitespace().take(4).collect::<Vec<_>>();
    assert_eq!(row, ["1", "status", "500", id], "{failures}");
    operators_see_the_same(&gatepost, &shell, id, &failures);
    let retried = shell.json(&format!("webhooks retry-failures {id} --error timeout --user alice"));
    assert_eq!(retried, json!({ "deliveries": 0 }), "it failed for another cause");
    let counted = shell.json(&format!("webhooks recover {id} --since 1h --dry-run --user alice"));
    assert_eq!(counted, json!({ "deliveries": 1 }), "nothing has changed");
    let of_others = shell.json(&format!("webhooks recover {id} --since 1h --event z.* --dry-run --user alice"));
    assert_eq!(of_others, json!({ "deliveries": 0 }), "another event");
    let recovered = shell.json(&format!("webhooks recover {id} --since 1h --user alice"));
    assert_eq!(recovered, json!({ "deliveries": 1 }), "the one that ended when it was disabled");
    receiver.expect(3).await;

    let rotated = shell.json(&format!("webhooks rotate-secret {id} --overlap 30m --user alice"));
    assert_ne!(rotated["secret"], created["secret"]);
    let too_long = shell.run(&format!("webhooks rotate-secret {id} --overlap 8d --user alice"));
    assert_eq!(too_long.status.code(), Some(3), "a week at most: {too_long:?}");
}

/// With the operator token, `--user` is the id of any user.
fn operators_see_the_same(gatepost: &Gatepost, shell: &Shell, id: &str, failures: &str) {
    let token = gatepost.folder().join("gatepost-data/operator.token");
    let operator = shell.with("GATEPOST_OPERATOR_TOKEN_FILE", token.to_str().unwrap());
    assert_eq!(operator.succeeds("webhooks failures --user alice"), failures);
    let foreign = operator.run(&format!("webhooks retry-failures {id} --error status --status 500 --user bob"));
    assert_eq!(foreign.status.code(), Some(4), "bob has no such subscription: {foreign:?}");
    let retried = operator.json(&format!("webhooks retry-failures {id} --error dns --user alice"));
    assert_eq!(retried, json!({ "deliveries": 0 }), "it failed for another cause");
    let reads = shell.json("audit --user alice")["events"].clone();
    let is_operators =
        |event: &serde_json::Value| event["action"] == "data.read" && event["actor"]["type"] == "operator";
    assert_eq!(reads.as_array().unwrap().iter().filter(|event| is_operators(event)).count(), 1, "{reads}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_shows_its_attempts_and_their_reasons_and_is_cancelled() {
    let (_gatepost, shell) = Shell::dev().await;
    // No second attempt comes during the test, however busy the machine is.
    let unavailable = Behaviour::answer("503 Service Unavailable", "retry-after: 3600\r\n", "on\nfire");
    let receiver = Receiver::start(unavailable).await;
    shell.succeeds(&format!("webhooks create {} --event * --user alice", receiver.url()));
    shell.succeeds("events publish --user alice --type invoice.paid --data {\"id\":1}");
    let deliveries = "webhooks deliveries --user alice --since 1h";
    let delivery = eventually("an attempt has failed", async || {
        let page = shell.json(deliveries);
        let delivery = page["deliveries"].as_array()?.first()?.clone();
        (delivery["state"] == "waiting" && delivery["attempts"] == 1).then_some(delivery)
    });
    let delivery = delivery.await;
    let id = delivery["id"].as_str().unwrap();
    assert_eq!(shell.json("webhooks deliveries --user alice --until 1h")["deliveries"], json!([]));

    let shown = shell.succeeds(&format!("webhooks delivery {id} --user alice"));
    let attempt = shown.lines().last().unwrap();
    assert!(attempt.starts_with("1 ") && attempt.contains(" 503 ") && attempt.ends_with("on fire"), "{shown}");
    let history = shell.json(&format!("webhooks delivery {id} --user alice"));
    assert_eq!(history["attempts"][0]["status"], 503);
    assert_eq!(history["event"]["payload"]["data"]["id"], 1);

    let subscription = delivery["subscriptionId"].as_str().unwrap();
    let times = shell.succeeds(&format!("webhooks times {subscription} --user alice"));
    assert!(times.starts_with("p50 ") && times.contains(" ms: 1 attempt since 20"), "{times}");
    let times = shell.json(&format!("webhooks times {subscription} --user alice"));
    assert!(times["attempts"] == 1 && times["p50Ms"].is_u64() && times["p50Ms"] == times["p95Ms"], "{times}");

    let cancelled = shell.json(&format!("webhooks cancel {id} --user alice --yes"));
    assert_eq!(cancelled["deliveries"][0]["state"], "cancelled");
    let unknown = shell.run("webhooks cancel dlv_01h455vb4pex5vsknk084sn02q --user alice --yes");
    assert_eq!(unknown.status.code(), Some(4), "{unknown:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_listed_and_ended() {
    let storage = Storage::sqlite();
    let gatepost = setup(&storage).await.start().await;
    let shell = Shell::in_the_folder_of(&gatepost).with("GATEPOST_URL", &format!("http://{}", gatepost.address()));
    let alice = shell.with("GATEPOST_ID_TOKEN", &gatepost.provider().token("alice"));
    assert_eq!(alice.succeeds("sessions list"), "no sessions");
    for _ in 0..2 {
        Browser::by_link(gatepost.address(), OPERATOR_TOKEN, "alice").await;
    }
    let sessions = alice.json("sessions list")["sessions"].clone();
    let id = sessions[0]["id"].as_str().unwrap();
    assert_eq!((sessions.as_array().unwrap().len(), &sessions[0]["role"]), (2, &json!("visitor")));
    assert!(alice.succeeds("sessions list").contains(id));
    assert_eq!(alice.json(&format!("sessions end {id}")), json!({ "ended": id }));
    assert_eq!(alice.run(&format!("sessions end {id}")).status.code(), Some(4), "it has ended");
    assert_eq!(alice.succeeds("sessions end --all"), "all sessions have ended");
    assert_eq!(alice.json("sessions list"), json!({ "sessions": [] }));
}
