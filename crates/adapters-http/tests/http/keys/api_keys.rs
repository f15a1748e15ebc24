//! The contract of `/api/api-keys`, from the first key to every refusal.

use std::time::Duration;

use domain::ports::StoreError;
use insta::assert_snapshot;

use crate::doubles::{FailingStore, down};
use crate::server::{Server, Setup};
use crate::transcript::{ALICE, BOB, Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_created_listed_used_and_revoked() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    transcript.send(&server, request("GET /api/api-keys").header(ALICE)).await;
    let created =
        transcript.send(&server, request("POST /api/api-keys").header(ALICE).json(r#"{"label":" CI deploy "}"#)).await;
    server.clock.advance(Duration::from_millis(1));
    request("GET /api/whoami").header(("x-api-key", created.field("key"))).send(&server).await;
    transcript.send(&server, request("GET /api/api-keys").header(ALICE)).await;
    server.clock.advance(Duration::from_millis(1));
    let revoke =
        request("DELETE /api/api-keys").header(ALICE).json(&format!(r#"{{"keyId":"{}"}}"#, created.field("keyId")));
    transcript.send(&server, revoke.clone()).await;
    server.clock.advance(Duration::from_millis(1));
    transcript.send(&server, revoke).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_with_an_expiry_shows_it_and_new_keys_come_first() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let create = request("POST /api/api-keys").header(ALICE);
    transcript.send(&server, create.clone().json(r#"{"label":"a","expiresAt":"2026-12-01T02:00:00+02:00"}"#)).await;
    server.clock.advance(Duration::from_secs(1));
    transcript.send(&server, create.json(r#"{"label":"b","expiresAt":null}"#)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_is_named() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let too_long = format!(r#"{{"label":"{}"}}"#, "a".repeat(101));
    let wrong_creations = [
        "",
        "{}",
        r#"{"label":null}"#,
        r#"{"label":""}"#,
        r#"{"label":" \t"}"#,
        r#"{"label":7}"#,
        r#"{"label":["a"]}"#,
        r#"{"label":"a\u0000b"}"#,
        &too_long,
        r#"{"label":"a","expiresAt":"tomorrow"}"#,
        r#"{"label":"a","expiresAt":1795225323}"#,
        r#"{"label":"a","expiresAt":"2026-11-21T01:42:03.120Z"}"#,
        r#"{"label":"a","expiresAt":"2036-11-19T01:42:03.121Z"}"#,
        r#"{"expiresAt":"tomorrow"}"#,
    ];
    for body in wrong_creations {
        transcript.send(&server, request("POST /api/api-keys").header(ALICE).json(body)).await;
    }
    let bodies = ["", "{}", r#"{"keyId":null}"#, r#"{"keyId":""}"#, r#"{"keyId":"  "}"#, r#"{"keyId":1}"#];
    transcript.send_each(&server, bodies.map(|body| request("DELETE /api/api-keys").header(ALICE).json(body))).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_no_json_object_is_refused() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let deep = format!(r#"{{"label":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    let post = request("POST /api/api-keys").header(ALICE);
    let bodies = ["{", "[]", "null", "\"a\"", "{\"label\":\"a\",\"label\":\"b\"}", "{\"x\":1,\"x\":1}", "{}{}", &deep];
    transcript.send_each(&server, bodies.map(|body| post.clone().json(body))).await;
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json", ""] {
        transcript.send(&server, post.clone().header(("content-type", media_type)).body("{}")).await;
    }
    transcript.send(&server, post.clone().body("{}")).await;
    transcript.send(&server, post.clone().header(("content-encoding", "gzip")).json("{}")).await;
    assert_snapshot!(transcript.text());

    for media_type in ["application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json"] {
        let good = post.clone().header(("content-type", media_type)).body(r#"{"label":"a"}"#);
        assert_eq!(good.send(&server).await.status, 200, "{media_type}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_eleventh_active_key_is_refused_until_one_is_revoked() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let create = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#);
    for _ in 0..9 {
        assert_eq!(create.send(&server).await.status, 200);
    }
    let tenth = create.send(&server).await;
    assert_eq!(tenth.status, 200);
    transcript.send(&server, create.clone()).await;
    assert_snapshot!(transcript.text());

    let id = tenth.field("keyId");
    let revoke = request("DELETE /api/api-keys").header(ALICE).json(&format!(r#"{{"keyId":"{id}"}}"#));
    assert_eq!(revoke.send(&server).await.status, 200);
    assert_eq!(create.send(&server).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_another_user_or_of_nobody_is_not_revoked() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let revoke = request("DELETE /api/api-keys").header(BOB);
    let id = created.field("keyId");
    let ids = [id, "key_00000000000000000000000000", "7", "svc_live_x", &format!(" {id}")];
    transcript.send_each(&server, ids.map(|id| revoke.clone().json(&format!(r#"{{"keyId":"{id}"}}"#)))).await;
    let list = request("GET /api/api-keys").header(ALICE).send(&server).await;
    assert!(list.body.contains(r#""revokedAt":null"#), "{}", list.body);
    transcript.send(&server, request("GET /api/api-keys").header(BOB)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_down_is_503_and_a_corrupt_one_500_without_a_word_of_the_inside() {
    let mut transcript = Transcript::default();
    let corrupt = || StoreError::Corrupt { table: "api_keys", column: "label", row: "key_x".into() };
    for store in [FailingStore::keys(down), FailingStore::keys(corrupt)] {
        let server = Setup { store, ..Setup::default() }.start();
        transcript.send(&server, request("GET /api/api-keys").header(ALICE)).await;
        transcript.send(&server, request("POST /api/api-keys").header(ALICE).json(r#"{"label":"a"}"#)).await;
        let revoke = request("DELETE /api/api-keys").header(ALICE);
        transcript.send(&server, revoke.json(r#"{"keyId":"key_00000000000000000000000000"}"#)).await;
        transcript.send(&server, request("GET /api/whoami").header(("x-api-key", "svc_live_x"))).await;
    }
    for inside in ["192.0.2.1", "api_keys\"", "column"] {
        assert!(!transcript.text().contains(inside), "{inside}");
    }
    assert_snapshot!(transcript.text());
}
