//! An operator's view of a user's webhooks and sessions, and repeated deliveries.

use std::time::Duration;

use serde_json::Value;

use crate::server::Server;
use crate::sessions::browser::user_session;
use crate::transcript::{ALICE, BOB, OPERATOR, request};
use crate::webhooks::dispatcher::Receiver;
use crate::webhooks::subscriptions::{publish, subscribed, switch};

const USER: &str = "/api/operator/users/alice";

/// The operator gets the same answers as the user, and the audit log of the user has each look before it is answered.
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sees_what_the_user_sees_and_the_user_sees_the_operator() {
    let server = Server::start();
    let (subscription, delivery) = failed_delivery(&server).await;
    let _ = user_session(&server, "alice").await;
    let one = |kind: &str, id: &str| (format!("/{kind}/{id}"), id.to_owned());
    let looks = [
        ("/subscriptions".to_owned(), "subscriptions".to_owned()),
        ("/subscriptions?limit=1".to_owned(), "subscriptions".to_owned()),
        one("subscriptions", &subscription),
        ("/deliveries?state=waiting".to_owned(), "deliveries".to_owned()),
        one("deliveries", &delivery),
        (format!("/failures?subscriptionId={subscription}"), "deliveries".to_owned()),
        ("/sessions".to_owned(), "sessions".to_owned()),
    ];
    for (path, _) in &looks {
        let own = if path == "/sessions" { "/api" } else { "/api/webhooks" };
        let seen_by_user = request(&format!("GET {own}{path}")).header(ALICE).send(&server).await;
        let seen = request(&format!("GET {USER}{path}")).header(OPERATOR).send(&server).await;
        assert_eq!((seen.status, &seen.body), (200, &seen_by_user.body), "{path}");
        assert!(path.starts_with("/failures") || seen.body.contains("_0"), "there is something to see: {}", seen.body);
        server.clock.advance(Duration::from_millis(1));
    }
    let expected: Vec<String> = looks.iter().rev().map(|(_, target)| target.clone()).collect();
    assert_eq!(targets_of(&server, "data.read").await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_user_has_nothing_and_another_users_things_are_not_found() {
    let server = Server::start();
    let (subscription, delivery) = failed_delivery(&server).await;
    for (line, verdict) in [
        ("GET /api/operator/users/nobody/subscriptions".to_owned(), "200"),
        ("GET /api/operator/users/nobody/deliveries".to_owned(), "200"),
        ("GET /api/operator/users/nobody/failures".to_owned(), "200"),
        ("GET /api/operator/users/nobody/sessions".to_owned(), "200"),
        (format!("GET {USER}/failures?subscriptionId=sub_1"), "400 invalid_field"),
        (format!("GET /api/operator/users/bob/subscriptions/{subscription}"), "404 subscription_not_found"),
        (format!("GET /api/operator/users/bob/deliveries/{delivery}"), "404 delivery_not_found"),
        (format!("POST /api/operator/users/bob/deliveries/{delivery}/retry"), "404 delivery_not_found"),
        (format!("GET {USER}/deliveries/dlv_1"), "404 delivery_not_found"),
        (format!("GET {USER}/deliveries?status=failed"), "400 invalid_field"),
        ("GET /api/operator/users/a%00b/deliveries".to_owned(), "400 invalid_field"),
    ] {
        let answer = request(&line).header(OPERATOR).send(&server).await;
        assert_eq!(answer.verdict(), verdict, "{line}");
    }
    let recover = request(&format!("POST /api/operator/users/bob/subscriptions/{subscription}/recover"));
    let recover = recover.header(OPERATOR).json(r#"{"since":"2026-11-21T00:00:00Z"}"#);
    assert_eq!(recover.send(&server).await.verdict(), "404 subscription_not_found");
    let retry = request("POST /api/operator/users/bob/failures/retry").header(OPERATOR);
    let retry = retry.json(&format!(r#"{{"subscriptionId":"{subscription}"}}"#));
    assert_eq!(retry.send(&server).await.verdict(), "404 subscription_not_found");
}

/// A request of an operator is recorded before it is parsed, because each answer tells something about the user. A
/// string that cannot be an id has no target.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_fails_is_recorded_if_it_names_something() {
    let server = Server::start();
    let (subscription, delivery) = failed_delivery(&server).await;
    let bob = "/api/operator/users/bob";
    for (path, verdict) in [
        (format!("{USER}/subscriptions?limit=0"), "400 invalid_field"),
        (format!("{USER}/deliveries?status=failed"), "400 invalid_field"),
        (format!("{USER}/deliveries/x"), "404 delivery_not_found"),
        (format!("{USER}/subscriptions/{delivery}"), "404 subscription_not_found"),
        (format!("{bob}/subscriptions/{subscription}"), "404 subscription_not_found"),
    ] {
        assert_eq!(request(&format!("GET {path}")).header(OPERATOR).send(&server).await.verdict(), verdict, "{path}");
        server.clock.advance(Duration::from_millis(1));
    }
    assert_eq!(targets_of(&server, "data.read").await, ["deliveries", "subscriptions"]);
    let of_bob = request("GET /api/audit?action=data.read").header(BOB).send(&server).await;
    assert!(of_bob.body.contains(&subscription), "{}", of_bob.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sends_again_what_was_lost() {
    let server = Server::start();
    let (subscription, delivery) = failed_delivery(&server).await;
    assert_eq!(server.dispatch(Receiver::Accepts).await, 0, "the retry waits");
    let retry = request(&format!("POST {USER}/deliveries/{delivery}/retry")).header(OPERATOR);
    assert_eq!(retry.send(&server).await.status, 202);
    assert_eq!(server.dispatch(Receiver::Fails).await, 1);
    let recover = request(&format!("POST {USER}/subscriptions/{subscription}/recover")).header(OPERATOR);
    assert_eq!(recover.clone().json("{}").send(&server).await.verdict(), "400 invalid_field");
    let recovered = recover.json(r#"{"since":"2026-11-21T00:00:00Z"}"#).send(&server).await;
    assert_eq!((recovered.status, &*recovered.body), (202, r#"{"deliveries":1}"#));
    assert_eq!(server.dispatch(Receiver::Accepts).await, 1);
    assert_eq!(targets_of(&server, "delivery.retried").await, [delivery]);
    assert_eq!(targets_of(&server, "subscription.recovered").await, [subscription]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sends_again_what_failed_for_one_cause() {
    let server = Server::start();
    let (subscription, delivery) = failed_delivery(&server).await;
    for enabled in [false, true] {
        switch(&server, &subscription, enabled).await;
    }
    let failures = request(&format!("GET {USER}/failures")).header(OPERATOR).send(&server).await.json();
    assert_eq!(failures["failures"][0]["newestDeliveryId"], delivery.as_str(), "{failures}");
    let cause = |status: u16| format!(r#"{{"subscriptionId":"{subscription}","error":"status","status":{status}}}"#);
    for (status, due) in [(503, 0), (500, 1)] {
        let retry = request(&format!("POST {USER}/failures/retry")).header(OPERATOR).json(&cause(status));
        assert_eq!(retry.send(&server).await.body, format!(r#"{{"deliveries":{due}}}"#), "{status}");
    }
    assert_eq!(server.dispatch(Receiver::Accepts).await, 1);
    assert_eq!(targets_of(&server, "delivery.retried").await, [delivery]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_ends_the_sessions_of_a_user() {
    let server = Server::start();
    let (alice, bob) = (user_session(&server, "alice").await, user_session(&server, "bob").await);
    for query in ["keepCurrent=true", "userid=bob"] {
        let misspelt = request(&format!("DELETE {USER}/sessions?{query}")).header(OPERATOR);
        assert_eq!(misspelt.send(&server).await.verdict(), "400 invalid_field", "{query}");
    }
    assert_eq!(request("GET /api/session").header(("cookie", &alice)).send(&server).await.status, 200);
    let end = request(&format!("DELETE {USER}/sessions")).header(OPERATOR);
    let ended = end.send(&server).await;
    assert_eq!((ended.status, &*ended.body), (200, r#"{"sessions":[]}"#));
    for (cookie, status) in [(&alice, 401), (&bob, 200)] {
        let session = request("GET /api/session").header(("cookie", cookie));
        assert_eq!(session.send(&server).await.status, status);
    }
}

/// A subscription of Alice's, and a delivery to it with a failed first attempt.
async fn failed_delivery(server: &Server) -> (String, String) {
    let subscription = subscribed(server, r#"["a"]"#).await;
    publish(server, 1).await;
    assert_eq!(server.dispatch(Receiver::Fails).await, 1);
    let list = request("GET /api/webhooks/deliveries").header(ALICE).send(server).await;
    (subscription, list.field("id").to_owned())
}

/// The targets in Alice's audit log, newest first.
async fn targets_of(server: &Server, action: &str) -> Vec<String> {
    let list = request(&format!("GET /api/audit?action={action}")).header(ALICE).send(server).await.json();
    let events = list["events"].as_array().unwrap().iter();
    let target = |event: &Value| {
        let kind = &event["target"]["type"];
        event["target"].get("id").unwrap_or(kind).as_str().unwrap().to_owned()
    };
    events.map(target).collect()
}
