//! `/api/api-keys/{keyId}/rotate`, and scopes.

use std::time::Duration;

use insta::assert_snapshot;
use tokio::time::Instant;

use crate::server::{Server, Setup};
use crate::transcript::{ALICE, BOB, Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn a_key_and_its_successor_are_both_good_until_the_overlap_ends() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let create = request("POST /api/api-keys").header(ALICE);
    let old = create.json(r#"{"label":"CI","scopes":["orders:write","orders:read"]}"#).send(&server).await;
    let rotate = format!("POST /api/api-keys/{}/rotate", old.field("keyId"));
    let new = request(&rotate).header(ALICE).json(r#"{"overlapSeconds":60}"#);
    let new = transcript.send(&server, new).await;
    let keys = [old.field("key"), new.field("key")];
    transcript.send_each(&server, keys.map(|key| request("GET /api/whoami").header(("x-api-key", key)))).await;
    transcript.send(&server, request(&rotate).header(ALICE)).await;
    server.clock.advance(Duration::from_mins(1));
    transcript.send(&server, request("GET /api/whoami").header(("x-api-key", old.field("key")))).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn rotation_works_at_the_maximum_and_ends_the_old_key_at_once() {
    let server = Server::start();
    let create = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#);
    for _ in 0..9 {
        assert_eq!(create.send(&server).await.status, 200);
    }
    let old = create.send(&server).await;
    assert_eq!(create.send(&server).await.status, 400);
    let key = request("GET /api/whoami").header(("x-api-key", old.field("key")));
    assert_eq!(key.send(&server).await.status, 200);
    let rotate = request(&format!("POST /api/api-keys/{}/rotate", old.field("keyId")));
    let new = rotate.clone().header(ALICE).send(&server).await;
    assert_eq!(new.status, 200);
    assert_eq!(key.send(&server).await.status, 401);
    assert_eq!(request("GET /api/whoami").header(("x-api-key", new.field("key"))).send(&server).await.status, 200);
    assert_eq!(create.send(&server).await.status, 400, "the successor counts");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_rotated_says_why() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let rotate = request(&format!("POST /api/api-keys/{}/rotate", created.field("keyId")));
    transcript.send(&server, rotate.clone()).await;
    transcript.send(&server, rotate.clone().header(("x-api-key", created.field("key")))).await;
    transcript.send(&server, rotate.clone().header(BOB)).await;
    transcript.send(&server, request("POST /api/api-keys/key_1/rotate").header(ALICE)).await;
    for overlap in ["-1", "1.5", "\"1\"", "604801"] {
        let body = format!(r#"{{"overlapSeconds":{overlap}}}"#);
        transcript.send(&server, rotate.clone().header(ALICE).json(&body)).await;
    }
    for scopes in ["\"a\"", "[1]", "[\"a b\"]", "[\"\"]"] {
        let body = format!(r#"{{"label":"CI","scopes":{scopes}}}"#);
        transcript.send(&server, request("POST /api/api-keys").header(ALICE).json(&body)).await;
    }
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_used_too_often_is_429_and_no_other() {
    let server = Setup { rate_limit: "2/h".parse().ok(), ..Setup::default() }.start();
    let mut transcript = Transcript::default();
    let create = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#);
    let (busy, other) = (create.send(&server).await, create.send(&server).await);
    let call = request("GET /api/whoami").header(("x-api-key", busy.field("key")));
    let begun = Instant::now();
    for _ in 0..2 {
        assert_eq!(call.send(&server).await.status, 200);
    }
    let refused = call.send(&server).await;
    assert_eq!(refused.status, 429);
    refused.assert_retry_after(1800, begun);
    assert_eq!(refused.header("ratelimit-policy"), Some(r#""key";q=2;w=3600"#));
    transcript.send(&server, request("GET /api/whoami").header(("x-api-key", other.field("key")))).await;
    transcript.send(&server, request("GET /api/whoami").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}
