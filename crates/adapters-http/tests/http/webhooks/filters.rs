//! Filters of subscriptions, and the call that tests one.

use insta::assert_snapshot;

use super::subscriptions::create;
use crate::server::Server;
use crate::transcript::{ALICE, OPERATOR, Request, Transcript, request};

const LARGE: &str = r#"{"path":"/data/amount","op":"gte","value":100.00}"#;

fn test(body: &str) -> Request {
    request("POST /api/webhooks/filters/test").header(ALICE).json(body)
}

fn subscription(filter: &str) -> String {
    format!(r#"{{"url":"https://example.com/hooks","events":["invoice.*"],"filter":{filter}}}"#)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_is_set_shown_changed_and_removed() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let created = transcript.send(&server, create(&subscription(&LARGE.replace(':', " : ")))).await;
    let path = format!("/api/webhooks/subscriptions/{}", created.field("id"));
    transcript.send(&server, request(&format!("GET {path}")).header(ALICE)).await;
    let other =
        r#"{"filter":{"any":[{"not":{"path":"/type","op":"suffix","value":"paid"}},{"path":"/data","op":"exists"}]}}"#;
    let bodies = [r#"{"description":"kept"}"#, other, other, r#"{"filter":null}"#, r#"{"filter":null}"#];
    transcript.send_each(&server, bodies.map(|body| request(&format!("PATCH {path}")).header(ALICE).json(body))).await;
    let unfiltered = r#"{"url":"https://example.com/hooks","events":["a"],"filter":null}"#;
    transcript.send(&server, create(unfiltered)).await;
    transcript.send(&server, request("GET /api/audit").header(ALICE)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_does_not_pass_has_no_delivery() {
    let server = Server::start();
    create(&subscription(LARGE)).send(&server).await;
    let mut counts = Vec::new();
    for amount in ["99.99", "1e2", "100.00000000000000000001", "\"250\""] {
        let event = format!(r#"{{"userId":"alice","type":"invoice.paid","data":{{"amount":{amount}}}}}"#);
        let published = request("POST /api/operator/events").header(OPERATOR).json(&event).send(&server).await;
        counts.push(published.body.split("\"deliveries\":").nth(1).unwrap_or_default().to_owned());
    }
    assert_eq!(counts, ["0}", "1}", "1}", "0}"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_filter_is_refused_at_its_place() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let filters = [
        "7",
        "\"all\"",
        "[]",
        "{}",
        r#"{"all":[]}"#,
        r#"{"all":[{"path":"/data","op":"exists"},{"path":"/data","op":"like","value":"a"}]}"#,
        r#"{"any":[{"path":"/data","op":"exists","vlaue":1}]}"#,
        r#"{"not":{"path":"/data","op":"eq","op":"ne","value":1}}"#,
        r#"{"path":"/amount","op":"gt","value":1}"#,
        r#"{"path":"/data","op":"gt"}"#,
    ];
    transcript.send_each(&server, filters.map(|filter| create(&subscription(filter)))).await;
    transcript.send(&server, create(r#"{"url":"x","filter":{"all":1},"fliter":{}}"#)).await;
    transcript.send(&server, create(&format!(r#"{{"filter":{LARGE},"filter":{LARGE}}}"#))).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_is_tested_with_an_event_or_its_data() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let all = format!(r#"{{"all":[{{"path":"/type","op":"prefix","value":"invoice."}},{LARGE}]}}"#);
    let bodies = [
        format!(r#"{{"filter":{all},"event":{{"type":"invoice.paid","data":{{"amount":250}}}}}}"#),
        format!(r#"{{"filter":{all},"event":{{"type":"order.paid","data":{{"amount":250}}}},"data":null}}"#),
        format!(r#"{{"filter":{LARGE},"event":null,"data":{{"amount":99.999999999999999999999}}}}"#),
        r#"{"filter":{"path":"/data","op":"eq","value":null},"data":null}"#.to_owned(),
        format!(r#"{{"filter":{LARGE}}}"#),
        format!(r#"{{"filter":{LARGE},"event":{{}},"data":1}}"#),
        format!(r#"{{"filter":{LARGE},"event":[]}}"#),
        r#"{"filter":{"all":[]},"event":7}"#.to_owned(),
        r#"{"filter":null,"data":1}"#.to_owned(),
        format!(r#"{{"filter":{LARGE},"data":1,"type":"a"}}"#),
    ];
    transcript.send_each(&server, bodies.map(|body| test(&body))).await;
    assert_snapshot!(transcript.text());
}

/// What is deep is read without recursion, and an event may be as large as one that is published.
#[tokio::test(flavor = "multi_thread")]
async fn a_deep_or_large_event_is_tested() {
    let server = Server::start();
    let exists = r#"{"path":"/data/0","op":"exists"}"#;
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    let long = format!("[\"{}\"]", "a".repeat(200_000));
    for data in [deep.as_str(), &long] {
        let tested = test(&format!(r#"{{"filter":{exists},"data":{data}}}"#)).send(&server).await;
        assert_eq!(tested.body, r#"{"passes":true,"decidedBy":"filter"}"#);
    }
    let filter = test(&format!(r#"{{"filter":{deep},"data":1}}"#)).send(&server).await;
    assert_eq!(filter.status, 400, "{}", filter.body);
}
