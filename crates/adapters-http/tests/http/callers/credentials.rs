//! Which credential counts. The service checks it before anything else.

use std::fmt::Write;

use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{ALICE, Request, Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn a_401_says_how_to_authenticate() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    transcript.send(&server, request("GET /api/api-keys")).await;
    transcript.send(&server, request("GET /api/api-keys").header(("authorization", "Basic YTpi"))).await;
    transcript.send(&server, request("GET /api/api-keys").header(("authorization", "Bearer nonsense"))).await;
    transcript.send(&server, request("GET /api/whoami")).await;
    transcript.send(&server, request("GET /api/whoami").header(("x-api-key", "svc_live_unknown"))).await;
    transcript.send(&server, request("GET /api/api-keys").header(("x-id-token", "down.id.token"))).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_comes_in_three_forms_that_must_agree() {
    let (server, mut table) = (Server::start(), String::new());
    let bearers = [None, Some("Bearer alice.id.token"), Some("Bearer wrong"), Some("Basic YTpi")];
    let plains = [None, Some("alice.id.token"), Some("bob.id.token"), Some("")];
    let bodies = ["", r#""idToken":"alice.id.token","#, r#""idToken":"bob.id.token","#, r#""idToken":"","#];
    let odd = [r#""idToken":null,"#, r#""idToken":1,"#, r#""idToken":["alice.id.token"],"#];
    for bearer in bearers {
        for plain in plains {
            for body in bodies.into_iter().chain(odd) {
                let mut create = request("POST /api/api-keys").json(&format!(r#"{{{body}"label":""}}"#));
                create = with(create, "authorization", bearer);
                create = with(create, "x-id-token", plain);
                let verdict = create.send(&server).await.verdict();
                let (bearer, plain) = (bearer.unwrap_or("-"), plain.unwrap_or("-"));
                let _ = writeln!(table, "{bearer:22} | {plain:14} | {body:31} | {verdict}");
            }
        }
    }
    assert_snapshot!(table);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_get_takes_no_token_from_a_body() {
    let server = Server::start();
    let get = request("GET /api/api-keys").json(r#"{"idToken":"alice.id.token"}"#);
    assert_eq!(get.send(&server).await.verdict(), "401 credential_missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_takes_the_token_from_the_body() {
    let server = Server::start();
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let body = format!(r#"{{"idToken":"alice.id.token","keyId":"{}"}}"#, created.field("keyId"));
    let revoked = request("DELETE /api/api-keys").json(&body).send(&server).await;
    assert_eq!(revoked.status, 200);
    assert!(!revoked.body.contains(r#""revokedAt":null"#), "{}", revoked.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_api_key_manages_no_keys() {
    let server = Server::start();
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let key = created.field("key");
    let bearer = format!("Bearer {key}");
    for line in ["GET /api/api-keys", "POST /api/api-keys", "DELETE /api/api-keys"] {
        for header in [("x-api-key", key), ("authorization", bearer.as_str()), ("x-id-token", key)] {
            let refused = request(line).header(header).json(r#"{"label":"a"}"#).send(&server).await;
            assert_eq!(refused.verdict(), "401 credential_invalid", "{line} {header:?}");
        }
        let refused = request(line).header(ALICE).header(("x-api-key", key)).json("{}").send(&server).await;
        assert_eq!(refused.verdict(), "401 credential_invalid", "{line} with both");
        assert!(!refused.body.contains(key));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_valid_credential_nothing_else_is_told() {
    let (server, mut table) = (Server::start(), String::new());
    let large = format!(r#"{{"label":"{}"}}"#, "a".repeat(16 * 1024));
    let large_with_token = format!(r#"{{"idToken":"alice.id.token","label":"{}"}}"#, "a".repeat(16 * 1024));
    let bodies: [(&str, &str, &str); 9] = [
        ("no body", "application/json", ""),
        ("good", "application/json", r#"{"label":"a"}"#),
        ("wrong field", "application/json", r#"{"label":7}"#),
        ("malformed", "application/json", "{"),
        ("malformed, with token", "application/json", r#"{"idToken":"alice.id.token""#),
        ("text", "text/plain", "a"),
        ("text, with token", "text/plain", r#"{"idToken":"alice.id.token"}"#),
        ("too large", "application/json", &large),
        ("too large, with token", "application/json", &large_with_token),
    ];
    for credential in [None, Some("Bearer nonsense"), Some("Bearer alice.id.token")] {
        for line in ["POST /api/api-keys", "DELETE /api/api-keys"] {
            for (name, media_type, body) in bodies {
                let call = request(line).header(("content-type", media_type)).body(body);
                let verdict = with(call, "authorization", credential).send(&server).await.verdict();
                let _ = writeln!(table, "{:21} | {line:20} | {name:21} | {verdict}", credential.unwrap_or("-"));
            }
        }
    }
    assert_snapshot!(table);
}

fn with(request: Request, name: &str, value: Option<&str>) -> Request {
    match value {
        Some(value) => request.header((name, value)),
        None => request,
    }
}
