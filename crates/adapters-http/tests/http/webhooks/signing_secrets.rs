//! Signing secrets: shown once, when the service made them, and never again.

use std::sync::Arc;
use std::time::Duration;

use domain::ports::{Clock, SealedSecretStore as _};
use domain::{SealingKeys, SubscriptionId};
use insta::assert_snapshot;
use zeroize::Zeroizing;

use crate::boundary::logs::Lines;
use crate::server::Server;
use crate::transcript::{ALICE, OPERATOR, Request, Transcript, request};
use crate::webhooks::dispatcher::Receiver;
use crate::webhooks::subscriptions::{create, subscribed};

const CANARY: &str = "whsec_Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5";

fn rotate(id: &str, body: &str) -> Request {
    request(&format!("POST /api/webhooks/subscriptions/{id}/rotate-secret")).header(ALICE).json(body)
}

/// The secrets that sign now, newest first.
async fn signing(server: &Server, id: &str) -> Vec<String> {
    let keys = SealingKeys::new(vec![Zeroizing::new([7; 32])]).unwrap();
    let id: SubscriptionId = id.parse().unwrap();
    let stored = server.queue.list_secrets(None, 10).await.unwrap();
    let (_, secrets) = stored.into_iter().find(|(other, _)| *other == id).unwrap();
    let at = server.clock.now();
    let signers = secrets.signing_at(at).map(|sealed| keys.unseal(sealed, id).unwrap().signer);
    signers.map(|signer| signer.secret().unwrap().expose().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_answered_only_when_the_service_made_it() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let made = transcript.send(&server, create(r#"{"url":"https://example.com","events":["a"]}"#)).await;
    let given = format!(r#"{{"url":"https://example.com","events":["a"],"secret":"{CANARY}"}}"#);
    let given = create(&given).send(&server).await;
    assert!(!given.body.contains("secret"), "{}", given.body);
    let id = made.field("id");
    assert_eq!(signing(&server, id).await, [made.field("secret")]);
    assert_eq!(signing(&server, given.field("id")).await, [CANARY]);

    server.clock.advance(Duration::from_secs(1));
    let rotated = transcript.send(&server, rotate(id, "")).await;
    assert_eq!(signing(&server, id).await, [rotated.field("secret"), made.field("secret")]);
    server.clock.advance(Duration::from_hours(24));
    transcript.send(&server, rotate(id, &format!(r#"{{"secret":"{CANARY}","overlapSeconds":60}}"#))).await;
    assert_eq!(signing(&server, id).await, [CANARY, rotated.field("secret")]);
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_is_repeated_by_its_idempotency_key() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let id = subscribed(&server, r#"["a"]"#).await;
    let known = signing(&server, &id).await.remove(0);
    let keyed = |key: &str| rotate(&id, "").header(("idempotency-key", key));
    let rotated = transcript.send(&server, keyed("autumn-2026")).await;
    server.clock.advance(Duration::from_mins(1));
    let repeated = transcript.send(&server, keyed("autumn-2026")).await;
    assert_eq!(repeated.body, rotated.body);
    for refused in
        [keyed("winter-2026"), rotate(&id, ""), keyed("two words"), keyed("1").header(("idempotency-key", "1"))]
    {
        transcript.send(&server, refused).await;
        assert_eq!(signing(&server, &id).await, [rotated.field("secret"), known.as_str()]);
    }
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overlap_ends_to_the_instant() {
    let server = Server::start();
    let id = subscribed(&server, r#"["a"]"#).await;
    for (body, milliseconds) in [("", 86_400_000), (r#"{"overlapSeconds":604800}"#, 604_800_000)] {
        assert_eq!(rotate(&id, body).send(&server).await.status, 200);
        server.clock.advance(Duration::from_millis(milliseconds - 1));
        assert_eq!(signing(&server, &id).await.len(), 2, "{body}");
        server.clock.advance(Duration::from_millis(1));
        assert_eq!(signing(&server, &id).await.len(), 1, "{body}");
    }
    assert_eq!(rotate(&id, r#"{"overlapSeconds":0}"#).send(&server).await.status, 200);
    assert_eq!(signing(&server, &id).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_of_a_rotation_is_named() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let id = subscribed(&server, r#"["a"]"#).await;
    let bodies = [
        r#"{"overlapSeconds":604801}"#,
        r#"{"overlapSeconds":-1,"secret":""}"#,
        r#"{"overlapSeconds":"1","secret":7}"#,
        r#"{"overlapSeconds":18446744073709551615}"#,
        "[]",
    ];
    transcript.send_each(&server, bodies.map(|body| rotate(&id, body))).await;
    assert_snapshot!(transcript.text());
    assert_eq!(signing(&server, &id).await.len(), 1);
}

/// A canary secret goes through every call, and no answer and no log line contains it.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_leaves_through_no_other_door() {
    let (lines, server) = (Lines::capture(), Server::start());
    let body = format!(r#"{{"url":"https://example.com/a","events":["a"],"secret":"{CANARY}"}}"#);
    let created = create(&body).send(&server).await;
    let id = created.field("id").to_owned();
    let own = create(r#"{"url":"https://example.com/b","events":["a"]}"#).send(&server).await;
    let made = own.field("secret").to_owned();
    let wrong = format!(r#"{{"url":7,"events":["a"],"secret":"{CANARY}\u0000"}}"#);
    let mut answers = vec![created, create(&wrong).send(&server).await];
    answers.push(rotate(&id, &format!(r#"{{"secret":"{CANARY}"}}"#)).send(&server).await);
    let publish = request("POST /api/operator/events").header(OPERATOR);
    answers.push(publish.json(r#"{"userId":"alice","type":"a","data":1}"#).send(&server).await);
    assert_eq!(server.dispatch(Receiver::Fails).await, 2);
    let subscription = format!("/api/webhooks/subscriptions/{id}");
    let own = format!("/api/webhooks/subscriptions/{}", own.field("id"));
    for line in [
        format!("GET {subscription}"),
        format!("GET {own}"),
        format!("POST {subscription}/test"),
        "GET /api/webhooks/subscriptions".into(),
        "GET /api/webhooks/deliveries".into(),
    ] {
        answers.push(request(&line).header(ALICE).send(&server).await);
    }
    let delivery = answers.last().unwrap().field("id").to_owned();
    answers.push(request(&format!("GET /api/webhooks/deliveries/{delivery}")).header(ALICE).send(&server).await);
    let patch = request(&format!("PATCH {own}")).header(ALICE);
    answers.push(patch.json(&format!(r#"{{"secret":"{CANARY}","description":"x"}}"#)).send(&server).await);
    for answer in &answers {
        for secret in [CANARY, &made] {
            assert!(!answer.without_date().contains(secret), "{answer:?}");
        }
    }
    let logged = Arc::new(lines.text());
    assert!(logged.contains("/api/webhooks/subscriptions/{id}/rotate-secret"), "the log is read");
    assert!(!logged.contains(CANARY) && !logged.contains(&made));
}
