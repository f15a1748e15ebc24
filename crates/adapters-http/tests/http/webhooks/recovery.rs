//! The health, the test and the recovery of a subscription.

use std::time::Duration;

use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{ALICE, OPERATOR, Request, Transcript, request};
use crate::webhooks::dispatcher::Receiver;
use crate::webhooks::subscriptions::{publish, subscribed, switch};

fn show(id: &str) -> Request {
    request(&format!("GET /api/webhooks/subscriptions/{id}")).header(ALICE)
}

fn recover(id: &str, body: &str) -> Request {
    request(&format!("POST /api/webhooks/subscriptions/{id}/recover")).header(ALICE).json(body)
}

#[tokio::test(flavor = "multi_thread")]
async fn health_tells_each_state_and_its_reason() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let id = subscribed(&server, r#"["a"]"#).await;
    publish(&server, 1).await;
    transcript.send(&server, show(&id)).await;
    assert_eq!(server.dispatch(Receiver::Fails).await, 1);
    transcript.send(&server, show(&id)).await;
    publish(&server, 4).await;
    assert_eq!(server.dispatch(Receiver::Fails).await, 4);
    transcript.send(&server, show(&id)).await;
    server.clock.advance(Duration::from_hours(1));
    assert_eq!(server.dispatch(Receiver::IsGone).await, 1, "one probe");
    transcript.send(&server, show(&id)).await;
    let body = r#"{"since":"2026-11-21T00:00:00Z"}"#;
    transcript.send(&server, recover(&id, body)).await;
    transcript.send(&server, show(&id)).await;
    assert_eq!(server.dispatch(Receiver::Accepts).await, 5);
    transcript.send(&server, show(&id)).await;
    transcript.send(&server, recover(&id, body)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_goes_to_one_subscription_whatever_it_asks_for() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let id = subscribed(&server, r#"["a"]"#).await;
    subscribed(&server, r#"["*"]"#).await;
    let test = request(&format!("POST /api/webhooks/subscriptions/{id}/test")).header(ALICE);
    let sent = transcript.send(&server, test.clone()).await;
    let delivery = sent.body.split("\"dlv_").nth(1).unwrap().split('"').next().unwrap();
    transcript.send(&server, request(&format!("GET /api/webhooks/deliveries/dlv_{delivery}")).header(ALICE)).await;
    assert_eq!(server.dispatch(Receiver::Accepts).await, 1);
    switch(&server, &id, false).await;
    transcript.send(&server, test).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn recovery_brings_back_what_failed_since_then() {
    let server = Server::start();
    let id = subscribed(&server, r#"["a"]"#).await;
    publish(&server, 2).await;
    server.clock.advance(Duration::from_secs(1));
    publish(&server, 1_500).await;
    switch(&server, &id, false).await;
    let since = |time: &str| recover(&id, &format!(r#"{{"since":"2026-11-21T{time}Z"}}"#));
    assert_eq!(since("01:42:04.120").send(&server).await.body, r#"{"deliveries":1500}"#, "more than one chunk");
    assert_eq!(since("01:42:04.120").send(&server).await.body, r#"{"deliveries":0}"#, "they are due already");
    assert_eq!(since("00:00:00.000").send(&server).await.body, r#"{"deliveries":2}"#);
}

/// 1,200 deliveries of the event are among 1,800, and a call takes a thousand at a time.
#[tokio::test(flavor = "multi_thread")]
async fn a_recovery_may_be_of_some_events() {
    let server = Server::start();
    let id = subscribed(&server, r#"["*"]"#).await;
    let publish = request("POST /api/operator/events").header(OPERATOR);
    for (number, name) in
        ["invoice.paid", "invoice.line.added", "order.paid"].into_iter().cycle().enumerate().take(1_800)
    {
        let event = format!(r#"{{"userId":"alice","type":"{name}","data":{number}}}"#);
        assert_eq!(publish.clone().json(&event).send(&server).await.status, 202);
        server.clock.advance(Duration::from_millis(1));
    }
    switch(&server, &id, false).await;
    let path = format!("GET /api/webhooks/subscriptions/{id}/recoverable?since=2026-11-21T00:00:00Z");
    let count = async |query: &str| request(&format!("{path}{query}")).header(ALICE).send(&server).await.body;
    assert_eq!(count("&events=invoice.*").await, r#"{"deliveries":1200}"#);
    assert_eq!(count("&events=order.paid,invoice.line.added").await, r#"{"deliveries":1200}"#);
    assert_eq!(count("&events=order.paid&what=missed").await, r#"{"deliveries":0}"#);
    let since = async |events: &str| {
        recover(&id, &format!(r#"{{"since":"2026-11-21T00:00:00Z"{events}}}"#)).send(&server).await
    };
    assert_eq!(since(r#","events":["invoice.*"]"#).await.body, r#"{"deliveries":1200}"#);
    assert_eq!(count("").await, r#"{"deliveries":600}"#, "the other event");
    assert_eq!(since("").await.body, r#"{"deliveries":600}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_recovery_is_named() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let id = subscribed(&server, r#"["a"]"#).await;
    let bodies = [
        "",
        "{}",
        r#"{"since":null}"#,
        r#"{"since":7}"#,
        r#"{"since":"yesterday"}"#,
        r#"{"since":"2026-11-21T01:42:03.121Z"}"#,
        r#"{"since":"2026-11-21T01:42:03.120Z","events":null}"#,
        r#"{"since":"2026-11-21T01:42:03.120Z","events":"a"}"#,
        r#"{"since":"2026-11-21T01:42:03.120Z","events":[]}"#,
        r#"{"since":"2026-11-21T01:42:03.120Z","what":"lost","events":["a","b c"]}"#,
    ];
    transcript.send_each(&server, bodies.map(|body| recover(&id, body))).await;
    for query in ["", "since=2026-11-21T01:42:03.120Z&events=", "since=2026-11-21T01:42:03.120Z&what=lost&events=a,*b"]
    {
        let count = request(&format!("GET /api/webhooks/subscriptions/{id}/recoverable?{query}")).header(ALICE);
        transcript.send(&server, count).await;
    }
    assert_snapshot!(transcript.text());
    assert_eq!(recover(&id, r#"{"since":"2026-11-21T01:42:03.120Z"}"#).send(&server).await.status, 202);
}
