//! Access to the operator API.

use std::fmt::Write;

use adapters_http::{OperatorScope, OperatorToken};
use insta::assert_snapshot;

use crate::server::{Server, Setup};
use crate::transcript::{ALICE, OPERATOR, Transcript, request};

const PATHS: [&str; 8] = [
    "POST /api/operator/introspect",
    "POST /api/operator/leaks",
    "GET /api/operator/users/alice/keys",
    "DELETE /api/operator/users/alice/keys",
    "DELETE /api/operator/users/alice/keys/key_1",
    "POST /api/operator/events",
    "POST /api/operator/events/batch",
    "PUT /api/operator/introspect",
];

#[tokio::test(flavor = "multi_thread")]
async fn takes_the_operator_token_as_a_bearer_and_nothing_else() {
    let (server, mut table) = (Server::start(), String::new());
    let key = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let bearer_key = format!("Bearer {}", key.field("key"));
    let credentials: [(&str, &[(&str, &str)]); 9] = [
        ("nothing", &[]),
        ("operator token", &[OPERATOR]),
        ("operator token, scheme in lower case", &[("authorization", "bearer operator-secret")]),
        ("another token", &[("authorization", "Bearer operator-secreT")]),
        ("empty token", &[("authorization", "Bearer ")]),
        ("another scheme", &[("authorization", "Basic operator-secret")]),
        ("another header", &[("x-api-key", "operator-secret")]),
        ("API key", &[("authorization", &bearer_key)]),
        ("ID token", &[ALICE]),
    ];
    for (name, headers) in credentials {
        for line in PATHS {
            let call = headers.iter().fold(request(line), |call, header| call.header(*header));
            let _ = writeln!(table, "{name:36} | {line:43} | {}", call.send(&server).await.verdict());
        }
    }
    assert_snapshot!(table);
}

/// The credential is checked before the body is read.
#[tokio::test(flavor = "multi_thread")]
async fn without_the_token_a_malformed_body_is_a_401() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    for line in [
        "POST /api/operator/introspect",
        "POST /api/operator/leaks",
        "POST /api/operator/events",
        "POST /api/operator/events/batch",
    ] {
        transcript.send(&server, request(line).json("{")).await;
        transcript.send(&server, request(line).header(ALICE).json("{")).await;
    }
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_configured_token_there_is_no_such_path() {
    let server = Setup { operator_tokens: Vec::new(), ..Setup::default() }.start();
    for line in PATHS {
        let same_id = ("x-request-id", "dead-1");
        let answer = request(line).header(OPERATOR).header(same_id).send(&server).await;
        let unknown = request("GET /api/nothing").header(OPERATOR).header(same_id).send(&server).await;
        assert_eq!(answer.verdict(), "404 not_found", "{line}");
        assert_eq!(answer.without_date(), unknown.without_date(), "{line}");
    }
}

/// Two tokens of one purpose overlap, so that one replaces the other without an outage.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_makes_the_calls_of_its_scopes() {
    let token = |name, scopes: &[OperatorScope]| OperatorToken::new(name, scopes.to_vec(), &format!("{name}-secret"));
    let operator_tokens = vec![
        token("checker", &[OperatorScope::Verify]),
        token("checker-2", &[OperatorScope::Verify]),
        token("billing", &[OperatorScope::Publish]),
        token("help-desk", &[OperatorScope::Support]),
        token("host", &[OperatorScope::Verify, OperatorScope::Publish]),
        token("root", &[OperatorScope::Admin]),
        token("nothing", &[]),
    ];
    let (server, mut table) = (Setup { operator_tokens, ..Setup::default() }.start(), String::new());
    for name in ["checker", "checker-2", "billing", "help-desk", "host", "root", "nothing", "unknown"] {
        for line in PATHS {
            let call = request(line).header(("authorization", &format!("Bearer {name}-secret")));
            let _ = writeln!(table, "{name:9} | {line:43} | {}", call.send(&server).await.verdict());
        }
    }
    assert_snapshot!(table);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_scope_is_named_before_the_body_is_read() {
    let operator_tokens = vec![OperatorToken::new("checker", vec![OperatorScope::Verify], "checker-secret")];
    let server = Setup { operator_tokens, ..Setup::default() }.start();
    let mut transcript = Transcript::default();
    let call = request("POST /api/operator/events").header(("authorization", "Bearer checker-secret")).json("{");
    transcript.send(&server, call).await;
    assert_snapshot!(transcript.text());
}
