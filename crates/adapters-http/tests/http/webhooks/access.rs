//! The rights of an API key to webhooks, and the effect of its revocation or leak on its subscriptions.

use std::sync::Arc;

use domain::memory::MemoryKeyStore;
use domain::memory::unique_cause;
use domain::ports::{KeyStore as _, KeyStores, RevokeDigestsRequest};
use domain::{CredentialDigest, Timestamp};
use insta::assert_snapshot;

use super::subscriptions::{subscribed, switch};
use crate::server::{Server, Setup};
use crate::transcript::{ALICE, OPERATOR, Request, Response, Transcript, request};

const GOOD: &str = r#"{"url":"https://example.com/hooks","events":["invoice.*"]}"#;

async fn key(server: &Server, scopes: &str) -> Response {
    let body = format!(r#"{{"label":"CI","scopes":[{scopes}]}}"#);
    request("POST /api/api-keys").header(ALICE).json(&body).send(server).await
}

fn create_by(key: &str) -> Request {
    request("POST /api/webhooks/subscriptions").header(("x-api-key", key)).json(GOOD)
}

async fn shown(server: &Server, id: &str) -> Response {
    request(&format!("GET /api/webhooks/subscriptions/{id}")).header(ALICE).send(server).await
}

async fn report(server: &Server, token: &str) {
    let leak = request("POST /api/operator/leaks").header(OPERATOR).json(&format!(r#"{{"tokens":["{token}"]}}"#));
    assert_eq!(leak.send(server).await.status, 200);
}

/// Every operation on webhooks asks for one of the two scopes, before it looks at anything else.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_with_scopes_needs_the_scope_of_the_call() {
    let server = Server::start();
    let keys = [
        ("", true, true),
        (r#""orders:read""#, false, false),
        (r#""webhooks:read""#, true, false),
        (r#""orders:read","webhooks:write""#, true, true),
    ];
    let reads = ["", "/x", "/deliveries", "/deliveries/x", "/deliveries/stream?x"];
    let writes = ["POST ", "PATCH /x", "DELETE /x", "POST /x/rotate-secret", "POST /x/test", "POST /x/recover"];
    let of_deliveries = ["POST /deliveries/x/retry", "POST /deliveries/x/cancel"];
    let reads = reads.map(|path| format!("GET {path}")).map(|line| (line, "webhooks:read"));
    let writes = writes.into_iter().chain(of_deliveries).map(|line| (line.to_owned(), "webhooks:write"));
    let calls: Vec<(String, &str)> = reads.into_iter().chain(writes).collect();
    for (scopes, may_read, may_write) in keys {
        let key = key(&server, scopes).await;
        for (call, scope) in &calls {
            let (method, path) = call.split_once(' ').unwrap();
            let folder = if path.starts_with("/deliveries") { "" } else { "/subscriptions" };
            let line = format!("{method} /api/webhooks{folder}{path}");
            let answer = request(&line).header(("x-api-key", key.field("key"))).json("{").send(&server).await;
            let allowed = if *scope == "webhooks:read" { may_read } else { may_write };
            assert_eq!(answer.verdict() != "403 insufficient_scope", allowed, "{line} with [{scopes}]");
            let challenge = answer.header("www-authenticate").unwrap_or_default();
            assert!(allowed || challenge.contains(&format!("scope=\"{scope}\"")), "{challenge}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leak_disables_what_the_key_has_set() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let leaked = key(&server, "").await;
    let created = transcript.send(&server, create_by(leaked.field("key"))).await;
    let moved = subscribed(&server, r#"["*"]"#).await;
    let change = request(&format!("PATCH /api/webhooks/subscriptions/{moved}"));
    let moving = change.header(("x-api-key", leaked.field("key"))).json(r#"{"url":"https://example.com/mine"}"#);
    assert_eq!(moving.send(&server).await.status, 200);
    let own = subscribed(&server, r#"["*"]"#).await;

    report(&server, leaked.field("key")).await;
    for id in [created.field("id"), &moved] {
        let body = shown(&server, id).await.body;
        assert!(body.contains(r#""state":"disabled","reason":"key_leaked""#), "{body}");
    }
    assert!(shown(&server, &own).await.body.contains(r#""enabled":true"#), "an ID token has set this URL");
    let show = request(&format!("GET /api/webhooks/subscriptions/{}", created.field("id"))).header(ALICE);
    transcript.send(&server, show).await;
    assert_snapshot!(transcript.text());
}

/// More subscriptions than one transaction disables.
#[tokio::test(flavor = "multi_thread")]
async fn a_leak_disables_all_subscriptions_of_the_key() {
    let server = Server::with(|setup| setup.webhook_policy.max_subscriptions = 201);
    let leaked = key(&server, "").await;
    for _ in 0..201 {
        assert_eq!(create_by(leaked.field("key")).send(&server).await.status, 200);
    }
    report(&server, leaked.field("key")).await;
    let mut page = "GET /api/webhooks/subscriptions?limit=100".to_owned();
    for expected in [100, 100, 1] {
        let list = request(&page).header(ALICE).send(&server).await;
        assert_eq!(list.body.matches(r#""enabled":false"#).count(), expected, "{}", list.body);
        if expected == 100 {
            page = format!("GET /api/webhooks/subscriptions?limit=100&cursor={}", list.field("nextCursor"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_leaves_the_subscriptions() {
    let server = Server::start();
    let revoked = key(&server, "").await;
    let created = create_by(revoked.field("key")).send(&server).await;
    let body = format!(r#"{{"keyId":"{}"}}"#, revoked.field("keyId"));
    assert_eq!(request("DELETE /api/api-keys").header(ALICE).json(&body).send(&server).await.status, 200);
    assert!(shown(&server, created.field("id")).await.body.contains(r#""enabled":true"#));
}

/// The key is revoked after its verification, so that a report of the leak has come too early to see the subscription.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_revoked_during_the_call_leaves_nothing_enabled() {
    let store = Arc::new(MemoryKeyStore::default());
    let server = Setup { store: KeyStores::of(&store), ..Setup::default() }.start();
    let (leaked, id) = (key(&server, "").await, subscribed(&server, r#"["*"]"#).await);
    let by_key = |line: &str, body: &str| request(line).header(("x-api-key", leaked.field("key"))).json(body);
    assert_eq!(by_key("GET /api/whoami", "").send(&server).await.status, 200, "the key is now in memory");
    let digest = CredentialDigest::of_presented(leaked.field("key")).unwrap();
    let leak = RevokeDigestsRequest { digests: vec![digest], at: Timestamp::MIN, cause: unique_cause() };
    store.revoke_by_digests(&leak).await.unwrap();

    let path = format!("/api/webhooks/subscriptions/{id}");
    let recover = (format!("POST {path}/recover"), r#"{"since":"2026-11-20T00:00:00Z"}"#);
    let enable = (format!("PATCH {path}"), r#"{"enabled":true}"#);
    let move_it = (format!("PATCH {path}"), r#"{"url":"https://example.com/mine"}"#);
    for (line, body) in [recover, enable, move_it] {
        switch(&server, &id, true).await;
        assert_eq!(by_key(&line, body).send(&server).await.verdict(), "401 credential_invalid", "{line} {body}");
        assert!(shown(&server, &id).await.body.contains(r#""enabled":false"#), "{line} {body}");
    }
    assert_eq!(create_by(leaked.field("key")).send(&server).await.verdict(), "401 credential_invalid");
    let list = request("GET /api/webhooks/subscriptions").header(ALICE).send(&server).await;
    assert_eq!(list.body.matches(r#""enabled":false"#).count(), 2, "{}", list.body);
    let renamed = by_key(&format!("PATCH {path}"), r#"{"description":"x"}"#).send(&server).await;
    assert_eq!(renamed.status, 200, "a description sends nothing anywhere");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_the_settings_exclude_changes_no_webhook() {
    let server =
        Server::with(|setup| setup.settings.webhook_changes = Some(|headers| !headers.contains_key("x-forwarded-for")));
    let forwarded = ("x-forwarded-for", "203.0.113.1");
    for line in ["POST /api/webhooks/subscriptions", "DELETE /api/webhooks/subscriptions/x"] {
        let call = request(line).json(GOOD);
        assert_eq!(call.clone().header(forwarded).send(&server).await.verdict(), "401 credential_missing", "{line}");
        let call = call.header(ALICE);
        assert_eq!(call.clone().header(forwarded).send(&server).await.verdict(), "403 not_local", "{line}");
        assert_ne!(call.send(&server).await.status, 403, "{line}");
    }
    let list = request("GET /api/webhooks/subscriptions").header(ALICE).header(forwarded);
    assert_eq!(list.send(&server).await.status, 200);
}
