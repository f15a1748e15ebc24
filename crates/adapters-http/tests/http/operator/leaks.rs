//! `/api/operator/leaks`.

use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{ALICE, BOB, OPERATOR, Request, Transcript, request};

fn report(tokens: &[&str]) -> Request {
    let body = format!(r#"{{"tokens":["{}"]}}"#, tokens.join(r#"",""#));
    request("POST /api/operator/leaks").header(OPERATOR).json(&body)
}

#[tokio::test(flavor = "multi_thread")]
async fn revokes_what_is_a_key_whoever_owns_it() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let mut keys = Vec::new();
    for owner in [ALICE, BOB] {
        keys.push(request("POST /api/api-keys").header(owner).json(r#"{"label":"a"}"#).send(&server).await);
    }
    let tokens = [keys[1].field("key"), "svc_live_unknown", keys[0].field("key"), "no key", keys[1].field("key")];
    let answer = transcript.send(&server, report(&tokens)).await;
    for key in &keys {
        let call = request("GET /api/whoami").header(("x-api-key", key.field("key")));
        assert_eq!(call.send(&server).await.status, 401);
        assert!(!answer.body.contains(key.field("key")));
    }
    assert_eq!(report(&tokens).send(&server).await.body, answer.body);
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn takes_a_thousand_texts_and_no_more() {
    let server = Server::start();
    let text = "a".repeat(200);
    assert_eq!(report(&vec![text.as_str(); 1_000]).send(&server).await.verdict(), "200");
    let mut transcript = Transcript::default();
    let too_many = report(&["a"; 1_001]).send(&server).await;
    assert_eq!((too_many.verdict().as_str(), too_many.field("field")), ("400 invalid_field", "tokens"));
    let too_large = report(&[&"a".repeat(256 * 1024)]).send(&server).await;
    assert_eq!(too_large.verdict(), "413 payload_too_large");
    let leaks = request("POST /api/operator/leaks").header(OPERATOR);
    transcript.send(&server, leaks.clone().json(r#"{"tokens":[]}"#)).await;
    transcript.send(&server, leaks.clone().json("{}")).await;
    transcript.send(&server, leaks.json(r#"{"tokens":["a",1]}"#)).await;
    assert_snapshot!(transcript.text());
}
