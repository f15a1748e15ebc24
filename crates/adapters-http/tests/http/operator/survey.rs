//! An operator's view of all users: failing subscriptions and events.

use std::time::Duration;

use serde_json::Value;

use crate::server::Server;
use crate::transcript::{ALICE, BOB, OPERATOR, Response, request};
use crate::webhooks::dispatcher::Receiver;
use crate::webhooks::subscriptions::subscribed;

const FAILING: &str = "GET /api/operator/failing-subscriptions";
const EVENTS: &str = "GET /api/operator/events";

#[tokio::test(flavor = "multi_thread")]
async fn failing_subscriptions_name_the_receiver_and_the_reason_and_no_path() {
    let server = Server::start();
    let subscription = subscribed(&server, r#"["a"]"#).await;
    assert_eq!(get(&server, FAILING).await.body, r#"{"subscriptions":[]}"#);
    publish(&server, "alice", "a").await;
    assert_eq!(server.dispatch(Receiver::Fails).await, 1);
    let list = get(&server, FAILING).await;
    assert_eq!((list.field("id"), list.field("userId")), (&*subscription, "alice"));
    assert_eq!((list.field("state"), list.field("reason")), ("failing", "status"));
    let own = request(&format!("GET /api/webhooks/subscriptions/{subscription}")).header(ALICE).send(&server).await;
    let receiver = list.field("receiver");
    assert!(own.field("url").starts_with(receiver) && own.field("url") != receiver, "{receiver}: {}", own.body);
    assert!(!list.body.contains(own.field("url")), "the path may be a secret: {}", list.body);
    server.clock.advance(Duration::from_hours(1));
    assert_eq!(server.dispatch(Receiver::Accepts).await, 1);
    assert_eq!(get(&server, FAILING).await.body, r#"{"subscriptions":[]}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_subscriptions_come_in_pages() {
    let server = Server::start();
    let mut expected = Vec::new();
    for _ in 0..3 {
        let subscription = subscribed(&server, r#"["a"]"#).await;
        publish(&server, "alice", "a").await;
        server.dispatch(Receiver::Fails).await;
        server.clock.advance(Duration::from_millis(1));
        expected.push(subscription);
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    while seen.len() < 3 {
        let page = get(&server, &format!("{FAILING}?limit=1{cursor}")).await;
        seen.push(page.field("id").to_owned());
        assert_eq!(page.body.contains("nextCursor"), seen.len() < 3, "{}", page.body);
        cursor = if seen.len() < 3 { format!("&cursor={}", page.field("nextCursor")) } else { String::new() };
    }
    assert_eq!(seen, expected, "the longest first");
    assert_eq!(get(&server, &format!("{FAILING}?cursor=x")).await.verdict(), "400 invalid_field");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_found_by_user_type_time_and_id() {
    let server = Server::start();
    subscribed(&server, r#"["a"]"#).await;
    let heard = publish(&server, "alice", "a").await;
    let unheard = publish(&server, "alice", "b").await;
    server.clock.advance(Duration::from_secs(1));
    let others = publish(&server, "bob", "a").await;
    for (query, expected) in [
        ("", vec![&others, &unheard, &heard]),
        ("?userId=alice", vec![&unheard, &heard]),
        ("?type=a", vec![&others, &heard]),
        ("?userId=alice&type=a", vec![&heard]),
        ("?since=2026-11-21T01:42:04.120Z", vec![&others]),
        ("?until=2026-11-21T01:42:04.120Z&type=b", vec![&unheard]),
        ("?userId=nobody", vec![]),
    ] {
        let mut seen = ids(&get(&server, &format!("{EVENTS}{query}")).await);
        let mut expected: Vec<String> = expected.into_iter().cloned().collect();
        // Events of one millisecond have any order.
        seen.sort();
        expected.sort();
        assert_eq!(seen, expected, "{query}");
    }
    let found = get(&server, &format!("{EVENTS}/{heard}")).await;
    assert!(found.body.contains(r#""data":{"n":1}"#) && found.body.contains(r#""deliveries":1"#), "{}", found.body);
    let found = get(&server, &format!("{EVENTS}/{unheard}")).await;
    assert!(!found.body.contains("payload") && found.body.contains(r#""deliveries":0"#), "{}", found.body);
    for wrong in ["evt_1", "evt_01h455vb4pex5vsknk084sn02q"] {
        assert_eq!(get(&server, &format!("{EVENTS}/{wrong}")).await.verdict(), "404 event_not_found");
    }
    for wrong in ["?type=a.*", "?userId=", "?eventType=a", "?since=yesterday"] {
        assert_eq!(get(&server, &format!("{EVENTS}{wrong}")).await.verdict(), "400 invalid_field", "{wrong}");
    }
}

/// A list of one user's events, and each payload, is in the audit log of the user. A list of all users is in none.
#[tokio::test(flavor = "multi_thread")]
async fn reading_a_users_events_is_recorded() {
    let server = Server::start();
    let event = publish(&server, "alice", "a").await;
    for line in [FAILING.to_owned(), EVENTS.to_owned(), format!("{EVENTS}?userId=alice"), format!("{EVENTS}/{event}")] {
        assert_eq!(get(&server, &line).await.status, 200);
        server.clock.advance(Duration::from_millis(1));
    }
    let log = request("GET /api/audit?action=data.read").header(ALICE).send(&server).await.json();
    let targets: Vec<&Value> = log["events"].as_array().unwrap().iter().map(|event| &event["target"]).collect();
    assert_eq!(targets.len(), 2, "{log}");
    assert_eq!((&targets[0]["id"], &targets[1]["type"]), (&Value::from(event), &Value::from("events")));
    let others = request("GET /api/audit").header(BOB).send(&server).await;
    assert_eq!(others.body, r#"{"events":[]}"#);
}

async fn get(server: &Server, line: &str) -> Response {
    request(line).header(OPERATOR).send(server).await
}

/// Publishes an event and returns its id.
async fn publish(server: &Server, user: &str, event_type: &str) -> String {
    let body = format!(r#"{{"userId":"{user}","type":"{event_type}","data":{{"n":1}}}}"#);
    let accepted = request("POST /api/operator/events").header(OPERATOR).json(&body).send(server).await;
    assert_eq!(accepted.status, 202, "{}", accepted.body);
    accepted.field("id").to_owned()
}

fn ids(list: &Response) -> Vec<String> {
    let list = list.json();
    let events = list["events"].as_array().unwrap().iter();
    events.map(|logged| logged["event"]["id"].as_str().unwrap().to_owned()).collect()
}
