//! `PATCH /api/api-keys/{keyId}`, and the effect of a change on verification.

use insta::assert_snapshot;

use crate::server::{Server, Setup};
use crate::transcript::{ALICE, BOB, OPERATOR, Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_key_is_refused_until_it_is_enabled() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let change = request(&format!("PATCH /api/api-keys/{}", created.field("keyId"))).header(ALICE);
    let whoami = request("GET /api/whoami").header(("x-api-key", created.field("key")));
    assert_eq!(whoami.send(&server).await.status, 200);
    transcript.send(&server, change.clone().json(r#"{"disabled":true}"#)).await;
    assert_eq!(whoami.send(&server).await.verdict(), "401 credential_invalid");
    let rotate = request(&format!("POST /api/api-keys/{}/rotate", created.field("keyId"))).header(ALICE);
    assert_eq!(rotate.send(&server).await.verdict(), "409 key_not_rotatable");
    transcript.send(&server, change.clone().json(r#"{"disabled":false}"#)).await;
    assert_eq!(whoami.send(&server).await.status, 200);
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_is_merged_and_shown_to_the_host() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let create = request("POST /api/api-keys").header(ALICE);
    let create = create.json(r#"{"label":"CI","metadata":{"plan":"free","region":"eu"},"rateLimit":"100/s"}"#);
    let created = transcript.send(&server, create).await;
    let change = request(&format!("PATCH /api/api-keys/{}", created.field("keyId"))).header(ALICE);
    let patch = r#"{"label":" new ","metadata":{"plan":"pro","region":null},"rateLimit":null,"expiresAt":"2027-01-01T00:00:00Z"}"#;
    transcript.send(&server, change.clone().json(patch)).await;
    let introspect = request("POST /api/operator/introspect").header(OPERATOR);
    let introspect = introspect.json(&format!(r#"{{"token":"{}"}}"#, created.field("key")));
    transcript.send(&server, introspect).await;
    transcript.send(&server, change.json(r#"{"metadata":null}"#)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_changed_says_why() {
    let server = Setup { rate_limit: "100/s".parse().ok(), ..Setup::default() }.start();
    let mut transcript = Transcript::default();
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let change = request(&format!("PATCH /api/api-keys/{}", created.field("keyId")));
    transcript.send(&server, change.clone().header(BOB).json(r#"{"disabled":true}"#)).await;
    transcript.send(&server, request("PATCH /api/api-keys/key_1").header(ALICE).json("{}")).await;
    let bodies = [
        r#"{"label":null,"disabled":null,"expiresAt":null}"#,
        r#"{"label":"","disabled":"yes","metadata":[],"rateLimit":"5","expiresAt":"now"}"#,
        r#"{"metadata":{"Plan":"pro"}}"#,
        r#"{"metadata":{"plan":1}}"#,
        r#"{"rateLimit":"101/s"}"#,
        r#"{"expiresAt":"2020-01-01T00:00:00Z"}"#,
        r#"{"scopes":["orders:read"]}"#,
    ];
    transcript.send_each(&server, bodies.map(|body| change.clone().header(ALICE).json(body))).await;
    let revoke = request("DELETE /api/api-keys").header(ALICE);
    let revoke = revoke.json(&format!(r#"{{"keyId":"{}"}}"#, created.field("keyId")));
    assert_eq!(revoke.send(&server).await.status, 200);
    transcript.send(&server, change.header(ALICE).json(r#"{"disabled":true}"#)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_may_have_a_rate_limit_of_its_own() {
    let server = Setup { rate_limit: "100/h".parse().ok(), ..Setup::default() }.start();
    let create = request("POST /api/api-keys").header(ALICE);
    let created = create.json(r#"{"label":"CI","rateLimit":"2/h"}"#).send(&server).await;
    let call = request("GET /api/whoami").header(("x-api-key", created.field("key")));
    for _ in 0..2 {
        assert_eq!(call.send(&server).await.status, 200);
    }
    let refused = call.send(&server).await;
    assert_eq!(refused.verdict(), "429 rate_limited");
    assert_eq!(refused.header("ratelimit-policy"), Some(r#""key";q=2;w=3600"#));

    let change = |path: &str| request(&format!("PATCH /api/{path}/{}", created.field("keyId")));
    let (by_owner, by_host) = (change("api-keys").header(ALICE), change("operator/users/alice/keys").header(OPERATOR));
    for body in ["{}", r#"{"label":"CI 2"}"#, r#"{"disabled":false}"#] {
        assert_eq!(by_owner.clone().json(body).send(&server).await.status, 200);
        assert_eq!(call.send(&server).await.verdict(), "429 rate_limited", "{body} renews no allowance");
    }
    let above = r#"{"rateLimit":"101/h"}"#;
    assert_eq!(by_owner.json(above).send(&server).await.verdict(), "400 invalid_field");
    assert_eq!(by_host.json(above).send(&server).await.status, 200);
    assert_eq!(call.send(&server).await.header("ratelimit-policy"), Some(r#""key";q=101;w=3600"#));
}
