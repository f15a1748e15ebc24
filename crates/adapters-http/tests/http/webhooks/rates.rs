//! The rate of a subscription.

use insta::assert_snapshot;

use super::subscriptions::create;
use crate::server::Server;
use crate::transcript::{ALICE, Transcript, request};

fn subscription(rate: &str) -> String {
    format!(r#"{{"url":"https://example.com/hooks","events":["invoice.*"],"maxPerSecond":{rate}}}"#)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_is_set_shown_changed_and_removed() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let created = transcript.send(&server, create(&subscription("0.25"))).await;
    let path = format!("/api/webhooks/subscriptions/{}", created.field("id"));
    transcript.send(&server, request(&format!("GET {path}")).header(ALICE)).await;
    let bodies = [
        r#"{"url":"https://example.org/hooks"}"#,
        r#"{"maxPerSecond":1000,"auth":{"type":"bearer","token":"0f1e2d3c"}}"#,
        r#"{"maxPerSecond":1000.0}"#,
        r#"{"maxPerSecond":null}"#,
    ];
    transcript.send_each(&server, bodies.map(|body| request(&format!("PATCH {path}")).header(ALICE).json(body))).await;
    transcript.send(&server, create(&subscription("null"))).await;
    transcript.send(&server, request("GET /api/audit").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_rate_is_refused_and_stores_nothing() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let rates = ["0", "0.09", "1000.1", "-5", "1e9", "\"5\"", "true", "[5]", "{}"];
    transcript.send_each(&server, rates.map(|rate| create(&subscription(rate)))).await;
    let created = create(&subscription("5")).send(&server).await;
    let path = format!("/api/webhooks/subscriptions/{}", created.field("id"));
    let both = r#"{"maxPerSecond":0,"auth":{"type":"digest"}}"#;
    transcript.send(&server, request(&format!("PATCH {path}")).header(ALICE).json(both)).await;
    transcript.send(&server, request("GET /api/webhooks/subscriptions").header(ALICE)).await;
    let tested = r#"{"url":"https://example.com/hooks","maxPerSecond":5}"#;
    transcript.send(&server, request("POST /api/webhooks/test").header(ALICE).json(tested)).await;
    assert_snapshot!(transcript.text());
}
