use serde_json::json;

use super::{assert_problem, started};
use crate::harness::{Request, Setup, Storage, on_both_databases, until};

on_both_databases!(errors_of_the_framework_have_the_same_form, the_request_id_is_the_callers_or_new);

async fn errors_of_the_framework_have_the_same_form(storage: Storage) {
    let (gatepost, alice) = started(&storage).await;
    let post = alice.request("POST");
    let big = "x".repeat(3_000_000);
    let cases = [
        (Request::new("GET", "/nowhere"), 404, "not_found"),
        (Request::new("GET", "/api/api-keys/"), 404, "not_found"),
        (Request::new("GET", "/api/API-KEYS"), 404, "not_found"),
        (Request::new("POST", "/api/whoami").bearer(&alice.token), 405, "method_not_allowed"),
        (post.clone().text("application/json", "{"), 400, "invalid_json"),
        (post.clone().text("application/json", "{\"label\":\"a\"} x"), 400, "invalid_json"),
        (post.clone().text("application/json", "[]"), 400, "invalid_json"),
        (post.clone().text("text/plain", "{\"label\":\"a\"}"), 415, "unsupported_media_type"),
        (post.clone().text("application/x-www-form-urlencoded", "label=a"), 415, "unsupported_media_type"),
        (post.json(&json!({ "label": big })), 413, "payload_too_large"),
    ];
    for (request, status, code) in &cases {
        let problem = assert_problem(&gatepost.send(request).await, *status, code);
        let page = format!("/docs/errors/{code}");
        let page = gatepost.send(&Request::new("GET", &page)).await;
        assert_eq!(page.status, 200, "the page that {} names", problem["type"]);
    }
    assert!(alice.keys().await.is_empty());
}

async fn the_request_id_is_the_callers_or_new(storage: Storage) {
    let gatepost = Setup::serve(&storage).await.start().await;
    let (one, two) = (gatepost.user("alice").list().await, gatepost.user("alice").list().await);
    let id = |response: &crate::harness::Response| response.header("x-request-id").unwrap().to_owned();
    assert_ne!(id(&one), id(&two));
    until("the log line has the request id", async || gatepost.written().contains(&id(&one))).await;
}
