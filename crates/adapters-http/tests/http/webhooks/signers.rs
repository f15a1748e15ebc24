//! Subscriptions whose webhooks are signed by key pairs, and their public keys.

use std::time::Duration;

use insta::assert_snapshot;

use super::subscriptions::{create, subscribed};
use crate::server::Server;
use crate::transcript::{ALICE, BOB, Request, Response, Transcript, request};

fn with(members: &str) -> String {
    format!(r#"{{"url":"https://example.com/hooks","events":["*"],{members}}}"#)
}

fn rotate(id: &str, body: &str) -> Request {
    request(&format!("POST /api/webhooks/subscriptions/{id}/rotate-secret")).header(ALICE).json(body)
}

fn keys(id: &str) -> Request {
    request(&format!("GET /.well-known/webhooks/{id}/jwks.json"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_pair_is_made_shown_rotated_and_replaced_by_a_secret() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let created = transcript.send(&server, create(&with(r#""signing":"ed25519""#))).await;
    assert!(!created.body.contains(r#""secret""#), "{}", created.body);
    let id = created.field("id");
    transcript.send(&server, keys(id)).await;
    for body in [r#"{"overlapSeconds":60}"#, r#"{"signing":"both","overlapSeconds":60}"#] {
        server.clock.advance(Duration::from_mins(1));
        transcript.send(&server, rotate(id, body)).await;
    }
    transcript.send(&server, keys(id)).await;
    server.clock.advance(Duration::from_mins(1));
    transcript.send(&server, rotate(id, r#"{"signing":"hmac","overlapSeconds":60}"#)).await;
    transcript.send(&server, keys(id)).await;
    for line in
        [format!("GET /api/webhooks/subscriptions/{id}"), "GET /api/webhooks/subscriptions?include=health".into()]
    {
        transcript.send(&server, request(&line).header(ALICE)).await;
    }
    server.clock.advance(Duration::from_mins(1));
    transcript.send(&server, request("GET /api/webhooks/subscriptions").header(ALICE)).await;
    transcript.send(&server, request("GET /api/audit").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}

/// The bytes of the answer do not show whether a subscription exists.
#[tokio::test(flavor = "multi_thread")]
async fn without_public_keys_all_answers_are_the_same() {
    let server = Server::start();
    let hmac = subscribed(&server, r#"["a"]"#).await;
    let deleted = create(&with(r#""signing":"ed25519""#)).send(&server).await.field("id").to_owned();
    let ended = create(&with(r#""signing":"ed25519""#)).send(&server).await.field("id").to_owned();
    let delete = request(&format!("DELETE /api/webhooks/subscriptions/{deleted}")).header(ALICE);
    assert_eq!(delete.send(&server).await.status, 204);
    assert_eq!(rotate(&ended, r#"{"signing":"hmac","overlapSeconds":0}"#).send(&server).await.status, 200);
    let same = |answer: &Response| {
        let id = answer.header("x-request-id").expect("an id").to_owned();
        answer.without_date().replace(&id, "an id")
    };
    let unknown = keys("sub_01h455vb4pex5vsknk084sn02q").send(&server).await;
    assert_eq!(unknown.status, 404);
    for id in [hmac.as_str(), &deleted, &ended, "sub_", "x"] {
        let answer = keys(id).send(&server).await;
        assert_eq!(same(&answer), same(&unknown), "{id}");
        let with_credential = keys(id).header(BOB).send(&server).await;
        assert_eq!(same(&with_credential), same(&unknown), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_way_to_sign_is_named_and_stores_nothing() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let wrong = [
        r#""signing":"rsa""#,
        r#""signing":"ED25519""#,
        r#""signing":"""#,
        r#""signing":7"#,
        r#""signing":["ed25519"]"#,
        r#""signing":"ed25519","secret":"swordfish""#,
        r#""signing":"none","secret":"""#,
        r#""publicKey":"whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=""#,
    ];
    transcript.send_each(&server, wrong.map(|members| create(&with(members)))).await;
    let list = request("GET /api/webhooks/subscriptions").header(ALICE).send(&server).await;
    assert_eq!(list.body, r#"{"subscriptions":[]}"#);
    let created = create(&with(r#""signing":"ed25519""#)).send(&server).await;
    let id = created.field("id");
    transcript.send_each(&server, wrong.map(|members| rotate(id, &format!("{{{members}}}")))).await;
    transcript.send(&server, rotate(id, r#"{"secret":"swordfish"}"#)).await;
    assert_snapshot!(transcript.text());
    let found = request(&format!("GET /api/webhooks/subscriptions/{id}")).header(ALICE).send(&server).await;
    let key = created.body.split(r#""publicKeys":"#).nth(1).unwrap().split(']').next().unwrap();
    assert!(found.body.contains(key), "what is refused changes nothing: {}", found.body);
    for (good, has_keys) in
        [(r#""signing":null"#, false), (r#""signing":"hmac""#, false), (r#""signing":"both""#, true)]
    {
        let created = create(&with(good)).send(&server).await;
        assert_eq!((created.status, created.body.contains("publicKeys")), (200, has_keys), "{good}");
        assert_eq!(created.body.contains(r#""signing""#), has_keys, "{good}");
    }
}
