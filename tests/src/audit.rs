//! Each operation leaves its event in the audit log and no other, and each reader sees only its own part.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::cli::Shell;
use crate::harness::{Gatepost, Request, Response, Setup, Storage, User, complaint, on_both_databases, succeeded};

on_both_databases!(each_operation_leaves_its_event, a_killed_process_leaves_no_change_without_its_event);

const OPERATOR_TOKEN: &str = "operator-token-of-the-test-of-the-audit-log";

/// `gatepost audit`, as the user and as the operator.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_line_says_who_revoked_a_key() {
    let gatepost = Setup::dev().await.start().await;
    let shell = Shell::beside(&gatepost);
    let token = std::fs::read_to_string(gatepost.folder().join("gatepost-data/operator.token")).unwrap();
    let operator = shell.with("GATEPOST_OPERATOR_TOKEN", &token);
    let created = shell.words(&["keys", "create", "CI deploy", "--user", "alice", "--json"], "");
    let created: Value = serde_json::from_str(&succeeded(&created)).unwrap();
    let id = created["keyId"].as_str().unwrap();
    operator.succeeds(&format!("keys revoke {id} --user alice --yes"));
    let shown = shell.succeeds(&format!("audit --user alice --target {id}"));
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[1].contains("key.revoked") && lines[1].contains("operator operator"), "{shown}");
    assert!(lines[2].contains("key.created") && lines[2].contains("label: none -> CI deploy"), "{shown}");
    let one = operator.json("audit --user alice --action key.revoked");
    assert_eq!((one["events"].as_array().unwrap().len(), &one["events"][0]["address"]), (1, &json!("127.0.0.1")));
    assert_eq!(shell.succeeds("audit --user bob"), "no events");
    let refused = shell.run("audit --user alice --since yesterday");
    assert!(!refused.status.success() && complaint(&refused).contains("since"), "{refused:?}");
}

async fn each_operation_leaves_its_event(storage: Storage) {
    let setup = Setup::serve(&storage).await.with("OPERATOR_TOKEN", OPERATOR_TOKEN).with("DISPATCH", "false");
    let mut gatepost = setup.with("AUDIT_LOG", "stdout").start().await;
    let (alice, bob) = (gatepost.user("alice"), gatepost.user("bob"));
    bob.created("bob's").await;
    change_keys(&gatepost, &alice).await;
    change_webhooks(&gatepost, &alice).await;
    let shown: Vec<Value> = events(&gatepost, "/api/audit?limit=200", &alice.token).await;
    let actions: Vec<&str> = shown.iter().rev().map(|event| event["action"].as_str().unwrap()).collect();
    let expected = [
        "key.created",
        "key.rotated",
        "data.read",
        "key.revoked",
        "key.leaked",
        "subscription.created",
        "subscription.changed",
        "subscription.secret_rotated",
        "delivery.cancelled",
        "delivery.retried",
        "subscription.recovered",
        "subscription.deleted",
    ];
    assert_eq!(actions, expected, "each operation leaves its event, in order: {shown:#?}");
    assert!(shown.iter().all(|event| event["userId"] == "alice"), "a user sees nothing of others: {shown:#?}");
    expect_places(&gatepost, &shown).await;
    expect_copy(&mut gatepost).await;
}

/// The process copies the same lines as the export, before it ends.
async fn expect_copy(gatepost: &mut Gatepost) {
    let export = call(gatepost, "GET", "/api/operator/audit?format=jsonl", OPERATOR_TOKEN).await.text();
    gatepost.stop().await;
    let written = gatepost.written();
    let mut copied: Vec<&str> = written.lines().filter(|line| line.starts_with("{\"id\":\"aud_")).collect();
    copied.sort_unstable();
    let oldest_first: Vec<&str> = export.lines().rev().collect();
    assert_eq!(copied, oldest_first, "the copy has what the export has");
}

#[tokio::test]
async fn a_copy_that_cannot_be_written_is_refused_at_the_start() {
    let storage = Storage::sqlite();
    let setup = Setup::serve(&storage).await.with("AUDIT_LOG", "no-such-folder/audit.jsonl");
    let (status, written) = setup.start_refused().await;
    assert!(!status.success());
    assert!(written.contains("AUDIT_LOG: cannot write to no-such-folder/audit.jsonl: No such file"), "{written}");
}

/// Users see the addresses of their actions, and operators all addresses. The export has the same events as the
/// pages.
async fn expect_places(gatepost: &Gatepost, shown: &[Value]) {
    for event in shown {
        let is_own = event["actor"]["type"] == "user";
        assert_eq!(event["address"] == "127.0.0.1", is_own, "{event}");
        assert_eq!(event["requestId"].is_string(), is_own, "{event}");
    }
    let all = events(gatepost, "/api/operator/audit?userId=alice&limit=200", OPERATOR_TOKEN).await;
    assert_eq!(all.len(), shown.len());
    assert!(all.iter().all(|event| event["address"] == "127.0.0.1"), "{all:#?}");
    let by_operator = events(gatepost, "/api/operator/audit?actor=operator:operator", OPERATOR_TOKEN).await;
    let actions: Vec<&str> = by_operator.iter().map(|event| event["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["key.leaked", "key.revoked", "data.read"]);
    let export = call(gatepost, "GET", "/api/operator/audit?format=jsonl&userId=alice", OPERATOR_TOKEN).await;
    assert_eq!(export.header("content-type"), Some("application/jsonl"));
    let lines: Vec<Value> = export.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, all, "the export has what the pages have");
    let table = call(gatepost, "GET", "/api/operator/audit?format=csv&userId=alice", OPERATOR_TOKEN).await;
    assert_eq!(table.header("content-type"), Some("text/csv; charset=utf-8"));
    let table = table.text();
    let ids: Vec<&str> = table.lines().skip(1).map(|line| line.split('"').nth(1).unwrap()).collect();
    let expected: Vec<&str> = all.iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert_eq!(ids, expected, "and so has the table");
}

async fn change_keys(gatepost: &Gatepost, alice: &User) {
    let (_, id) = alice.created("ci").await;
    let (path, overlap) = (format!("/api/api-keys/{id}/rotate"), json!({ "overlapSeconds": 3600 }));
    let rotated = send(gatepost, "POST", &path, &alice.token, &overlap).await;
    let full_key = rotated["key"].as_str().unwrap();
    let refused = Request::new("POST", &path).bearer(&alice.token).json(&overlap);
    assert_eq!(gatepost.send(&refused).await.status, 409, "a key is rotated once");
    assert_eq!(call(gatepost, "GET", "/api/operator/users/alice/keys", OPERATOR_TOKEN).await.status, 200);
    for _ in 0..2 {
        let path = format!("/api/operator/users/alice/keys/{id}");
        assert_eq!(call(gatepost, "DELETE", &path, OPERATOR_TOKEN).await.status, 200);
    }
    let report = json!({ "tokens": [full_key, full_key] });
    for _ in 0..2 {
        send(gatepost, "POST", "/api/operator/leaks", OPERATOR_TOKEN, &report).await;
    }
}

async fn change_webhooks(gatepost: &Gatepost, alice: &User) {
    const SUBSCRIPTIONS: &str = "/api/webhooks/subscriptions";
    let token = &alice.token;
    let body = json!({ "url": "https://hooks.example.com/secret-path", "events": ["*"] });
    let created = send(gatepost, "POST", SUBSCRIPTIONS, token, &body).await;
    let path = format!("{SUBSCRIPTIONS}/{}", created["subscription"]["id"].as_str().unwrap());
    send(gatepost, "PATCH", &path, token, &json!({ "description": "Billing" })).await;
    send(gatepost, "PATCH", &path, token, &json!({ "description": "Billing" })).await;
    send(gatepost, "POST", &format!("{path}/rotate-secret"), token, &json!({})).await;
    let event = json!({ "userId": "alice", "type": "invoice.paid", "data": {} });
    send(gatepost, "POST", "/api/operator/events", OPERATOR_TOKEN, &event).await;
    let listed = call(gatepost, "GET", "/api/webhooks/deliveries", token).await.json();
    let delivery = format!("/api/webhooks/deliveries/{}", listed["deliveries"][0]["id"].as_str().unwrap());
    for action in ["cancel", "cancel", "retry"] {
        let response = call(gatepost, "POST", &format!("{delivery}/{action}"), token).await;
        assert!(response.status < 300, "{action}: {}", response.text());
    }
    let since = json!({ "since": "2026-01-01T00:00:00Z" });
    send(gatepost, "POST", &format!("{path}/recover"), token, &since).await;
    assert_eq!(call(gatepost, "DELETE", &path, token).await.status, 204);
    assert_eq!(call(gatepost, "DELETE", &path, token).await.status, 404);
}

/// Kills the process while it creates keys: each key that is stored has its event, and each event its key.
async fn a_killed_process_leaves_no_change_without_its_event(storage: Storage) {
    let setup = Setup::serve(&storage).await.with("API_KEYS_MAX_ACTIVE", "1000");
    let mut gatepost = setup.start().await;
    let alice = gatepost.user("alice");
    for number in 0..3 {
        let mut creations = JoinSet::new();
        for _ in 0..8 {
            let alice = alice.clone();
            let request = alice.request("POST").json(&json!({ "label": "ci" }));
            creations.spawn(async move { while alice.try_send(&request).await.is_ok() {} });
        }
        while alice.keys().await.len() < (number + 1) * 20 {}
        gatepost.kill().await;
        creations.join_all().await;
        gatepost.start_again().await;
    }
    let mut stored: Vec<String> = alice.keys().await.iter().map(|key| key["id"].as_str().unwrap().into()).collect();
    let mut recorded = Vec::new();
    let mut path = "/api/audit?limit=200".to_owned();
    loop {
        let page = call(&gatepost, "GET", &path, &alice.token).await.json();
        let events = page["events"].as_array().unwrap();
        recorded.extend(events.iter().map(|event| event["target"]["id"].as_str().unwrap().to_owned()));
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        path = format!("/api/audit?limit=200&cursor={cursor}");
    }
    stored.sort();
    recorded.sort();
    assert_eq!(recorded, stored, "keys and events are the same");
}

async fn events(gatepost: &Gatepost, path: &str, token: &str) -> Vec<Value> {
    let response = call(gatepost, "GET", path, token).await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["events"].as_array().unwrap().clone()
}

async fn call(gatepost: &Gatepost, method: &str, path: &str, token: &str) -> Response {
    gatepost.send(&Request::new(method, path).bearer(token)).await
}

/// A call with a body, which must succeed.
async fn send(gatepost: &Gatepost, method: &str, path: &str, token: &str, body: &Value) -> Value {
    let response = gatepost.send(&Request::new(method, path).bearer(token).json(body)).await;
    assert!(response.status < 300, "{method} {path}: {}", response.text());
    response.json()
}
