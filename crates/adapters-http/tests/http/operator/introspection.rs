//! `/api/operator/introspect`.

use std::fmt::Write;
use std::time::Duration;

use insta::assert_snapshot;

use crate::doubles::{FailingStore, down};
use crate::server::Server;
use crate::transcript::{ALICE, OPERATOR, Request, Transcript, request};

fn introspect() -> Request {
    request("POST /api/operator/introspect").header(OPERATOR)
}

fn form(body: &str) -> Request {
    introspect().header(("content-type", "application/x-www-form-urlencoded")).body(body)
}

#[tokio::test(flavor = "multi_thread")]
async fn tells_what_a_key_is_in_both_forms() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let create = request("POST /api/api-keys").header(ALICE);
    let plain = create.clone().json(r#"{"label":"plain"}"#).send(&server).await;
    let full = r#"{"label":"full","scopes":["b","a"],"expiresAt":"2026-11-21T01:42:04.999Z"}"#;
    let full = create.json(full).send(&server).await;
    let (plain, full) = (plain.field("key"), full.field("key"));
    transcript.send(&server, form(&format!("token={plain}&token_type_hint=access_token"))).await;
    transcript.send(&server, introspect().json(&format!(r#"{{"token":"{full}"}}"#))).await;
    transcript.send(&server, introspect().json(&format!(r#"{{"token":"{full}","scopes":["a"]}}"#))).await;
    server.clock.advance(Duration::from_secs(2));
    transcript.send(&server, form(&format!("token={full}"))).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_good_is_inactive_and_nothing_more() {
    let server = Server::start();
    let create = request("POST /api/api-keys").header(ALICE);
    let (good, revoked) = (create.clone().json(r#"{"label":"a","scopes":["a"]}"#), create.json(r#"{"label":"b"}"#));
    let (good, revoked) = (good.send(&server).await, revoked.send(&server).await);
    let revocation = format!(r#"{{"keyId":"{}"}}"#, revoked.field("keyId"));
    request("DELETE /api/api-keys").header(ALICE).json(&revocation).send(&server).await;
    for body in [
        format!(r#"{{"token":"{}"}}"#, revoked.field("key")),
        format!(r#"{{"token":"{}","scopes":["a","b"]}}"#, good.field("key")),
        r#"{"token":"svc_live_unknown"}"#.to_owned(),
        r#"{"token":"alice.id.token"}"#.to_owned(),
        r#"{"token":""}"#.to_owned(),
    ] {
        let answer = introspect().json(&body).send(&server).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"active":false}"#), "{body}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_what_it_does_not_understand() {
    let (server, mut table) = (Server::start(), String::new());
    let large = format!("token={}", "a".repeat(16_384));
    let calls = [
        ("no body", introspect()),
        ("no token, form", form("a=b")),
        ("token twice, form", form("token=a&token=a")),
        ("scopes in a form", form("token=a&scopes=b")),
        ("too large, form", form(&large)),
        ("compressed form", form("token=a").header(("content-encoding", "gzip"))),
        ("token that is not a string", introspect().json(r#"{"token":1}"#)),
        ("scope that is none", introspect().json(r#"{"token":"a","scopes":["a b"]}"#)),
        ("malformed JSON", introspect().json("{")),
        ("another media type", introspect().header(("content-type", "text/plain")).body("token=a")),
    ];
    for (name, call) in calls {
        let _ = writeln!(table, "{name:22} | {}", call.send(&server).await.verdict());
    }
    assert_snapshot!(table);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_allowance_is_a_429_and_counts_the_key_alone() {
    let server = Server::with(|setup| setup.rate_limit = Some("1/m".parse().unwrap()));
    let mut transcript = Transcript::default();
    let key = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let body = format!("token={}", key.field("key"));
    assert_eq!(form(&body).send(&server).await.status, 200);
    let refused = form(&body).send(&server).await;
    assert_eq!(refused.verdict(), "429 rate_limited");
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    transcript.send(&server, form("token=svc_live_unknown")).await;
    assert_snapshot!(transcript.text());
}

/// An answer of "not active" would lock out everybody.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_down_is_a_503() {
    let server = Server::with(|setup| setup.store = FailingStore::keys(down));
    let mut transcript = Transcript::default();
    transcript.send(&server, form("token=svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O")).await;
    assert_snapshot!(transcript.text());
}
