//! The calls of a host application, from the shell.

use std::fmt::Write;

use serde_json::{Value, json};

use super::Shell;
use crate::harness::{Request, complaint, succeeded};
use crate::webhooks::receiver::{Behaviour, Receiver};

/// More than a call takes.
const EVENTS: usize = 501;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leaked_key_is_introspected_and_reported() {
    let (_gatepost, shell) = Shell::dev().await;
    let created = shell.json("keys create CI --scope orders:read --user alice");
    let (key, id) = (created["key"].as_str().unwrap(), created["keyId"].as_str().unwrap());
    let active = succeeded(&shell.feed("keys introspect --scope orders:read --json", key));
    let active: Value = serde_json::from_str(&active).unwrap();
    assert_eq!((&active["active"], &active["userId"], &active["keyId"]), (&json!(true), &json!("alice"), &json!(id)));
    assert!(active["createdAt"].as_str().unwrap().starts_with("20"), "{active}");
    let lacking = shell.feed("keys introspect --scope orders:write --json", key);
    assert_eq!((lacking.status.code(), lacking.stdout.as_slice()), (Some(1), &b"{\"active\":false}\n"[..]));

    let lines = format!("not a key\n\n{key}\n");
    let asked = shell.feed("keys report-leaks", &lines);
    assert_eq!(asked.status.code(), Some(2), "{asked:?}");
    assert!(succeeded(&shell.feed("keys introspect", key)).starts_with("active: key_"), "nothing was revoked");
    assert_eq!(succeeded(&shell.feed("keys report-leaks --yes", &lines)), format!("unknown\n{id}"));
    let refused = shell.feed("keys introspect", key);
    assert_eq!((refused.status.code(), complaint(&refused).trim()), (Some(1), "gatepost: the key is not active"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owners_are_found_by_what_is_known_of_them() {
    let (_gatepost, shell) = Shell::dev().await;
    shell.succeeds("keys create CI --user alice");
    shell.succeeds("owners set --for-organization acme --name Alpha --email it@acme.example");
    let lines = [
        "OWNER              STATE   KEYS  WEBHOOKS  FAILING  NAME",
        "organization acme  active  0     0         0        Alpha, it@acme.example",
        "alice              active  1     0         0",
    ];
    assert_eq!(shell.succeeds("owners list"), lines.join("\n"));
    let found = shell.json("owners list --query al --limit 1");
    assert_eq!((&found["owners"][0]["id"], &found["owners"][0]["activeKeys"]), (&json!("alice"), &json!(1)));
    let next = format!("owners list --query al --cursor {}", found["nextCursor"].as_str().unwrap());
    assert_eq!(shell.json(&next)["owners"][0]["name"], "Alpha");
    let limited = shell.json("owners set --for-user alice --key-rate-limit 5/s --request-rate-limit 60/m");
    assert_eq!((&limited["keyRateLimit"], &limited["requestRateLimit"]), (&json!("5/s"), &json!("60/m")));
    let shown = shell.succeeds("owners set --for-user alice --request-rate-limit default");
    let limits: Vec<&str> = shown.lines().filter(|line| line.starts_with("rate limit")).collect();
    assert_eq!(limits, ["rate limit of a key  5/s", "rate limit of calls  that of the service"]);
    let wrong = shell.run("owners set --for-user alice --key-rate-limit 5");
    assert!(complaint(&wrong).contains("keyRateLimit"), "{}", complaint(&wrong));
    assert_eq!(shell.succeeds("owners list --state suspended"), "no owners");
    assert!(complaint(&shell.run("owners list --state gone")).contains("active, suspended"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_of_event_types_is_applied_once() {
    let (gatepost, shell) = Shell::dev().await;
    let file = gatepost.folder().join("catalogue.json");
    let write = |schema: &str| {
        let paid = format!(r#"{{"name":"v1/paid","title":"Paid","schema":{schema},"validation":"enforce"}}"#);
        std::fs::write(&file, format!(r#"{{"eventTypes":[{paid}]}}"#)).unwrap();
    };
    write(r#"{"type": "object", "properties":{"total":{"minimum":1.00}}}"#);
    let apply = "event-types apply -f catalogue.json";
    assert_eq!(shell.succeeds(&format!("{apply} --dry-run")), "created v1/paid");
    assert_eq!(shell.succeeds("event-types list"), "no event types");
    assert_eq!(shell.succeeds(apply), "created v1/paid");
    assert_eq!(shell.json(apply), json!({ "changes": [] }));
    assert!(shell.succeeds("event-types show v1/paid").contains(r#"{"minimum":1.00}"#), "byte for byte");
    let refused = shell.run("events publish --user alice --type v1/paid --data 1");
    assert!(complaint(&refused).contains("breaks the schema of its type"), "{}", complaint(&refused));

    write(r#"{"type":"object","required":["total"],"properties":{"total":{}}}"#);
    assert!(complaint(&shell.run(apply)).contains("is required now"));
    assert_eq!(shell.succeeds(&format!("{apply} --force")), "changed v1/paid");
    std::fs::write(&file, r#"{"eventTypes":[]}"#).unwrap();
    assert_eq!(shell.json(apply), json!({ "changes": [] }));
    let archived = json!({ "changes": [{ "name": "v1/paid", "change": "archived" }] });
    assert_eq!(shell.json(&format!("{apply} --prune")), archived);
    assert!(shell.succeeds("event-types list").contains("archived"));
    std::fs::write(&file, r#"{"eventTypes":[{"name":"a","titel":"b"}]}"#).unwrap();
    assert!(complaint(&shell.run(apply)).contains("titel"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_of_events_is_published_once() {
    let (_gatepost, shell) = Shell::dev().await;
    let receiver = Receiver::start(Behaviour::ok()).await;
    shell.json(&format!("webhooks create {} --event order.* --user alice", receiver.url()));
    let mut lines = (0..EVENTS).fold(String::new(), |mut lines, number| {
        let event = json!({ "userId": "alice", "type": "order.paid", "data": number, "id": format!("order-{number}") });
        writeln!(lines, "{event}").unwrap();
        lines
    });
    let publish = "events publish-batch";
    assert_eq!(succeeded(&shell.feed(publish, &lines)), "501 events are published: 501 deliveries");
    let again = succeeded(&shell.feed(&format!("{publish} --json"), &lines));
    assert_eq!(again, r#"{"published":501,"duplicates":501,"deliveries":501}"#);
    receiver.expect(EVENTS).await;

    lines.push_str("{\"userId\":\"alice\",\"type\":\"Not A Type\",\"data\":1}\n");
    let refused = shell.feed(publish, &lines);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    assert!(complaint(&refused).contains("500 events are published before this error"), "{}", complaint(&refused));
    lines.push_str("nonsense");
    let broken = complaint(&shell.feed(publish, &lines));
    assert!(broken.contains("line 503 is not an event"), "{broken}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_portal_link_opens_the_console() {
    let (gatepost, shell) = Shell::dev().await;
    let printed = shell.succeeds("portal-link --user alice --allow keys:read --for 30m");
    let code = printed.rsplit('#').next().unwrap();
    let enter = Request::new("POST", "/api/session").header("sec-fetch-site", "same-origin");
    let entered = gatepost.send(&enter.json(&json!({ "code": code }))).await;
    assert_eq!(entered.status, 200, "{printed}: {}", entered.text());
    let wrong = shell.run("portal-link --user alice --allow everything");
    assert_eq!(wrong.status.code(), Some(3), "{wrong:?}");
}
