//! Bodies with members that a call does not know.

use adapters_http::openapi_json;
use serde_json::Value;

use crate::server::Server;
use crate::sessions::browser::SAME_ORIGIN;
use crate::transcript::{ALICE, OPERATOR, Request, Response, request};

/// The call of an operation, without a credential.
fn call_of(method: &str, path: &str) -> Request {
    let ids = ["keyId", "id", "userId", "organizationId"];
    let path = ids.iter().fold(path.to_owned(), |path, name| path.replace(&format!("{{{name}}}"), "x"));
    request(&format!("{} {path}", method.to_uppercase()))
}

fn as_caller(path: &str, call: Request) -> Request {
    match path {
        "/api/session" => call.header(SAME_ORIGIN),
        operator if operator.starts_with("/api/operator/") => call.header(OPERATOR),
        _ => call.header(ALICE),
    }
}

/// The schema of the document at a reference.
fn referred<'a>(document: &'a Value, schema: &Value) -> &'a Value {
    let reference = schema["$ref"].as_str().unwrap_or_else(|| panic!("{schema} has a name"));
    document.pointer(reference.strip_prefix('#').unwrap()).unwrap()
}

async fn create_key(server: &Server, body: &str) -> Response {
    request("POST /api/api-keys").header(ALICE).json(body).send(server).await
}

/// Covers the whole document, so that no operation is forgotten.
#[tokio::test]
async fn every_operation_with_a_body_refuses_unknown_members() {
    let (server, mut walked) = (Server::start(), 0);
    let document: Value = serde_json::from_str(&openapi_json()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            if operation["requestBody"].is_null() {
                continue;
            }
            walked += 1;
            let closed = referred(&document, schema);
            assert_eq!(closed["additionalProperties"], false, "{method} {path}");
            let body = r#"{"unknwon":1,"other":null}"#;
            let refused = as_caller(path, call_of(method, path)).json(body).send(&server).await;
            assert_eq!(refused.verdict(), "400 unknown_field", "{method} {path}: {refused:?}");
            for name in ["unknwon", "other"] {
                assert!(refused.body.contains(&format!(r#""field":"{name}","detail":"is unknown; "#)), "{refused:?}");
            }
            if path != "/api/session" {
                assert_eq!(call_of(method, path).json(body).send(&server).await.status, 401, "{method} {path}");
            }
        }
    }
    assert!(walked > 15, "{walked} operations have a body");
    let item = &document["components"]["schemas"]["PublishEvents"]["properties"]["events"]["items"];
    assert_eq!(referred(&document, item)["additionalProperties"], false);
}

/// A wish in a query or in a body that no change reads, such as `dryRun`, would be ignored, and the change would happen.
#[tokio::test]
async fn every_change_refuses_what_it_would_ignore() {
    let (server, mut walked) = (Server::start(), 0);
    let document: Value = serde_json::from_str(&openapi_json()).unwrap();
    // A browser ends its own session, which has no credential here.
    let is_change = |method: &str, path: &str| method != "get" && path.starts_with("/api/") && path != "/api/session";
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap().iter().filter(|(method, _)| is_change(method, path)) {
            let call = || as_caller(path, call_of(method, path));
            if operation["requestBody"].is_null() {
                walked += 1;
                let refused = call().json(r#"{"dryRun":true}"#).send(&server).await;
                assert_eq!(refused.verdict(), "400 unknown_field", "{method} {path}: {refused:?}");
                for (media_type, nothing) in
                    [("application/json", "null"), ("application/json", " "), ("text/plain", "{}")]
                {
                    let call = call().header(("content-type", media_type)).body(nothing);
                    let answer = call.send(&server).await.verdict();
                    let is_unread = !["400 invalid_json", "415 unsupported_media_type"].contains(&&*answer);
                    assert!(is_unread, "{method} {path}: {answer}");
                }
            }
            let refused = as_caller(path, call_of(method, &format!("{path}?unknown=true"))).send(&server).await;
            assert_eq!(refused.verdict(), "400 invalid_field", "{method} {path}: {refused:?}");
            assert!(refused.body.contains(r#""field":"query""#), "{refused:?}");
        }
    }
    assert!(walked > 20, "{walked} changes have no body");
}

#[tokio::test]
async fn a_misspelt_member_makes_nothing_and_is_named_with_the_one_that_was_meant() {
    let server = Server::start();
    for (body, faults) in [
        (r#"{"label":"x","scope":["orders:read"]}"#, "scope is unknown; did you mean scopes?"),
        (r#"{"label":"x","expires_at":"2027-01-01T00:00:00Z"}"#, "expires_at is unknown; did you mean expiresAt?"),
        (r#"{"Label":"x"}"#, "Label is unknown; did you mean label?; label is required"),
        (
            r#"{"label":7,"colour":"red","scopes":[]}"#,
            "colour is unknown; known are expiresAt, idToken, label, metadata, rateLimit, scopes; label must be a string",
        ),
    ] {
        let refused = create_key(&server, body).await;
        assert_eq!(refused.verdict(), "400 unknown_field", "{body}");
        assert!(refused.body.contains(&format!(r#""detail":"{faults}""#)), "{body}: {refused:?}");
    }
    let link = request("POST /api/operator/portal-links").header(OPERATOR);
    let refused = link.json(r#"{"userId":"alice","capabilties":["keys:read"]}"#).send(&server).await;
    assert_eq!(refused.verdict(), "400 unknown_field");
    assert!(refused.body.contains("did you mean capabilities?"), "{refused:?}");
    assert_eq!(request("GET /api/api-keys").header(ALICE).send(&server).await.body, r#"{"keys":[]}"#);
}

/// A restriction in the body would be ignored, and everything would end.
#[tokio::test]
async fn a_call_that_ends_everything_refuses_a_restriction_in_its_body() {
    let server = Server::start();
    assert_eq!(create_key(&server, r#"{"label":"x"}"#).await.status, 200);
    let of_keys = || request("DELETE /api/operator/users/alice/keys").header(OPERATOR);
    let of_sessions = || request("DELETE /api/sessions").header(ALICE);
    let bodies = [r#"{"createdBefore":"2026-01-01T00:00:00Z"}"#, r#"{"keepCurrent":true}"#];
    for (end_all, body) in [(of_keys(), bodies[0]), (of_sessions(), bodies[1])] {
        let refused = end_all.json(body).send(&server).await;
        assert_eq!(refused.verdict(), "400 unknown_field");
        assert!(refused.body.contains("is unknown; the parameters of this call are in its query"), "{refused:?}");
    }
    let keys = request("GET /api/api-keys").header(ALICE).send(&server).await;
    assert!(keys.body.contains(r#""revokedAt":null"#), "{keys:?}");
    for end_all in [of_keys(), of_keys().json("{}"), of_sessions(), of_sessions().json("{}")] {
        assert_eq!(end_all.send(&server).await.status, 200, "a body without members");
    }
}

#[tokio::test]
async fn an_error_names_sixteen_members_and_the_start_of_a_name() {
    let server = Server::start();
    let long = "é".repeat(80);
    let members: Vec<String> = (0..40).map(|n| format!(r#""{n:02}{long}":1"#)).collect();
    let refused = create_key(&server, &format!("{{{}}}", members.join(","))).await;
    assert_eq!(refused.verdict(), "400 unknown_field");
    assert_eq!(refused.body.matches(r#""field":"#).count(), 17, "16, and label is required");
    assert!(!refused.body.contains(&"é".repeat(64)), "{refused:?}");
}

/// Members that the specification names are accepted, also the token in the body.
#[tokio::test]
async fn the_bodies_of_the_specification_are_accepted() {
    let server = Server::start();
    let created = request("POST /api/api-keys").json(r#"{"label":"x","idToken":"alice.id.token"}"#).send(&server).await;
    assert_eq!(created.status, 200, "{created:?}");
    let body = format!(r#"{{"keyId":"{}","idToken":"alice.id.token"}}"#, created.field("keyId"));
    let rotate = request(&format!("POST /api/api-keys/{}/rotate", created.field("keyId")));
    let rotated = rotate.json(r#"{"overlapSeconds":60,"idToken":"alice.id.token"}"#).send(&server).await;
    assert_eq!(rotated.status, 200, "{rotated:?}");
    assert_eq!(request("DELETE /api/api-keys").json(&body).send(&server).await.status, 200);
    let body = r#"{"url":"https://example.com/","events":["*"],"description":"","secret":null}"#;
    let subscribed = request("POST /api/webhooks/subscriptions").header(ALICE).json(body).send(&server).await;
    assert_eq!(subscribed.status, 200, "{subscribed:?}");
}

#[tokio::test]
async fn members_of_events_are_known_and_members_of_their_data_free() {
    let server = Server::start();
    let good = r#"{"userId":"alice","type":"a","data":{"scope":{"label":1}}}"#;
    let publish = |body: &str| request("POST /api/operator/events").header(OPERATOR).json(body);
    assert_eq!(publish(good).send(&server).await.status, 202);
    let refused = publish(r#"{"user_id":"alice","type":"a","data":1}"#).send(&server).await;
    assert_eq!(refused.verdict(), "400 unknown_field");
    let faults = r#""detail":"user_id is unknown; did you mean userId?; userId is required""#;
    assert!(refused.body.contains(faults), "{refused:?}");

    let batch = |body: &str| request("POST /api/operator/events/batch").header(OPERATOR).json(body);
    let events = format!(r#"{{"events":[{good},{{"userId":"alice","type":"","data":1,"ID":"x"}}],"event":[]}}"#);
    let refused = batch(&events).send(&server).await;
    assert_eq!(refused.verdict(), "400 unknown_field");
    for field in [r#""field":"event","#, r#""field":"events[1].ID","#, r#""field":"events[1].type","#] {
        assert!(refused.body.contains(field), "{field}: {refused:?}");
    }
    let many = vec![r#"{"userId":"alice","type":"a","data":1,"x":1}"#; 500].join(",");
    let refused = batch(&format!(r#"{{"events":[{many}]}}"#)).send(&server).await;
    assert_eq!(refused.body.matches(r#""field":"#).count(), 16);
}

/// RFC 7662 and its extensions have other parameters. In JSON, which is Gatepost's own form, a misspelt `scopes` would
/// require no scope of the key.
#[tokio::test]
async fn introspection_ignores_unknown_parameters_of_a_form_alone() {
    let server = Server::start();
    let key = create_key(&server, r#"{"label":"x"}"#).await;
    let introspect = || request("POST /api/operator/introspect").header(OPERATOR);
    let form = introspect().header(("content-type", "application/x-www-form-urlencoded"));
    let form = form.body(&format!("token={}&token_type_hint=access_token&x=1", key.field("key"))).send(&server).await;
    assert!(form.status == 200 && form.body.contains(r#""active":true"#), "{form:?}");
    let body = format!(r#"{{"token":"{}","scope":["orders:write"]}}"#, key.field("key"));
    let refused = introspect().json(&body).send(&server).await;
    assert_eq!(refused.verdict(), "400 unknown_field");
    assert!(refused.body.contains("did you mean scopes?") && !refused.body.contains(key.field("key")), "{refused:?}");
}
