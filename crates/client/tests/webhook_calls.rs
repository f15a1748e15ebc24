//! The calls about webhooks, against a server that answers as the service does.

use std::time::Duration;

use gatepost_client::{
    Client, DeliveryQuery, Error, FullKey, NewEvent, NewSubscription, OperatorToken, Patch, PayloadFilter, Receive,
    Recovery, SubscriptionChange, WebhookOptions, WebhookSecret,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use wiremock::matchers::{any, body_json, body_string, header, method, path, query_param};
use wiremock::{Match, Mock, MockBuilder, MockServer, Request, ResponseTemplate};

const SUBSCRIPTIONS: &str = "/api/webhooks/subscriptions";
const DELIVERIES: &str = "/api/webhooks/deliveries";
const FAILURES: &str = "/api/webhooks/failures";
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn subscription() -> Value {
    json!({
        "id": "sub_1",
        "url": "https://example.com/hook",
        "events": ["invoice.*"],
        "description": "",
        "enabled": true,
        "createdAt": "2026-11-21T01:42:03.120Z",
        "updatedAt": "2026-11-21T01:42:03.120Z",
    })
}

fn delivery(state: &str) -> Value {
    json!({
        "id": "dlv_1",
        "eventId": "evt_1",
        "eventType": "invoice.paid",
        "subscriptionId": "sub_1",
        "state": state,
        "attempts": 1,
        "nextAttemptAt": null,
        "createdAt": "2026-11-21T01:42:03.120Z",
        "completedAt": "2026-11-21T01:42:04.000Z",
    })
}

fn event() -> Value {
    json!({ "id": "evt_1", "userId": "alice", "type": "invoice.paid", "createdAt": "2026-11-21T01:42:03.120Z" })
}

fn attempt() -> Value {
    json!({
        "number": 1, "startedAt": "2026-11-21T01:42:03.120Z", "durationMs": 7, "status": 500, "error": "status",
        "aFieldOfALaterVersion": {},
    })
}

/// A service that expects one call, as `asked`, and a client with an API key.
async fn service(asked: MockBuilder, status: u16, answer: &Value) -> (MockServer, Client) {
    let server = MockServer::start().await;
    let asked = asked.and(header("x-api-key", "svc_live_1"));
    asked.respond_with(ResponseTemplate::new(status).set_body_json(answer)).expect(1).mount(&server).await;
    let client = Client::new(&server.uri()).expect("the URL of a server").with_credential(FullKey::new("svc_live_1"));
    (server, client)
}

fn asked(verb: &str, place: &str) -> MockBuilder {
    Mock::given(method(verb)).and(path(place))
}

#[tokio::test]
async fn a_subscription_is_created_and_its_secret_does_not_print() {
    let new = NewSubscription::new("https://example.com/hook", ["invoice.*"]);
    let own = new.clone().described_as("ledger").signed_with(WebhookSecret::new(SECRET));
    assert!(!format!("{own:?}").contains(SECRET));
    let plain = json!({ "url": "https://example.com/hook", "events": ["invoice.*"] });
    let mut full = plain.clone();
    full["description"] = json!("ledger");
    full["secret"] = json!(SECRET);
    for (new, body, secret) in [(new, plain, Some(SECRET)), (own, full, None)] {
        let mut answer = json!({ "subscription": subscription() });
        if let Some(secret) = secret {
            answer["secret"] = json!(secret);
        }
        let (_server, client) = service(asked("POST", SUBSCRIPTIONS).and(body_json(body)), 200, &answer).await;
        let created = client.create_subscription(&new).await.unwrap();
        assert_eq!((created.subscription.id.as_str(), created.subscription.enabled), ("sub_1", true));
        assert_eq!(created.secret.as_ref().map(WebhookSecret::expose), secret);
        assert!(!format!("{created:?}").contains(SECRET));
    }
}

#[tokio::test]
async fn subscriptions_come_in_pages() {
    let page = json!({ "subscriptions": [subscription()], "nextCursor": "a+b" });
    let (_server, client) = service(asked("GET", SUBSCRIPTIONS).and(WithoutQuery), 200, &page).await;
    let first = client.list_subscriptions(None).await.unwrap();
    assert_eq!((first.subscriptions.len(), first.next_cursor.as_deref()), (1, Some("a+b")));
    let last = json!({ "subscriptions": [] });
    let (_server, client) = service(asked("GET", SUBSCRIPTIONS).and(query_param("cursor", "a+b")), 200, &last).await;
    assert_eq!(client.list_subscriptions(first.next_cursor.as_deref()).await.unwrap().next_cursor, None);
}

#[tokio::test]
async fn a_subscription_is_found_changed_and_deleted_under_its_own_path() {
    let health = json!({
        "state": "failing", "reason": "status", "failingSince": "2026-11-21T01:42:03.120Z", "waiting": 3,
        "lastAttempt": attempt(),
    });
    let found = json!({ "subscription": subscription(), "health": health });
    let (_server, client) = service(asked("GET", "/api/webhooks/subscriptions/a%2Fb"), 200, &found).await;
    let found = client.find_subscription("a/b").await.unwrap();
    assert_eq!((found.health.state.as_str(), found.health.waiting), ("failing", 3));
    assert_eq!(found.health.last_attempt.unwrap().status, Some(500));

    let changed = json!({ "subscription": subscription() });
    let change = asked("PATCH", "/api/webhooks/subscriptions/sub_1").and(body_json(json!({ "enabled": false })));
    let (_server, client) = service(change, 200, &changed).await;
    let change = SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() };
    assert_eq!(client.change_subscription("sub_1", &change).await.unwrap().subscription.id, "sub_1");

    let server = MockServer::start().await;
    let delete = asked("DELETE", "/api/webhooks/subscriptions/sub_1");
    delete.respond_with(ResponseTemplate::new(204)).expect(1).mount(&server).await;
    Client::new(&server.uri()).unwrap().delete_subscription("sub_1").await.expect("an empty answer is a success");
}

#[tokio::test]
async fn a_rate_is_set_shown_and_removed() {
    let new = NewSubscription::new("https://example.com/hook", ["a"]).at_most(0.5);
    let sent = json!({ "url": "https://example.com/hook", "events": ["a"], "maxPerSecond": 0.5 });
    let mut shown = subscription();
    shown["maxPerSecond"] = json!(0.5);
    let asked_to_create = asked("POST", SUBSCRIPTIONS).and(body_json(sent));
    let (_server, client) = service(asked_to_create, 200, &json!({ "subscription": shown })).await;
    let created = client.create_subscription(&new).await.unwrap().subscription;
    assert_eq!(created.max_per_second.and_then(|rate| rate.as_f64()), Some(0.5));
    for (max_per_second, body) in
        [(Patch::Set(0.5), json!({ "maxPerSecond": 0.5 })), (Patch::Reset, json!({ "maxPerSecond": null }))]
    {
        let asked_to_change = asked("PATCH", &format!("{SUBSCRIPTIONS}/sub_1")).and(body_json(body));
        let (_server, client) = service(asked_to_change, 200, &json!({ "subscription": subscription() })).await;
        let change = SubscriptionChange { max_per_second, ..SubscriptionChange::default() };
        assert_eq!(client.change_subscription("sub_1", &change).await.unwrap().subscription.max_per_second, None);
    }
}

/// A filter goes out and comes in with its digits.
#[tokio::test]
async fn a_filter_is_set_shown_removed_and_tested() {
    let json = r#"{"path":"/data","op":"gt","value":1.00e+400}"#;
    let filter = PayloadFilter::from_json(json.to_owned()).unwrap();
    let new = NewSubscription::new("https://example.com/hook", ["a"]).filtered_by(filter.clone());
    let sent = format!(r#"{{"url":"https://example.com/hook","events":["a"],"filter":{json}}}"#);
    let shown = subscription().to_string().replacen('{', &format!(r#"{{"filter":{json},"#), 1);
    let server = MockServer::start().await;
    let created = ResponseTemplate::new(200).set_body_string(format!(r#"{{"subscription":{shown}}}"#));
    asked("POST", SUBSCRIPTIONS).and(body_string(sent)).respond_with(created).expect(1).mount(&server).await;
    let created = Client::new(&server.uri()).unwrap().create_subscription(&new).await.unwrap();
    assert_eq!(created.subscription.filter.as_ref().map(PayloadFilter::as_json), Some(json));

    let changed = json!({ "subscription": subscription() });
    for (filter, body) in [
        (Patch::Reset, r#"{"filter":null}"#.to_owned()),
        (Patch::Set(filter.clone()), format!(r#"{{"filter":{json}}}"#)),
    ] {
        let change = asked("PATCH", "/api/webhooks/subscriptions/sub_1").and(body_string(body));
        let (_server, client) = service(change, 200, &changed).await;
        let change = SubscriptionChange { filter, ..SubscriptionChange::default() };
        assert_eq!(client.change_subscription("sub_1", &change).await.unwrap().subscription.filter, None);
    }

    let event = RawValue::from_string(r#"{"data":1.0}"#.to_owned()).unwrap();
    let sent = format!(r#"{{"filter":{json},"event":{{"data":1.0}}}}"#);
    let answer = json!({ "passes": false, "decidedBy": "filter" });
    let asked = asked("POST", "/api/webhooks/filters/test").and(body_string(sent));
    let (_server, client) = service(asked, 200, &answer).await;
    let verdict = client.test_filter(&filter, &event).await.unwrap();
    assert_eq!((verdict.passes, verdict.decided_by.as_str()), (false, "filter"));
}

#[tokio::test]
async fn a_secret_is_rotated_a_subscription_tested_and_recovered() {
    let place = format!("{SUBSCRIPTIONS}/sub_1/rotate-secret");
    let answer = json!({ "subscription": subscription(), "secret": SECRET });
    let own = WebhookSecret::new("mine");
    for (secret, overlap, body) in [
        (None, None, json!({})),
        (Some(&own), Some(Duration::from_millis(90_999)), json!({ "secret": "mine", "overlapSeconds": 90 })),
    ] {
        let (_server, client) = service(asked("POST", &place).and(body_json(body)), 200, &answer).await;
        let rotated = client.rotate_webhook_secret("sub_1", secret, overlap).await.unwrap();
        assert_eq!(rotated.secret.unwrap().expose(), SECRET);
    }
    let answer = json!({ "event": event(), "delivery": delivery("waiting") });
    let (_server, client) = service(asked("POST", &format!("{SUBSCRIPTIONS}/sub_1/test")), 202, &answer).await;
    assert_eq!(client.test_subscription("sub_1").await.unwrap().delivery.event_id, "evt_1");

    let answer = json!({ "event": event(), "attempt": attempt() });
    let body = json!({ "url": "https://example.com/hook", "secret": "mine" });
    let (_server, client) = service(asked("POST", "/api/webhooks/test").and(body_json(body)), 200, &answer).await;
    let tested = client.test_url("https://example.com/hook", Some(&own), &WebhookOptions::default()).await.unwrap();
    assert_eq!(tested.attempt.status, Some(500));

    let recover = asked("POST", &format!("{SUBSCRIPTIONS}/sub_1/recover"));
    let recover =
        recover.and(body_json(json!({ "since": "2026-11-21T00:00:00Z", "what": "missed", "events": ["a", "b.*"] })));
    let (_server, client) = service(recover, 202, &json!({ "deliveries": 7 })).await;
    let events = ["a".into(), "b.*".into()];
    let recovery = Recovery { since: "2026-11-21T00:00:00Z", what: Some("missed"), events: Some(&events) };
    assert_eq!(client.recover_subscription("sub_1", &recovery).await.unwrap(), 7);

    let count = asked("GET", &format!("{SUBSCRIPTIONS}/sub_1/recoverable"));
    let count = count.and(query_param("since", "2026-11-21T00:00:00Z")).and(query_param("what", "missed"));
    let count = count.and(query_param("events", "a,b.*"));
    let (_server, client) = service(count, 200, &json!({ "deliveries": 8 })).await;
    assert_eq!(client.count_recoverable("sub_1", &recovery).await.unwrap(), 8);
}

#[tokio::test]
async fn events_are_pulled_byte_for_byte_and_committed() {
    let mut shown = subscription();
    shown["type"] = json!("pull");
    let create = asked("POST", SUBSCRIPTIONS).and(body_json(json!({ "type": "pull", "events": ["a"] })));
    let (_server, client) = service(create, 200, &json!({ "subscription": shown })).await;
    let created = client.create_subscription(&NewSubscription::pull(["a"])).await.unwrap();
    assert_eq!((created.subscription.r#type.as_deref(), created.secret.is_none()), (Some("pull"), true));

    let event = r#"{"id":"evt_1","type":"a","timestamp":"2026-11-21T01:42:03.120Z","data":{"n": 1.50},"sequence":7}"#;
    let answer = format!(r#"{{"events":[{event}],"lease":"lease_1","leasedUntil":"2026-11-21T01:43:03.120Z"}}"#);
    let server = MockServer::start().await;
    let place = format!("{SUBSCRIPTIONS}/sub_1/consumers/a%2Fb");
    let receive = asked("POST", &format!("{place}/receive")).and(body_json(json!({ "wait": 2, "leaseSeconds": 5 })));
    receive.respond_with(ResponseTemplate::new(200).set_body_raw(answer, "application/json")).mount(&server).await;
    let commit = asked("POST", &format!("{place}/commit"));
    let commit = commit.and(body_json(json!({ "lease": "lease_1", "through": "evt_1" })));
    commit.respond_with(ResponseTemplate::new(204)).expect(1).mount(&server).await;
    let client = Client::new(&server.uri()).unwrap();
    let wish =
        Receive { wait: Duration::from_millis(2_999), lease: Some(Duration::from_secs(5)), ..Receive::default() };
    let received = client.receive_events("sub_1", "a/b", wish).await.unwrap();
    assert_eq!(serde_json::to_string(&received.events[0]).unwrap(), event, "byte for byte");
    let lease = received.lease.as_deref().unwrap();
    client.commit_events("sub_1", "a/b", lease, Some(&received.events[0].id)).await.unwrap();

    let expired = json!({ "status": 410, "code": "cursor_expired", "oldestCursor": "c" });
    let read = asked("GET", &format!("{SUBSCRIPTIONS}/sub_1/events")).and(query_param("cursor", "a+b"));
    let (_server, client) = service(read, 410, &expired).await;
    let error = client.read_events("sub_1", Some("a+b"), None).await.unwrap_err();
    assert_eq!(error.problem().and_then(|problem| problem.oldest_cursor.as_deref()), Some("c"));
}

#[tokio::test]
async fn failures_are_listed_and_a_group_is_retried() {
    let cause = json!({ "subscriptionId": "sub_1", "error": "status", "status": 500 });
    let mut group = cause.clone();
    group["url"] = json!("https://example.com/hook");
    group["deliveries"] = json!(412);
    group["newestDeliveryId"] = json!("dlv_1");
    let answer = json!({ "failures": [group], "isComplete": true });
    let asked_of_one = asked("GET", FAILURES).and(query_param("subscriptionId", "sub_1"));
    let (_server, client) = service(asked_of_one, 200, &answer).await;
    let failures = client.list_failures(Some("sub_1")).await.unwrap();
    assert_eq!(serde_json::to_value(&failures).unwrap(), answer);

    let retry = asked("POST", &format!("{FAILURES}/retry")).and(body_json(cause));
    let (_server, client) = service(retry, 202, &json!({ "deliveries": 411 })).await;
    assert_eq!(client.retry_failures(&failures.failures[0].cause).await.unwrap(), 411);
}

#[tokio::test]
async fn deliveries_are_filtered_shown_retried_and_cancelled() {
    let (_server, client) =
        service(asked("GET", DELIVERIES).and(WithoutQuery), 200, &json!({ "deliveries": [] })).await;
    assert_eq!(client.list_deliveries(&DeliveryQuery::default()).await.unwrap().deliveries, []);

    let filters = [
        ("subscriptionId", "sub_1"),
        ("eventType", "a/b:c"),
        ("state", "failed"),
        ("since", "2026-11-21T00:00:00+01:00"),
        ("until", "2026-11-22T00:00:00Z"),
        ("cursor", "c&d"),
        ("limit", "200"),
    ];
    let all =
        filters.iter().fold(asked("GET", DELIVERIES), |asked, (name, value)| asked.and(query_param(*name, *value)));
    let mut failed = delivery("failed");
    failed["reason"] = json!("schedule_spent");
    let page = json!({ "deliveries": [failed], "nextCursor": "e" });
    let (_server, client) = service(all, 200, &page).await;
    let [subscription_id, event_type, state, since, until, cursor, _] =
        filters.map(|(_, value)| Some(value.to_owned()));
    let wanted = DeliveryQuery { subscription_id, event_type, state, since, until, cursor, limit: Some(200) };
    let page = client.list_deliveries(&wanted).await.unwrap();
    assert_eq!(page.deliveries[0].reason.as_deref(), Some("schedule_spent"));

    let payload = r#"{"type":"invoice.paid","data":{"amount":12.50}}"#;
    let answer = format!(
        r#"{{"delivery":{},"event":{{"id":"evt_1","userId":"alice","type":"invoice.paid","createdAt":"2026-11-21T01:42:03.120Z","payload":{payload}}},"attempts":[{}]}}"#,
        delivery("delivered"),
        attempt(),
    );
    let server = MockServer::start().await;
    let found = ResponseTemplate::new(200).set_body_raw(answer, "application/json");
    asked("GET", &format!("{DELIVERIES}/dlv_1")).respond_with(found).mount(&server).await;
    let history = Client::new(&server.uri()).unwrap().find_delivery("dlv_1").await.unwrap();
    assert_eq!(history.event.payload.unwrap().get(), payload, "byte for byte");
    assert_eq!((history.attempts[0].duration_ms, history.attempts[0].error.as_deref()), (7, Some("status")));

    for (action, status, state) in [("retry", 202, "waiting"), ("cancel", 200, "cancelled")] {
        let place = format!("{DELIVERIES}/dlv_1/{action}");
        let (_server, client) = service(asked("POST", &place), status, &json!({ "delivery": delivery(state) })).await;
        let changed = if action == "retry" {
            client.retry_delivery("dlv_1").await
        } else {
            client.cancel_delivery("dlv_1").await
        };
        assert_eq!(changed.unwrap().state, state);
    }
}

#[tokio::test]
async fn an_event_is_published_byte_for_byte_with_the_operator_token() {
    let data = RawValue::from_string(r#"{"z":12.50,"a":9007199254740993}"#.to_owned()).unwrap();
    let event_of = |id: &str| NewEvent::new("auth0|alice", "invoice.paid", &data).unwrap().with_id(id);
    let written = |id: &str| {
        let data = data.get();
        format!(r#"{{"userId":"auth0|alice","type":"invoice.paid","data":{data},"id":"{id}"}}"#)
    };
    let server = MockServer::start().await;
    let operator = Client::new(&server.uri()).unwrap().with_credential(OperatorToken::new("operator-secret"));
    let answer = json!({ "event": event(), "deliveries": 2 });
    let one = asked("POST", "/api/operator/events").and(header("authorization", "Bearer operator-secret"));
    let accepted = ResponseTemplate::new(202).set_body_json(&answer);
    one.and(body_string(written("1"))).respond_with(accepted).mount(&server).await;
    let published = operator.publish_event(&event_of("1")).await.unwrap();
    assert_eq!((published.event.id.as_str(), published.deliveries, published.duplicate), ("evt_1", 2, false));

    let mut duplicate = answer.clone();
    duplicate["duplicate"] = json!(true);
    let many = asked("POST", "/api/operator/events/batch");
    let many = many.and(body_string(format!(r#"{{"events":[{},{}]}}"#, written("1"), written("2"))));
    let answer = ResponseTemplate::new(202).set_body_json(json!({ "results": [duplicate, answer] }));
    many.respond_with(answer).mount(&server).await;
    let published = operator.publish_events(&[event_of("1"), event_of("2")]).await.unwrap();
    assert_eq!(published.iter().map(|event| event.duplicate).collect::<Vec<_>>(), [true, false]);
}

#[tokio::test]
async fn an_empty_answer_where_something_is_to_say_is_an_error() {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(204)).mount(&server).await;
    let client = Client::new(&server.uri()).unwrap();
    let error = client.retry_delivery("dlv_1").await.unwrap_err();
    assert!(matches!(error, Error::UnexpectedAnswer { status: 204, .. }), "{error:?}");
}

/// A request without a query.
struct WithoutQuery;

impl Match for WithoutQuery {
    fn matches(&self, request: &Request) -> bool {
        request.url.query().is_none()
    }
}

#[tokio::test]
async fn outcomes_are_counted_by_the_hour() {
    let counts = json!({ "delivered": 12, "retried": 3, "exhausted": 1 });
    let mut hour = counts.clone();
    hour["start"] = json!("2026-11-21T01:00:00.000Z");
    let answer = json!({ "total": counts, "hours": [hour] });
    let all = asked("GET", "/api/webhooks/outcomes").and(query_param("hours", "24"));
    let (_server, client) = service(all, 200, &answer).await;
    let outcomes = client.outcomes(24).await.unwrap();
    assert_eq!((outcomes.total.delivered, outcomes.hours[0].counts.retried), (12, 3));
    assert_eq!(serde_json::to_value(&outcomes).unwrap(), answer, "the command line shows the same");
    let one = asked("GET", "/api/webhooks/subscriptions/a%2Fb/outcomes").and(query_param("hours", "744"));
    let (_server, client) = service(one, 200, &answer).await;
    assert_eq!(client.subscription_outcomes("a/b", 744).await.unwrap(), outcomes);
}

#[tokio::test]
async fn usage_of_a_key_is_counted_by_the_hour() {
    let counts = json!({ "accepted": 12, "limited": 3, "refused": 1 });
    let answer = json!({ "total": counts, "hours": [] });
    let call = asked("GET", "/api/api-keys/key_1/usage").and(query_param("hours", "24"));
    let (_server, client) = service(call, 200, &answer).await;
    let usage = client.key_usage("key_1", 24).await.unwrap();
    assert_eq!((usage.total.accepted, usage.total.limited, usage.total.refused), (12, 3, 1));
}
