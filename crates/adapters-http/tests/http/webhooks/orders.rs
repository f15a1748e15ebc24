//! The order of a subscription.

use insta::assert_snapshot;

use super::subscriptions::create;
use crate::server::Server;
use crate::transcript::{ALICE, Transcript, request};

fn subscription(order: &str) -> String {
    format!(r#"{{"url":"https://example.com/hooks","events":["invoice.*"],{order}}}"#)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_is_set_once_and_its_rule_changes() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let created = transcript.send(&server, create(&subscription(r#""ordering":"subscription""#))).await;
    let path = format!("/api/webhooks/subscriptions/{}", created.field("id"));
    let bodies = [
        r#"{"onExhausted":"stop"}"#,
        r#"{"url":"https://example.org/hooks","maxPerSecond":2}"#,
        r#"{"onExhausted":"wait"}"#,
        r#"{"onExhausted":null}"#,
        r#"{"ordering":"none"}"#,
    ];
    transcript.send_each(&server, bodies.map(|body| request(&format!("PATCH {path}")).header(ALICE).json(body))).await;
    let none = transcript.send(&server, create(&subscription(r#""ordering":"none""#))).await;
    let path = format!("/api/webhooks/subscriptions/{}", none.field("id"));
    transcript.send(&server, request(&format!("PATCH {path}")).header(ALICE).json(r#"{"onExhausted":"skip"}"#)).await;
    transcript.send(&server, request("GET /api/audit").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_order_is_refused_and_stores_nothing() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let orders = [
        r#""ordering":"subscriptions""#,
        r#""ordering":true"#,
        r#""ordering":"subscription","onExhausted":"drop""#,
        r#""ordering":"subscription","onExhausted":1"#,
        r#""onExhausted":"stop""#,
        r#""ordering":"none","onExhausted":"skip""#,
    ];
    transcript.send_each(&server, orders.map(|order| create(&subscription(order)))).await;
    transcript.send(&server, request("GET /api/webhooks/subscriptions").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}
