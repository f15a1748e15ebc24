//! The outcomes of attempts by the hour.

use domain::ports::DeliveryQueue;
use domain::webhooks::SubscriptionOutcomes;
use domain::{Hour, Timestamp};
use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{ALICE, BOB, Transcript, request};
use crate::webhooks::dispatcher::Receiver;
use crate::webhooks::subscriptions::{publish, subscribed};

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_sees_how_long_attempts_take() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let id = subscribed(&server, r#"["a"]"#).await;
    let times = request(&format!("GET /api/webhooks/subscriptions/{id}/times"));
    transcript.send(&server, times.clone().header(ALICE)).await;
    publish(&server, 1).await;
    assert_eq!(server.dispatch(Receiver::Accepts).await, 1);
    transcript.send(&server, times.clone().header(ALICE)).await;
    transcript.send(&server, times.header(BOB)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_sees_the_outcomes_of_one_and_of_all_subscriptions() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let (one, other) = (subscribed(&server, r#"["a"]"#).await, subscribed(&server, r#"["b"]"#).await);
    let counted = |id: &str, time: &str, counts: [u64; 3]| SubscriptionOutcomes {
        id: id.parse().unwrap(),
        hour: Hour::of(Timestamp::parse_rfc3339(time).unwrap()),
        counts: counts.into(),
    };
    let outcomes = [
        counted(&one, "2026-11-21T01:00:00Z", [10, 2, 1]),
        counted(&one, "2026-11-21T00:59:59Z", [5, 0, 0]),
        counted(&other, "2026-11-21T01:30:00Z", [100, 0, 0]),
    ];
    server.queue.add_outcomes(&outcomes).await.unwrap();
    let of_one = |query: &str| request(&format!("GET /api/webhooks/subscriptions/{one}/outcomes{query}"));
    transcript.send(&server, of_one("?hours=2").header(ALICE)).await;
    transcript.send(&server, request("GET /api/webhooks/outcomes?hours=2").header(ALICE)).await;
    transcript.send(&server, request("GET /api/webhooks/outcomes?hours=1").header(BOB)).await;
    transcript.send(&server, of_one("").header(BOB)).await;
    transcript.send(&server, of_one("?hours=0").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}
