//! `/forward-auth`: the answers for gateways.

use std::fmt::Write;

use insta::assert_snapshot;

use crate::doubles::{FailingStore, down};
use crate::server::{Server, read_until};
use crate::transcript::{ALICE, Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn names_the_user_the_key_and_its_scopes() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let odd = ("x-id-token", "odd.id.token");
    for (owner, body) in
        [(ALICE, r#"{"label":"a","scopes":["orders:write","orders:read"]}"#), (odd, r#"{"label":"b"}"#)]
    {
        let key = request("POST /api/api-keys").header(owner).json(body).send(&server).await;
        transcript.send(&server, request("GET /forward-auth").header(("x-api-key", key.field("key")))).await;
    }
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_with_a_challenge() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let key = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"a","scopes":["a"]}"#).send(&server).await;
    transcript.send(&server, request("GET /forward-auth")).await;
    transcript.send(&server, request("GET /forward-auth").header(ALICE)).await;
    let lacking = request("GET /forward-auth?scope=a&scope=c+b").header(("x-api-key", key.field("key")));
    transcript.send(&server, lacking).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn takes_an_api_key_any_method_and_its_own_parameters() {
    let (server, mut table) = (Server::start(), String::new());
    let key = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"a","scopes":["a","b"]}"#);
    let key = key.send(&server).await;
    let key = ("x-api-key", key.field("key"));
    let bearer = format!("Bearer {}", key.1);
    let calls: [(&str, &[(&str, &str)]); 15] = [
        ("GET /forward-auth", &[("authorization", &bearer)]),
        ("GET /forward-auth", &[key, ("authorization", &bearer)]),
        ("GET /forward-auth", &[key, ALICE]),
        ("GET /forward-auth", &[("x-id-token", "alice.id.token")]),
        ("POST /forward-auth", &[key]),
        ("DELETE /forward-auth?scope=a", &[key]),
        ("OPTIONS /forward-auth", &[key]),
        ("BREW /forward-auth", &[key]),
        ("GET /forward-auth?scope=a&scope=b", &[key]),
        ("GET /forward-auth?scope=a%20b", &[key]),
        ("GET /forward-auth?scope=a%20c", &[key]),
        ("GET /forward-auth?scope=", &[key]),
        ("GET /forward-auth?scopes=a", &[key]),
        ("GET /forward-auth?scopes=a", &[]),
        ("GET /forward-auth?profile=apache", &[key]),
    ];
    for (line, headers) in calls {
        let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
        let call = headers.iter().fold(request(line), |call, header| call.header(*header));
        let _ = writeln!(table, "{line:33} | {:24} | {}", names.join(", "), call.send(&server).await.verdict());
    }
    assert_snapshot!(table);
    let head = request("HEAD /forward-auth").header(key).send(&server).await;
    assert_eq!((head.status, head.header("x-auth-user"), head.body.as_str()), (200, Some("alice"), ""));
}

/// Envoy appends the path and the query of the caller's request. The service ignores both.
#[tokio::test(flavor = "multi_thread")]
async fn takes_the_path_of_the_callers_request_behind_its_own() {
    let (server, mut table) = (Server::start(), String::new());
    let key = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"a","scopes":["a"]}"#).send(&server).await;
    let key = ("x-api-key", key.field("key"));
    for line in [
        "GET /forward-auth/",
        "GET /forward-auth/orders/7?page=2",
        "POST /forward-auth/orders?scope=b&profile=apache",
        "DELETE /forward-auth//a//b/../c%2Fd/%FF?%FF=%",
        "BREW /forward-auth/livez",
    ] {
        let _ = writeln!(table, "{line:48} | {}", request(line).header(key).send(&server).await.verdict());
    }
    for line in ["GET /forward-auth/orders", "GET /forward-author", "GET /forward-auth;a"] {
        let _ = writeln!(table, "{line:48} | {}", request(line).send(&server).await.verdict());
    }
    assert_snapshot!(table);
    let answer = request("PUT /forward-auth/orders/7").header(key).send(&server).await;
    assert_eq!((answer.header("x-auth-user"), answer.header("x-auth-scopes")), (Some("alice"), Some("a")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_allowance_is_told_as_the_gateway_understands_it() {
    let server = Server::with(|setup| setup.rate_limit = Some("1/m".parse().unwrap()));
    let key = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let key = ("x-api-key", key.field("key"));
    assert_eq!(request("GET /forward-auth").header(key).send(&server).await.status, 200);
    for (line, status) in [("GET /forward-auth", 429), ("GET /forward-auth?profile=nginx", 403)] {
        let answer = request(line).header(key).send(&server).await;
        assert_eq!((answer.status, answer.field("code")), (status, "rate_limited"));
        assert!(answer.body.contains(&format!(r#""status":{status},"#)), "{}", answer.body);
        assert_eq!(answer.header("x-auth-status"), (status == 403).then_some("429"));
        let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&seconds), "{seconds}");
    }
}

/// A gateway forwards the head of the caller's request, including the length of a body that it does not forward.
#[tokio::test(flavor = "multi_thread")]
async fn does_not_wait_for_a_body() {
    let server = Server::start();
    let key = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"a"}"#).send(&server).await;
    let head = format!(
        "POST /forward-auth HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999\r\nx-api-key: {}\r\n\r\n",
        key.field("key")
    );
    let mut connection = server.begin(&head).await;
    assert!(read_until(&mut connection, "\r\n\r\n").await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_down_is_a_503() {
    let server = Server::with(|setup| setup.store = FailingStore::keys(down));
    let call = request("GET /forward-auth").header(("x-api-key", "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O"));
    assert_eq!(call.send(&server).await.verdict(), "503 unavailable");
}
