//! Failed deliveries by their cause, and the effect of a recovery.

use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{ALICE, BOB, Request, Transcript, request};
use crate::webhooks::dispatcher::Receiver;
use crate::webhooks::subscriptions::{publish, subscribed, switch};

fn failures(query: &str) -> Request {
    request(&format!("GET /api/webhooks/failures{query}"))
}

fn retry(body: &str) -> Request {
    request("POST /api/webhooks/failures/retry").header(ALICE).json(body)
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_grouped_by_cause_and_a_group_is_retried() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let id = subscribed(&server, r#"["a"]"#).await;
    publish(&server, 2).await;
    assert_eq!(server.dispatch(Receiver::Fails).await, 2);
    publish(&server, 1).await;
    switch(&server, &id, false).await;
    transcript.send(&server, failures("").header(ALICE)).await;
    transcript.send(&server, failures("").header(BOB)).await;
    let broken = format!(r#"{{"subscriptionId":"{id}","error":"status","status":500}}"#);
    transcript.send(&server, retry(&broken)).await;
    switch(&server, &id, true).await;
    let recoverable = format!("GET /api/webhooks/subscriptions/{id}/recoverable?since=2026-11-21T00:00:00Z");
    transcript.send(&server, request(&recoverable).header(ALICE)).await;
    transcript.send(&server, retry(&broken)).await;
    transcript.send(&server, failures(&format!("?subscriptionId={id}")).header(ALICE)).await;
    transcript.send(&server, request(&recoverable).header(ALICE)).await;
    assert_eq!(server.dispatch(Receiver::Accepts).await, 2, "the two of the group");
    transcript.send(&server, retry(&format!(r#"{{"subscriptionId":"{id}","error":null}}"#))).await;
    transcript.send(&server, failures("").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_failures_counts_the_newest() {
    let server = Server::start();
    let id = subscribed(&server, r#"["a"]"#).await;
    publish(&server, 1_001).await;
    switch(&server, &id, false).await;
    let list = failures("").header(ALICE).send(&server).await;
    assert!(list.body.contains(r#""deliveries":1000"#) && list.body.contains(r#""isComplete":false"#), "{}", list.body);
    switch(&server, &id, true).await;
    let body = format!(r#"{{"subscriptionId":"{id}"}}"#);
    for (retried, is_complete) in [(1_000, true), (1, true)] {
        assert_eq!(retry(&body).send(&server).await.body, format!(r#"{{"deliveries":{retried}}}"#));
        let list = failures("").header(ALICE).send(&server).await;
        assert!(list.body.contains(&format!(r#""isComplete":{is_complete}"#)), "{}", list.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_cause_is_named() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let id = subscribed(&server, r#"["a"]"#).await;
    let bodies = [
        "{}",
        r#"{"subscriptionId":"x","error":"gremlins","status":70000}"#,
        r#"{"subscriptionId":"sub_01h455vb4pex5vsknk084sn02q","error":"timeout"}"#,
    ];
    transcript.send_each(&server, bodies.map(retry)).await;
    transcript.send(&server, failures("?subscriptionId=x").header(ALICE)).await;
    for since in ["", "?since=yesterday", "?since=2026-11-21T01:42:03.121Z"] {
        let count = format!("GET /api/webhooks/subscriptions/{id}/recoverable{since}");
        transcript.send(&server, request(&count).header(ALICE)).await;
    }
    let stranger = format!("GET /api/webhooks/subscriptions/{id}/recoverable?since=2026-11-21T00:00:00Z");
    transcript.send(&server, request(&stranger).header(BOB)).await;
    assert_snapshot!(transcript.text());
}
