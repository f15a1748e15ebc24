//! `/api/whoami`, and with it the credentials of every path except key management.

use std::fmt::Write;
use std::time::Duration;

use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{ALICE, Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn tells_key_and_token_apart() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI \"x\""}"#).send(&server).await;
    let key = created.field("key");
    transcript.send(&server, request("GET /api/whoami").header(("x-api-key", key))).await;
    transcript.send(&server, request("GET /api/whoami").header(("authorization", &format!("Bearer {key}")))).await;
    transcript.send(&server, request("GET /api/whoami").header(ALICE)).await;
    transcript.send(&server, request("GET /api/whoami").header(("x-id-token", "bob.id.token"))).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn takes_one_credential_and_no_other() {
    let (server, mut table) = (Server::start(), String::new());
    let create = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#);
    let (first, second) = (create.send(&server).await, create.send(&server).await);
    let (key, other) = (first.field("key"), second.field("key"));
    let (bearer_key, bearer_other) = (format!("Bearer {key}"), format!("Bearer {other}"));
    let table_of_headers: [(&str, &[(&str, &str)]); 11] = [
        ("key", &[("x-api-key", key)]),
        ("key, twice", &[("x-api-key", key), ("authorization", &bearer_key)]),
        ("key, another bearer key", &[("x-api-key", key), ("authorization", &bearer_other)]),
        ("key, another key", &[("x-api-key", key), ("x-api-key", other)]),
        ("key, bearer token", &[("x-api-key", key), ALICE]),
        ("key, token", &[("x-api-key", key), ("x-id-token", "alice.id.token")]),
        ("token, twice", &[("x-id-token", "alice.id.token"), ALICE]),
        ("token, another token", &[("x-id-token", "bob.id.token"), ALICE]),
        ("token as a key", &[("x-api-key", "alice.id.token")]),
        ("key as a token", &[("x-id-token", key)]),
        ("token whose provider is down", &[("x-id-token", "down.id.token")]),
    ];
    for (name, headers) in table_of_headers {
        let call = headers.iter().fold(request("GET /api/whoami"), |call, header| call.header(*header));
        let _ = writeln!(table, "{name:28} | {}", call.send(&server).await.verdict());
    }
    assert_snapshot!(table);
}

/// Unknown, revoked, expired and malformed keys get one and the same body.
#[tokio::test(flavor = "multi_thread")]
async fn all_bad_keys_are_answered_alike() {
    let server = Server::start();
    let create = request("POST /api/api-keys").header(ALICE);
    let revoked = create.clone().json(r#"{"label":"a"}"#).send(&server).await;
    let expired = create.json(r#"{"label":"b","expiresAt":"2026-11-21T01:42:04Z"}"#).send(&server).await;
    let (revoked_key, expired_key) = (revoked.field("key"), expired.field("key"));
    assert_eq!(request("GET /api/whoami").header(("x-api-key", expired_key)).send(&server).await.status, 200);
    let revocation = format!(r#"{{"keyId":"{}"}}"#, revoked.field("keyId"));
    request("DELETE /api/api-keys").header(ALICE).json(&revocation).send(&server).await;
    server.clock.advance(Duration::from_secs(1));
    let too_long = "k".repeat(600);
    let mut answers = Vec::new();
    for key in [revoked_key, expired_key, "svc_live_unknown", "k k", &too_long] {
        let call = request("GET /api/whoami").header(("x-api-key", key)).header(("x-request-id", "5a3e"));
        answers.push(call.send(&server).await.without_date());
    }
    assert!(answers[0].starts_with("401"), "{}", answers[0]);
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
}
