//! `/api/operator/users/{userId}/keys`: support work.

use std::time::Duration;

use domain::ports::Clock as _;
use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{ALICE, BOB, OPERATOR, Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn shows_and_revokes_keys_of_one_user() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let create = |owner| request("POST /api/api-keys").header(owner).json(r#"{"label":"CI"}"#);
    let (key, others) = (create(ALICE).send(&server).await, create(BOB).send(&server).await);
    transcript.send(&server, request("GET /api/operator/users/alice/keys").header(OPERATOR)).await;
    transcript.send(&server, request("GET /api/operator/users/nobody/keys").header(OPERATOR)).await;
    for id in [key.field("keyId"), key.field("keyId"), others.field("keyId"), "key_1"] {
        let revoke = request(&format!("DELETE /api/operator/users/alice/keys/{id}")).header(OPERATOR);
        transcript.send(&server, revoke).await;
    }
    assert_eq!(request("GET /api/whoami").header(("x-api-key", key.field("key"))).send(&server).await.status, 401);
    assert_eq!(request("GET /api/whoami").header(("x-api-key", others.field("key"))).send(&server).await.status, 200);
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn revokes_all_keys_of_one_user() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let create = |owner| request("POST /api/api-keys").header(owner).json(r#"{"label":"CI"}"#);
    let (early, others) = (create(ALICE).send(&server).await, create(BOB).send(&server).await);
    server.clock.advance(Duration::from_secs(1));
    let (boundary, late) = (server.clock.now(), create(ALICE).send(&server).await);
    let path = "/api/operator/users/alice/keys";
    let before = format!("DELETE {path}?createdBefore={boundary}");
    let calls = [
        (before.as_str(), [401, 200, 200]),
        (&before, [401, 200, 200]),
        (&format!("DELETE {path}?createdBefore=yesterday"), [401, 200, 200]),
        (&format!("DELETE {path}?createdbefore={boundary}"), [401, 200, 200]),
        ("DELETE /api/operator/users/nobody/keys", [401, 200, 200]),
        (&format!("DELETE {path}"), [401, 401, 200]),
    ];
    for (line, statuses) in calls {
        transcript.send(&server, request(line).header(OPERATOR)).await;
        for (key, status) in [&early, &late, &others].into_iter().zip(statuses) {
            let whoami = request("GET /api/whoami").header(("x-api-key", key.field("key")));
            assert_eq!(whoami.send(&server).await.status, status, "after {line}");
        }
    }
    assert_snapshot!(transcript.text());
}
