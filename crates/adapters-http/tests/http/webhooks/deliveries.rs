//! `/api/webhooks/deliveries`: lists and shows deliveries, and retries and cancels them.

use std::time::Duration;

use insta::assert_snapshot;

use crate::server::Server;
use crate::transcript::{ALICE, BOB, OPERATOR, Transcript, request};
use crate::webhooks::dispatcher::Receiver;
use crate::webhooks::subscriptions::{subscribed, switch};

/// Publishes an event for Alice, and returns the id of its delivery, the newest one.
async fn published(server: &Server, event_type: &str) -> String {
    let body = format!(r#"{{"userId":"alice","type":"{event_type}","data":{{"n": 1.0}}}}"#);
    let accepted = request("POST /api/operator/events").header(OPERATOR).json(&body).send(server).await;
    assert!(accepted.body.contains(r#""deliveries":1"#), "{}", accepted.body);
    list(server, "limit=1").await.remove(0)
}

/// The ids of one page.
async fn list(server: &Server, query: &str) -> Vec<String> {
    let page = request(&format!("GET /api/webhooks/deliveries?{query}")).header(ALICE).send(server).await;
    assert_eq!(page.status, 200, "{}", page.body);
    page.body.split("\"id\":\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_is_followed_from_waiting_to_delivered() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    subscribed(&server, r#"["*"]"#).await;
    let id = published(&server, "invoice.paid").await;
    transcript.send(&server, request("GET /api/webhooks/deliveries").header(ALICE)).await;
    server.clock.advance(Duration::from_secs(1));
    assert_eq!(server.dispatch(Receiver::Fails).await, 1);
    let show = request(&format!("GET /api/webhooks/deliveries/{id}")).header(ALICE);
    transcript.send(&server, show.clone()).await;
    server.clock.advance(Duration::from_secs(5));
    assert_eq!(server.claim().await.len(), 1);
    transcript.send(&server, show.clone()).await;
    server.clock.advance(Duration::from_mins(1));
    assert_eq!(server.dispatch(Receiver::Accepts).await, 1);
    transcript.send(&server, show).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_is_retried_and_cancelled_by_hand() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let subscription = subscribed(&server, r#"["*"]"#).await;
    let id = published(&server, "a").await;
    let call = |verb: &str| request(&format!("POST /api/webhooks/deliveries/{id}/{verb}")).header(ALICE);
    server.dispatch(Receiver::Fails).await;
    server.clock.advance(Duration::from_secs(1));
    transcript.send(&server, call("retry")).await;
    transcript.send(&server, call("cancel")).await;
    server.clock.advance(Duration::from_secs(1));
    transcript.send(&server, call("cancel")).await;
    transcript.send(&server, call("retry")).await;
    switch(&server, &subscription, false).await;
    transcript.send(&server, request("GET /api/webhooks/deliveries").header(ALICE)).await;
    transcript.send(&server, call("retry")).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_is_too_old_is_not_delivered_again() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    subscribed(&server, r#"["*"]"#).await;
    let id = published(&server, "a").await;
    server.dispatch(Receiver::Accepts).await;
    let retry = request(&format!("POST /api/webhooks/deliveries/{id}/retry")).header(ALICE);
    server.clock.advance(Duration::from_hours(23 * 24));
    assert_eq!(retry.send(&server).await.status, 202);
    server.dispatch(Receiver::Accepts).await;
    server.clock.advance(Duration::from_hours(24));
    transcript.send(&server, retry).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_pick_what_they_say() {
    let server = Server::start();
    let first = subscribed(&server, r#"["a","c"]"#).await;
    let second = subscribed(&server, r#"["b"]"#).await;
    let mut ids = Vec::new();
    for event_type in ["a", "b", "c"] {
        server.clock.advance(Duration::from_secs(1));
        ids.push(published(&server, event_type).await);
    }
    let [a, b, c] = <[String; 3]>::try_from(ids).unwrap();
    let cancel = request(&format!("POST /api/webhooks/deliveries/{b}/cancel")).header(ALICE);
    assert_eq!(cancel.send(&server).await.status, 200);
    let cases: [(String, Vec<&String>); 13] = [
        (String::new(), vec![&c, &b, &a]),
        (format!("subscriptionId={first}"), vec![&c, &a]),
        (format!("subscriptionId={second}"), vec![&b]),
        ("subscriptionId=sub_00000000000000000000000000".into(), vec![]),
        ("eventType=c".into(), vec![&c]),
        ("state=waiting".into(), vec![&c, &a]),
        ("state=cancelled".into(), vec![&b]),
        ("state=failed".into(), vec![]),
        ("since=2026-11-21T01:42:05.120Z".into(), vec![&c, &b]),
        ("until=2026-11-21T01:42:05.120Z".into(), vec![&a]),
        ("since=2026-11-21T02:42:05.120%2B01:00&until=2026-11-21T01:42:06.120Z".into(), vec![&b]),
        (format!("subscriptionId={first}&eventType=a&state=waiting"), vec![&a]),
        (format!("subscriptionId={second}&eventType=a"), vec![]),
    ];
    for (query, expected) in cases {
        assert_eq!(list(&server, &query).await.iter().collect::<Vec<_>>(), expected, "{query}");
    }
    let delete = request(&format!("DELETE /api/webhooks/subscriptions/{first}")).header(ALICE);
    assert_eq!(delete.send(&server).await.status, 204);
    assert_eq!(list(&server, "").await, [&c, &b, &a].map(String::clone), "those of a deleted subscription stay");
    let others = request("GET /api/webhooks/deliveries").header(BOB).send(&server).await;
    assert_eq!(others.body, r#"{"deliveries":[]}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_comes_in_pages_newest_first() {
    let server = Server::start();
    subscribed(&server, r#"["*"]"#).await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        server.clock.advance(Duration::from_millis(1));
        ids.push(published(&server, "a").await);
    }
    ids.reverse();
    for limit in [1, 2, 5, 200] {
        let (mut shown, mut cursor) = (Vec::new(), String::new());
        loop {
            let line = format!("GET /api/webhooks/deliveries?eventType=a&limit={limit}{cursor}");
            let page = request(&line).header(ALICE).send(&server).await;
            shown.extend(page.body.split("\"id\":\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()));
            if !page.body.contains("nextCursor") {
                break;
            }
            cursor = format!("&cursor={}", page.field("nextCursor"));
        }
        assert_eq!(shown, ids, "{limit}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_filter_is_named() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    for query in [
        "subscriptionId=x",
        "subscriptionId=",
        "eventType=invoice.*",
        "state=ended",
        "since=yesterday",
        "until=1795225323",
        "cursor=dlv_00000000000000000000000000",
        "limit=0",
        "subscriptionID=sub_00000000000000000000000000",
        "state=waiting&state=sending",
    ] {
        transcript.send(&server, request(&format!("GET /api/webhooks/deliveries?{query}")).header(ALICE)).await;
    }
    assert_snapshot!(transcript.text());
}

/// The answer about another user's delivery is byte for byte the answer about an unknown one.
#[tokio::test(flavor = "multi_thread")]
async fn of_other_users_ids_nothing_is_told() {
    let server = Server::start();
    subscribed(&server, r#"["*"]"#).await;
    let id = published(&server, "a").await;
    for (method, end) in [("GET", ""), ("POST", "/retry"), ("POST", "/cancel")] {
        let mut answers = Vec::new();
        for id in [&id, "dlv_00000000000000000000000000", "sub_00000000000000000000000000", "7", "%C3%A9"] {
            let call = request(&format!("{method} /api/webhooks/deliveries/{id}{end}"));
            answers.push(call.header(BOB).header(("x-request-id", "5a3e")).send(&server).await.without_date());
        }
        assert!(answers[0].contains("404") && answers[0].contains("delivery_not_found"), "{}", answers[0]);
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{method} {end}: {answers:#?}");
    }
    assert_eq!(list(&server, "state=waiting").await, [id]);
}
