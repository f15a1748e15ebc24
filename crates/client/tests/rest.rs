//! The client against a server that answers as the service does, and in ways that the service never should.

use std::time::Duration;

use gatepost_client::{
    Client, CreatedApiKey, DeliveryQuery, Error, FullKey, IdToken, NewApiKey, NewPortalLink, OperatorToken, Owner,
    Recovery, UsedCredential,
};
use serde::Serialize;
use serde_json::{Value, json};
use wiremock::matchers::{any, body_json, header, method, path, query_param};
use wiremock::{Mock, MockBuilder, MockServer, ResponseTemplate};

const TOKEN: &str = "header.payload.signature";
const FULL_KEY: &str = "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O";

fn record() -> Value {
    json!({
        "id": "key_01h455vb4pex5vsknk084sn02q",
        "label": "CI deploy",
        "prefix": "svc_live_012...",
        "createdAt": "2026-11-21T01:42:03.120Z",
        "lastUsedAt": null,
        "revokedAt": null,
    })
}

async fn server_with(mock: Mock) -> (MockServer, Client) {
    let server = MockServer::start().await;
    mock.expect(1).mount(&server).await;
    let client = Client::new(&server.uri()).expect("the URL of a server").with_credential(IdToken::new(TOKEN));
    (server, client)
}

fn asked(verb: &str, place: &str) -> MockBuilder {
    Mock::given(method(verb)).and(path(place))
}

/// A service that expects one call, as `asked`, and answers it with this JSON.
async fn service(asked: MockBuilder, answer: impl Serialize) -> (MockServer, Client) {
    server_with(asked.respond_with(ResponseTemplate::new(200).set_body_json(answer))).await
}

async fn answering(response: ResponseTemplate) -> (MockServer, Client) {
    server_with(Mock::given(any()).respond_with(response)).await
}

#[tokio::test]
async fn lists_keys_with_the_id_token_as_bearer() {
    let mut expiring = record();
    expiring["expiresAt"] = json!("2027-01-01T00:00:00.000Z");
    expiring["scopes"] = json!(["orders:read", "orders:write"]);
    expiring["replacedBy"] = json!("key_2");
    expiring["aFieldOfALaterVersion"] = json!({});
    let asked = asked("GET", "/api/api-keys").and(header("authorization", format!("Bearer {TOKEN}")));
    let (_server, client) = service(asked, json!({ "keys": [expiring, record()] })).await;

    let keys = client.list_api_keys().await.unwrap();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0].expires_at.as_deref(), Some("2027-01-01T00:00:00.000Z"));
    assert_eq!((keys[0].scopes.len(), keys[0].replaced_by.as_deref()), (2, Some("key_2")));
    assert_eq!((&keys[1].expires_at, keys[1].scopes.len(), &keys[1].replaced_by), (&None, 0, &None));
    assert_eq!((keys[1].label.as_str(), keys[1].prefix.as_str()), ("CI deploy", "svc_live_012..."));
    assert_eq!((keys[1].created_at.as_str(), &keys[1].last_used_at), ("2026-11-21T01:42:03.120Z", &None));
}

#[tokio::test]
async fn creates_a_key_and_shows_its_secret_only_when_asked() {
    let answer = json!({ "key": FULL_KEY, "keyId": "key_1", "keys": [record()] });
    let narrow = NewApiKey::labelled("CI").ending_at("2027-01-01T00:00:00Z").with_scopes(["orders:read"]);
    for (new, body) in [
        (NewApiKey::from("CI"), json!({ "label": "CI" })),
        (narrow, json!({ "label": "CI", "expiresAt": "2027-01-01T00:00:00Z", "scopes": ["orders:read"] })),
    ] {
        let (_server, client) = service(asked("POST", "/api/api-keys").and(body_json(body)), &answer).await;
        let created: CreatedApiKey = client.create_api_key(new).await.unwrap();
        assert_eq!((created.key.expose(), created.key_id.as_str(), created.keys.len()), (FULL_KEY, "key_1", 1));
        assert!(!format!("{created:?}").contains(&FULL_KEY[16..]));
    }
}

#[tokio::test]
async fn accepts_both_forms_of_the_revoke_answer() {
    let mut revoked = record();
    revoked["revokedAt"] = json!("2026-11-21T01:42:04.000Z");
    for answer in [json!({ "keys": [revoked] }), json!([revoked])] {
        let asked = asked("DELETE", "/api/api-keys").and(body_json(json!({ "keyId": "key_1" })));
        let (_server, client) = service(asked, answer).await;
        let keys = client.revoke_api_key("key_1").await.unwrap();
        assert_eq!(keys.len(), 1);
        assert_eq!(keys[0].revoked_at.as_deref(), Some("2026-11-21T01:42:04.000Z"));
    }
}

#[tokio::test]
async fn rotates_a_key_under_its_own_path() {
    let answer = json!({ "key": FULL_KEY, "keyId": "key_2", "keys": [record()] });
    for (key_id, asked_path) in
        [("key_1", "/api/api-keys/key_1/rotate"), ("../whoami?a#b%2F", "/api/api-keys/..%2Fwhoami%3Fa%23b%252F/rotate")]
    {
        let asked = asked("POST", asked_path).and(body_json(json!({ "overlapSeconds": 90 })));
        let (_server, client) = service(asked, &answer).await;
        let rotated = client.rotate_api_key(key_id, Duration::from_millis(90_999)).await.unwrap();
        assert_eq!((rotated.key.expose(), rotated.key_id.as_str()), (FULL_KEY, "key_2"));
    }
}

#[tokio::test]
async fn introspection_asks_with_the_operator_token() {
    let active = json!({
        "active": true, "sub": "alice", "iss": "https://id.example.com", "client_id": "key_1", "token_type": "api_key",
        "iat": 1_795_225_323, "exp": 1_795_225_400, "scope": "orders:read orders:write", "label": "CI",
    });
    let question = json!({ "token": FULL_KEY, "scopes": ["orders:read"] });
    let introspect = asked("POST", "/api/operator/introspect").and(body_json(question));
    let (_server, client) = service(introspect.and(header("authorization", "Bearer operator-secret")), active).await;
    let operator = client.with_credential(OperatorToken::new("operator-secret"));
    let key = operator.introspect(&FullKey::new(FULL_KEY), &["orders:read"]).await.unwrap().unwrap();
    assert_eq!((key.owner.user_id(), key.issuer.as_str()), (Some("alice"), "https://id.example.com"));
    assert_eq!((key.key_id.as_str(), key.label.as_str()), ("key_1", "CI"));
    assert_eq!(key.scopes, ["orders:read", "orders:write"]);
    assert_eq!((key.created_at_unix_seconds, key.expires_at_unix_seconds), (1_795_225_323, Some(1_795_225_400)));

    let asked = Mock::given(body_json(json!({ "token": FULL_KEY })));
    let (_server, client) = service(asked, json!({ "active": false })).await;
    assert_eq!(client.introspect(&FullKey::new(FULL_KEY), &[]).await.unwrap(), None);

    let (_server, client) = answering(ResponseTemplate::new(200).set_body_json(json!({ "active": true }))).await;
    let error = client.introspect(&FullKey::new(FULL_KEY), &[]).await.unwrap_err();
    assert!(matches!(error, Error::UnexpectedAnswer { status: 200, .. }), "active, but whose? {error:?}");
}

#[tokio::test]
async fn leaks_are_answered_in_their_order() {
    let asked = asked("POST", "/api/operator/leaks").and(body_json(json!({ "tokens": ["nothing", FULL_KEY] })));
    let (_server, client) = service(asked, json!({ "keyIds": [null, "key_1"] })).await;
    let found = [FullKey::new("nothing"), FullKey::new(FULL_KEY)];
    assert_eq!(client.report_leaks(&found).await.unwrap(), [None, Some("key_1".to_owned())]);
}

/// The client of the host, for a user.
fn host(client: &Client) -> Client {
    client.with_credential(OperatorToken::new("operator")).for_owner(Owner::User("auth0|a/b".to_owned()))
}

#[tokio::test]
async fn a_member_calls_for_an_organization() {
    let asked = asked("DELETE", "/api/api-keys").and(query_param("organization", "a&b"));
    let asked = asked.and(body_json(json!({ "keyId": "key_1" })));
    let (_server, client) = service(asked, json!({ "keys": [record()] })).await;
    let member = client.for_owner(Owner::Organization("a&b".to_owned()));
    assert_eq!(member.revoke_api_key("key_1").await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_operator_looks_at_a_users_keys_and_revokes_one() {
    let answer = json!({ "keys": [record()] });
    let keys_of = "/api/operator/users/auth0%7Ca%2Fb/keys";
    let (_server, client) = service(asked("GET", keys_of), &answer).await;
    assert_eq!(host(&client).list_api_keys().await.unwrap().len(), 1);

    let (_server, client) = service(asked("DELETE", &format!("{keys_of}/key_1")), &answer).await;
    assert_eq!(host(&client).revoke_api_key("key_1").await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_operator_looks_at_a_users_webhooks_and_sends_one_again() {
    let delivery = json!({
        "id": "dlv_1", "eventId": "evt_1", "eventType": "a", "subscriptionId": "sub_1", "state": "waiting",
        "attempts": 1, "nextAttemptAt": null, "createdAt": "2026-11-21T01:42:03.120Z", "completedAt": null,
    });
    let of_user = "/api/operator/users/auth0%7Ca%2Fb";
    let answering = |verb: &str, rest: &str, answer: Value| service(asked(verb, &format!("{of_user}/{rest}")), answer);
    let (_server, client) = answering("GET", "deliveries", json!({ "deliveries": [delivery] })).await;
    let failed = DeliveryQuery { state: Some("failed".into()), ..DeliveryQuery::default() };
    assert_eq!(host(&client).list_deliveries(&failed).await.unwrap().deliveries[0].id, "dlv_1");
    let (_server, client) = answering("POST", "deliveries/dlv_1/retry", json!({ "delivery": delivery })).await;
    assert_eq!(host(&client).retry_delivery("dlv_1").await.unwrap().state, "waiting");
    let (_server, client) = answering("POST", "subscriptions/sub_1/recover", json!({ "deliveries": 3 })).await;
    let since = "2026-11-21T00:00:00Z";
    assert_eq!(host(&client).recover_subscription("sub_1", &Recovery::since(since)).await.unwrap(), 3);
    let group = json!({
        "subscriptionId": "sub_1", "url": "https://hooks.example.com", "error": "status", "status": 500,
        "deliveries": 412, "newestDeliveryId": "dlv_1",
    });
    let (_server, client) = answering("GET", "failures", json!({ "failures": [group], "isComplete": true })).await;
    let failures = host(&client).list_failures(Some("sub_1")).await.unwrap();
    let (_server, client) = answering("POST", "failures/retry", json!({ "deliveries": 412 })).await;
    assert_eq!(host(&client).retry_failures(&failures.failures[0].cause).await.unwrap(), 412);
    let failing = json!({ "subscriptions": [{
        "id": "sub_1", "userId": "alice", "receiver": "https://hooks.example.com", "state": "paused",
        "reason": "timeout", "failingSince": null, "failuresInARow": 5, "lastAttempt": null,
    }], "nextCursor": "more" });
    let (_server, client) = service(asked("GET", "/api/operator/failing-subscriptions"), failing).await;
    let page = client.list_failing_subscriptions(None).await.unwrap();
    assert_eq!((page.subscriptions[0].failures_in_a_row, page.next_cursor.as_deref()), (5, Some("more")));
    let event = json!({ "event": {
        "id": "evt_1", "userId": "alice", "type": "a", "createdAt": "2026-11-21T01:42:03.120Z", "payload": {},
    }, "deliveries": 2 });
    let (_server, client) = service(asked("GET", "/api/operator/events/evt_1"), event).await;
    assert_eq!(client.find_event("evt_1").await.unwrap().deliveries, 2);
    let (_server, client) = answering("DELETE", "sessions", json!({ "sessions": [] })).await;
    host(&client).end_sessions().await.unwrap();
}

#[tokio::test]
async fn an_operator_sees_and_chooses_the_lines_of_the_log() {
    let path = "/api/operator/log-filter";
    let (_server, client) = service(asked("GET", path), json!({ "filter": "info" })).await;
    let present = client.find_log_filter().await.unwrap();
    assert_eq!((&*present.filter, present.before), ("info", None));
    let asked = asked("POST", path).and(body_json(json!({ "filter": "warn" })));
    let (_server, client) = service(asked, json!({ "filter": "warn", "before": "info" })).await;
    let changed = client.change_log_filter("warn").await.unwrap();
    assert_eq!((&*changed.filter, changed.before.as_deref()), ("warn", Some("info")));
}

#[tokio::test]
async fn whoami_sends_an_api_key_as_such_and_reads_both_kinds() {
    let by_key = json!({
        "userId": "alice",
        "credential": { "kind": "apiKey", "keyId": "key_1", "label": "CI", "scopes": ["orders:read"] },
    });
    let (_server, client) = service(asked("GET", "/api/whoami").and(header("x-api-key", FULL_KEY)), by_key).await;
    let identity = client.with_credential(FullKey::new(FULL_KEY)).whoami().await.unwrap();
    assert_eq!(identity.user_id.as_deref(), Some("alice"));
    let (key_id, label, scopes) = ("key_1".into(), "CI".into(), vec!["orders:read".into()]);
    assert_eq!(identity.credential, UsedCredential::ApiKey { key_id, label, scopes });

    let by_token = json!({ "userId": "alice", "credential": { "kind": "idToken" } });
    let (_server, client) = answering(ResponseTemplate::new(200).set_body_json(by_token)).await;
    assert_eq!(client.whoami().await.unwrap().credential, UsedCredential::IdToken);
}

#[tokio::test]
async fn a_refusal_is_told_in_the_services_words() {
    let problem = json!({
        "type": "/docs/errors/invalid_field",
        "title": "Invalid field",
        "status": 400,
        "detail": "one field is not valid",
        "code": "invalid_field",
        "requestId": "r-1",
        "errors": [{ "field": "label", "detail": "must not be empty" }],
    });
    let answer = ResponseTemplate::new(400).set_body_raw(problem.to_string(), "application/problem+json");
    let (_server, client) = answering(answer.insert_header("retry-after", "7")).await;
    let error = client.create_api_key("").await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(400), Some("invalid_field")));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    let problem = error.problem().unwrap();
    assert_eq!((problem.errors[0].field.as_str(), problem.request_id.as_deref()), ("label", Some("r-1")));
    let told = "the service answered 400 invalid_field: one field is not valid; label must not be empty (request r-1)";
    assert_eq!(error.to_string(), told);
}

#[tokio::test]
async fn a_refusal_of_something_in_front_of_the_service_keeps_its_status() {
    let answer = ResponseTemplate::new(503).set_body_string("<html>busy</html>").insert_header("retry-after", "3");
    let (_server, client) = answering(answer.insert_header("x-request-id", "r-2")).await;
    let error = client.list_api_keys().await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(503), None));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
    assert_eq!(error.problem().unwrap().request_id.as_deref(), Some("r-2"));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(200)).expect(0).mount(&elsewhere).await;
    for status in [301, 302, 303, 307, 308] {
        let (_server, client) =
            answering(ResponseTemplate::new(status).insert_header("location", elsewhere.uri())).await;
        let error = client.list_api_keys().await.unwrap_err();
        assert!(matches!(error, Error::UnexpectedAnswer { status: answered, .. } if answered == status), "{error:?}");
    }
}

#[tokio::test]
async fn an_answer_that_is_none_of_ours_is_an_error_that_quotes_nothing() {
    for body in [
        "",
        "{}",
        r#"{"keys": 3}"#,
        r#"{"key": "k", "keyId": "i", "keys": "svc_live_secret"}"#,
        "<html>svc_live_secret</html>",
    ] {
        let (_server, client) = answering(ResponseTemplate::new(200).set_body_string(body)).await;
        let error = client.create_api_key("CI").await.unwrap_err();
        assert_eq!(error.status(), Some(200), "{body}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
}

#[tokio::test]
async fn a_service_that_is_away_is_no_answer() {
    // The system gives port 1 to no test.
    let client = Client::new("http://127.0.0.1:1").unwrap().with_credential(IdToken::new(TOKEN));
    let error = client.list_api_keys().await.unwrap_err();
    assert!(matches!(error, Error::NoAnswer(_)), "{error:?}");
    assert!(!format!("{error:?} {client:?}").contains(TOKEN));
}

#[tokio::test]
async fn a_base_url_may_have_a_path() {
    let (server, _) = service(Mock::given(path("/gate/post/api/api-keys")), json!([])).await;
    let client = Client::new(&format!("{}/gate/post/", server.uri())).unwrap();
    assert_eq!(client.list_api_keys().await.unwrap(), []);
}

#[test]
fn refuses_base_urls_that_cannot_be() {
    for wrong in ["", "keys.example.com", "ftp://a", "https://u:p@a", "https://u@a", "https://a?b", "https://a#b"] {
        assert!(matches!(Client::new(wrong), Err(Error::InvalidBaseUrl)), "{wrong}");
    }
}

#[tokio::test]
async fn a_credential_that_no_header_can_carry_is_not_sent() {
    let client = Client::new("http://127.0.0.1:9").unwrap().with_credential(IdToken::new("a\r\nx-api-key: b"));
    assert!(matches!(client.whoami().await, Err(Error::InvalidCredential)));
}

#[test]
fn secrets_do_not_print() {
    let client = Client::new("http://127.0.0.1:9").unwrap().with_credential(FullKey::new(FULL_KEY));
    let operator = client.with_credential(OperatorToken::new("operator-0123"));
    let printed = format!("{client:?} {operator:?} {:?} {:?}", IdToken::new(TOKEN), FullKey::new(FULL_KEY));
    assert!(!printed.contains("0123") && !printed.contains(TOKEN), "{printed}");
}

#[tokio::test]
async fn makes_a_portal_link_that_does_not_print() {
    let answer = json!({ "url": "https://keys.example/console/portal#code", "expiresAt": "2026-11-21T01:47:03.120Z" });
    let narrow = NewPortalLink::for_user("alice").with_capabilities(["keys:read"]);
    let narrow = narrow.returning_to("https://app.example/").lasting(Duration::from_mins(1));
    let body = json!({
        "userId": "alice", "capabilities": ["keys:read"], "returnUrl": "https://app.example/", "ttlSeconds": 60,
    });
    for (new, body) in [(NewPortalLink::for_user("alice"), json!({ "userId": "alice" })), (narrow, body)] {
        let asked = asked("POST", "/api/operator/portal-links").and(body_json(body));
        let (_server, client) = service(asked, &answer).await;
        let link = client.create_portal_link(&new).await.unwrap();
        assert_eq!(link.url.expose(), "https://keys.example/console/portal#code");
        assert!(!format!("{link:?}").contains("code"));
    }
}
