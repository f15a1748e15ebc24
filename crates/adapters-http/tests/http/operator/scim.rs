//! The requests that Okta and Entra document, and what they leave.

use adapters_http::{OperatorScope, OperatorToken, ScimSubject};
use serde_json::{Value, json};

use crate::server::{PUBLIC_URL, Server, Setup};
use crate::transcript::{ALICE, OPERATOR, Request, request};

const IDP: (&str, &str) = ("authorization", "Bearer idp-secret");
const SCHEMA: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
/// The users in the requests of Okta and Entra.
const OKTA_ID: &str = "00ujl29u0le5T6Aj10h7";
const ENTRA_ID: &str = "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef";
const ENTRA_NAME: &str = "Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1";

fn start(subject: ScimSubject, scope: OperatorScope) -> Server {
    let mut setup = Setup::default();
    setup.operator_tokens.push(OperatorToken::new("idp", vec![scope], "idp-secret"));
    setup.settings.scim_subject = Some(subject);
    setup.start()
}

fn by_provider(line: &str, body: Option<&Value>) -> Request {
    let (method, path) = line.split_once(' ').unwrap();
    let call = request(&format!("{method} /scim/v2/{path}")).header(IDP);
    match body {
        Some(body) => call.header(("content-type", "application/scim+json; charset=utf-8")).body(&body.to_string()),
        None => call,
    }
}

async fn sent(server: &Server, line: &str, body: Option<&Value>, status: u16) -> Value {
    let answer = by_provider(line, body).send(server).await;
    assert_eq!(answer.status, status, "{line}: {answer:?}");
    if status == 204 {
        return Value::Null;
    }
    assert_eq!(answer.header("content-type"), Some("application/scim+json"), "{line}");
    let value = answer.json();
    if status < 300 && value["meta"]["resourceType"] == "User" && !line.starts_with("GET") {
        assert_eq!(answer.header("location"), value["meta"]["location"].as_str(), "{line}");
    }
    value
}

async fn find(server: &Server, filter: &str) -> Vec<Value> {
    let filter = filter.replace(' ', "%20").replace('"', "%22").replace('@', "%40");
    let page = sent(server, &format!("GET Users?filter={filter}&startIndex=1&count=100"), None, 200).await;
    let found = page["Resources"].as_array().unwrap().clone();
    assert_eq!((&page["totalResults"], &page["itemsPerPage"]), (&json!(found.len()), &json!(found.len())));
    found
}

fn patch(operations: &Value) -> Value {
    json!({"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": operations})
}

fn okta_user() -> Value {
    json!({
        "schemas": [SCHEMA], "userName": "test.user@okta.local",
        "name": {"givenName": "Test", "familyName": "User"},
        "emails": [{"primary": true, "value": "test.user@okta.local", "type": "work"}],
        "displayName": "Test User", "locale": "en-US", "externalId": OKTA_ID, "groups": [], "password": "1mz050nq",
        "active": true,
    })
}

fn entra_user() -> Value {
    json!({
        "schemas": [SCHEMA, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
        "externalId": ENTRA_ID, "userName": ENTRA_NAME, "active": true,
        "emails": [{"primary": true, "type": "work", "value": "Test_User_fd0ea19b@testuser.com"}],
        "meta": {"resourceType": "User"},
        "name": {"formatted": "givenName familyName", "familyName": "familyName", "givenName": "givenName"},
        "roles": [],
    })
}

/// The record of the user in the operator API.
async fn record(server: &Server, id: &str) -> Value {
    request(&format!("GET /api/operator/users/{id}")).header(OPERATOR).send(server).await.json()
}

async fn set_state(server: &Server, id: &str, body: &str) -> Value {
    let call = request(&format!("PUT /api/operator/users/{id}/state")).header(OPERATOR).json(body);
    call.send(server).await.json()
}

/// A client may ask for some attributes of the answer to any call (RFC 7644, section 3.9).
#[tokio::test(flavor = "multi_thread")]
async fn a_change_may_ask_for_attributes() {
    let server = start(ScimSubject::ExternalId, OperatorScope::Scim);
    sent(&server, "POST Users?attributes=id", Some(&okta_user()), 201).await;
    let user = format!("Users/{OKTA_ID}?excludedAttributes=groups");
    sent(&server, &format!("PUT {user}"), Some(&okta_user()), 200).await;
    let deactivates = patch(&json!([{"op": "replace", "value": {"active": false}}]));
    assert_eq!(sent(&server, &format!("PATCH {user}"), Some(&deactivates), 200).await["active"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_okta_sends_creates_changes_and_suspends_a_user() {
    let server = start(ScimSubject::ExternalId, OperatorScope::Scim);
    let by_name = "userName eq \"test.user@okta.local\"";
    assert_eq!(find(&server, by_name).await, [json!(null); 0]);
    let created = sent(&server, "POST Users", Some(&okta_user()), 201).await;
    let expected = json!({
        "schemas": [SCHEMA], "id": OKTA_ID, "externalId": OKTA_ID, "userName": "test.user@okta.local",
        "displayName": "Test User", "name": {"formatted": "Test User"},
        "emails": [{"value": "test.user@okta.local", "type": "work", "primary": true}], "active": true,
        "meta": {"resourceType": "User", "location": format!("{PUBLIC_URL}/scim/v2/Users/{OKTA_ID}")},
    });
    assert_eq!(created, expected);
    assert_eq!(sent(&server, &format!("GET Users/{OKTA_ID}"), None, 200).await, expected);
    assert_eq!(find(&server, by_name).await, [expected]);
    let conflict = sent(&server, "POST Users", Some(&okta_user()), 409).await;
    assert_eq!((&conflict["scimType"], &conflict["status"]), (&json!("uniqueness"), &json!("409")));

    let renamed = json!({
        "schemas": [SCHEMA], "id": OKTA_ID, "userName": "test.user@okta.local",
        "name": {"givenName": "Another", "middleName": "", "familyName": "User"},
        "emails": [{"primary": true, "value": "test.user@okta.local", "type": "work", "display": "test.user@okta.local"}],
        "active": true, "groups": [], "meta": {"resourceType": "User"},
    });
    let user = format!("Users/{OKTA_ID}");
    assert_eq!(sent(&server, &format!("PUT {user}"), Some(&renamed), 200).await["displayName"], "Another User");
    let deactivates = patch(&json!([{"op": "replace", "value": {"active": false}}]));
    assert_eq!(sent(&server, &format!("PATCH {user}"), Some(&deactivates), 200).await["active"], false);
    let stored = record(&server, OKTA_ID).await;
    assert_eq!((&stored["name"], &stored["email"]), (&json!("Another User"), &json!("test.user@okta.local")));
    assert_eq!(stored["state"]["reason"], "deactivated by the identity provider");
    assert_eq!(sent(&server, &format!("PUT {user}"), Some(&renamed), 200).await["active"], true);
    assert_eq!(record(&server, OKTA_ID).await["state"], json!({"state": "active"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_entra_sends_creates_changes_and_suspends_a_user() {
    let server = start(ScimSubject::ExternalId, OperatorScope::Scim);
    let created = sent(&server, "POST Users", Some(&entra_user()), 201).await;
    assert_eq!((&created["id"], &created["userName"]), (&json!(ENTRA_ID), &json!(ENTRA_NAME)));
    for filter in [format!("externalId eq \"{ENTRA_ID}\""), format!("userName Eq \"{}\"", ENTRA_NAME.to_uppercase())] {
        assert_eq!(find(&server, &filter).await.as_slice(), std::slice::from_ref(&created), "{filter}");
    }
    let user = format!("PATCH Users/{ENTRA_ID}");
    let several = patch(&json!([
        {"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "updatedEmail@microsoft.com"},
        {"op": "Replace", "path": "name.formatted", "value": "updated familyName"},
        {"op": "Replace", "path": "name.familyName", "value": "updatedFamilyName"},
        {"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "x"},
    ]));
    assert_eq!(sent(&server, &user, Some(&several), 200).await["displayName"], "updated familyName");
    let renamed = patch(&json!([{"op": "Replace", "path": "userName", "value": "5b50642d@testuser.com"}]));
    let changed = sent(&server, &user, Some(&renamed), 200).await;
    assert_eq!((&changed["userName"], &changed["id"]), (&json!("5b50642d@testuser.com"), &json!(ENTRA_ID)));
    assert_eq!(changed["displayName"], "updated familyName", "what an operation does not name stays");
    for (operation, active) in [
        (json!({"op": "Replace", "path": "active", "value": "False"}), false),
        (json!({"op": "Add", "path": format!("{SCHEMA}:active"), "value": "True"}), true),
        (json!({"op": "replace", "path": "ACTIVE", "value": false}), false),
        (json!({"op": "Add", "value": {"active": "True", "name.familyName": "x"}}), true),
    ] {
        let changed = sent(&server, &user, Some(&patch(&json!([operation]))), 200).await;
        assert_eq!(changed["active"], active, "{operation}");
    }
    sent(&server, &format!("DELETE Users/{ENTRA_ID}"), None, 204).await;
    for line in [format!("GET Users/{ENTRA_ID}"), format!("DELETE Users/{ENTRA_ID}")] {
        sent(&server, &line, None, 404).await;
    }
    let stored = record(&server, ENTRA_ID).await;
    assert_eq!((&stored["name"], &stored["email"]), (&Value::Null, &Value::Null), "forgotten");
    assert_eq!(stored["state"]["state"], "suspended");
    let again = sent(&server, "POST Users", Some(&entra_user()), 201).await;
    assert_eq!(again["active"], true, "a user who comes back may act");
    assert_eq!(record(&server, ENTRA_ID).await["state"]["state"], "active");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_name_can_be_the_subject() {
    let server = start(ScimSubject::UserName, OperatorScope::Scim);
    let key = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let key = key.field("key").to_owned();
    let whoami = async || request("GET /api/whoami").header(("x-api-key", &key)).send(&server).await.status;
    assert_eq!(whoami().await, 200);
    let user = json!({"userName": "alice", "emails": [{"value": "x"}, {"value": "a@acme.example", "Primary": true}]});
    let created = sent(&server, "POST Users", Some(&user), 201).await;
    assert_eq!((&created["id"], &created["displayName"]), (&json!("alice"), &json!("alice")));
    assert_eq!((&created["active"], created.get("externalId")), (&json!(true), None));
    assert_eq!(record(&server, "alice").await["email"], "a@acme.example", "the primary one");
    let mut whole = json!({"userName": "alice", "active": "False"});
    sent(&server, "PUT Users/alice", Some(&whole), 200).await;
    assert_eq!(record(&server, "alice").await["email"], Value::Null, "a PUT replaces all");
    assert_eq!(whoami().await, 401, "keys of a suspended user are refused");
    let own = request("GET /api/api-keys").header(ALICE).send(&server).await;
    assert_eq!((own.status, own.field("code")), (403, "owner_suspended"));
    whole["active"] = json!(true);
    sent(&server, "PUT Users/alice", Some(&whole), 200).await;
    assert_eq!(whoami().await, 200);
    let events = request("GET /api/audit?action=owner.activated").header(ALICE).send(&server).await.json();
    let actors: Vec<&Value> = events["events"].as_array().unwrap().iter().map(|event| &event["actor"]).collect();
    assert_eq!(actors, [&json!({"type": "operator", "id": "idp"})]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_and_the_provider_each_end_their_own_suspension() {
    let server = start(ScimSubject::UserName, OperatorScope::Scim);
    sent(&server, "POST Users", Some(&json!({"userName": "a"})), 201).await;
    set_state(&server, "a", r#"{"state":"suspended","reason":"unpaid"}"#).await;
    let shown = sent(&server, "GET Users/a", None, 200).await;
    assert_eq!(shown["active"], true, "the provider sees its own state");
    for active in [true, false] {
        let shown = sent(&server, "PUT Users/a", Some(&json!({"userName": "a", "active": active})), 200).await;
        assert_eq!(shown["active"], active);
        assert_eq!(record(&server, "a").await["state"]["state"], "suspended", "the host's suspension stays");
    }
    let state = record(&server, "a").await["state"].clone();
    assert_eq!(state["reason"], "unpaid; deactivated by the identity provider");
    let state = set_state(&server, "a", r#"{"state":"active"}"#).await["state"].clone();
    assert_eq!(state["reason"], "deactivated by the identity provider", "the provider's suspension stays");
    sent(&server, "PUT Users/a", Some(&json!({"userName": "a", "active": true})), 200).await;
    assert_eq!(record(&server, "a").await["state"], json!({"state": "active"}));
}

/// A request with a name that is refused gets 400, and its deactivation holds.
#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_name_keeps_no_user_active() {
    let server = start(ScimSubject::UserName, OperatorScope::Scim);
    sent(&server, "POST Users", Some(&json!({"userName": "a", "displayName": "A"})), 201).await;
    let wrong = "a\u{202e}";
    let operations = json!([{"op": "replace", "value": {"displayName": wrong, "active": false}}]);
    sent(&server, "PATCH Users/a", Some(&patch(&operations)), 400).await;
    sent(&server, "POST Users", Some(&json!({"userName": "b", "displayName": wrong, "active": false})), 400).await;
    for id in ["a", "b"] {
        assert_eq!(record(&server, id).await["state"]["state"], "suspended", "{id}");
    }
    assert_eq!(record(&server, "a").await["name"], "A", "the name stays");
}

/// A user who leaves is suspended, whatever else the request has.
#[tokio::test(flavor = "multi_thread")]
async fn a_fault_elsewhere_keeps_no_user_active() {
    let server = start(ScimSubject::UserName, OperatorScope::Scim);
    sent(&server, "POST Users", Some(&json!({"userName": "a", "displayName": "A"})), 201).await;
    let leaves = json!({"op": "replace", "path": "active", "value": false});
    let beside = |other: Value| patch(&json!([other, leaves.clone()]));
    for (line, body) in [
        ("PATCH Users/a", beside(json!({"op": "replace", "path": "userName", "value": "b"}))),
        ("PATCH Users/a", beside(json!({"op": "replace", "path": "displayName", "value": 5}))),
        ("PATCH Users/a", beside(json!({"op": "bogus", "path": "x"}))),
        ("PATCH Users/a", beside(json!("no object"))),
        ("PUT Users/a", json!({"userName": "b", "active": false})),
        ("PUT Users/a", json!({"active": false})),
        ("PUT Users/a", json!({"userName": "a", "emails": {"value": "a@b"}, "active": "False"})),
        ("POST Users", json!({"userName": "a", "displayName": [], "active": false})),
    ] {
        let problem = sent(&server, line, Some(&body), 400).await;
        assert_eq!(record(&server, "a").await["state"]["state"], "suspended", "{line}: {body}: {problem}");
        let comes_back = patch(&json!([{"op": "replace", "path": "active", "value": true}]));
        sent(&server, "PATCH Users/a", Some(&comes_back), 200).await;
        assert_eq!(record(&server, "a").await["state"]["state"], "active");
    }
}

/// An unusual form of a deactivation is heeded or refused.
#[tokio::test(flavor = "multi_thread")]
async fn no_deactivation_is_passed_over() {
    let server = start(ScimSubject::ExternalId, OperatorScope::Scim);
    for (id, operation, status) in [
        ("a", json!({"op": "replace", "path": "", "value": {"active": false}}), 200),
        ("b", json!({"op": "replace", "value": {SCHEMA: {"active": false}}}), 200),
        ("c", json!({"op": "replace", "path": "active", "value": null}), 400),
        ("d", json!({"op": "remove", "path": "active"}), 400),
    ] {
        sent(&server, "POST Users", Some(&json!({"userName": id, "externalId": id})), 201).await;
        sent(&server, &format!("PATCH Users/{id}"), Some(&patch(&json!([operation]))), status).await;
        let expected = if status == 200 { "suspended" } else { "active" };
        assert_eq!(record(&server, id).await["state"]["state"], expected, "{operation}");
    }
    let twice = r#"{"Operations":[{"op":"replace","path":"active","value":false,"value":true}]}"#;
    let call = request("PATCH /scim/v2/Users/c").header(IDP).header(("content-type", "application/scim+json"));
    assert_eq!(call.body(twice).send(&server).await.status, 400);
}

/// A user whom the provider cannot find by the name that it has is taken over, with what the host has set.
#[tokio::test(flavor = "multi_thread")]
async fn a_user_whom_the_provider_cannot_find_is_taken_over() {
    let server = start(ScimSubject::ExternalId, OperatorScope::Scim);
    let set = r#"{"name":"Alice","email":"alice@home.example","maxActiveKeys":3}"#;
    request("PATCH /api/operator/users/alice").header(OPERATOR).json(set).send(&server).await;
    assert_eq!(find(&server, "externalId eq \"alice\"").await[0]["userName"], "alice@home.example");
    let user = json!({"userName": "alice@acme.example", "externalId": "alice"});
    sent(&server, "POST Users", Some(&user), 201).await;
    let stored = record(&server, "alice").await;
    assert_eq!((&stored["email"], &stored["maxActiveKeys"]), (&json!("alice@acme.example"), &json!(3)));
    let other = json!({"userName": "Alice@acme.example", "externalId": "bob"});
    assert_eq!(sent(&server, "POST Users", Some(&other), 409).await["scimType"], "uniqueness");
}

/// The provider finds users by this name.
#[tokio::test(flavor = "multi_thread")]
async fn no_user_takes_the_name_of_another() {
    let server = start(ScimSubject::ExternalId, OperatorScope::Scim);
    for id in ["alice", "bob"] {
        let user = json!({"userName": format!("{id}@acme.example"), "externalId": id});
        sent(&server, "POST Users", Some(&user), 201).await;
    }
    let name = |name: &str| json!({"op": "replace", "path": "userName", "value": name});
    let renamed = patch(&json!([name("Alice@acme.example")]));
    assert_eq!(sent(&server, "PATCH Users/bob", Some(&renamed), 409).await["scimType"], "uniqueness");
    let leaves = json!({"userName": "alice@acme.example", "active": false});
    assert_eq!(sent(&server, "PUT Users/bob", Some(&leaves), 409).await["scimType"], "uniqueness");
    let stored = record(&server, "bob").await;
    assert_eq!((&stored["email"], &stored["state"]["state"]), (&json!("bob@acme.example"), &json!("suspended")));
    let unknown = json!({"userName": "alice@acme.example", "externalId": "carol", "active": false});
    assert_eq!(sent(&server, "POST Users", Some(&unknown), 409).await["scimType"], "uniqueness");
    assert_eq!(record(&server, "carol").await["state"]["state"], "suspended", "has never signed in");
    for (id, own) in [("alice", "ALICE@acme.example"), ("bob", "robert@acme.example")] {
        let user = sent(&server, &format!("PATCH Users/{id}"), Some(&patch(&json!([name(own)]))), 200).await;
        assert_eq!(user["userName"], own);
    }
}

/// Both calls are answered, and the user is there once.
#[tokio::test(flavor = "multi_thread")]
async fn two_calls_at_once_leave_one_user() {
    let server = start(ScimSubject::ExternalId, OperatorScope::Scim);
    let call = by_provider("POST Users", Some(&okta_user()));
    let (one, other) = tokio::join!(call.send(&server), call.send(&server));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert!(statuses == [201, 201] || statuses == [201, 409], "{statuses:?}");
    let page = sent(&server, "GET Users", None, 200).await;
    assert_eq!((&page["totalResults"], &page["Resources"][0]["id"]), (&json!(1), &json!(OKTA_ID)));
}

#[tokio::test(flavor = "multi_thread")]
async fn users_are_listed_page_by_page() {
    let server = start(ScimSubject::UserName, OperatorScope::Scim);
    for name in ["a", "b/@ü", "c"] {
        sent(&server, "POST Users", Some(&json!({"userName": name})), 201).await;
    }
    request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let body = r#"{"name":"Acme"}"#;
    request("PATCH /api/operator/organizations/acme").header(OPERATOR).json(body).send(&server).await;
    for (query, ids, total) in [
        ("", vec!["a", "b/@ü", "c"], 3),
        ("?startIndex=2&count=1", vec!["b/@ü"], 3),
        ("?startIndex=-1&count=1&attributes=userName", vec!["a"], 3),
        ("?startIndex=9", vec![], 3),
        ("?count=0", vec![], 3),
        ("?filter=userName+eq+%22c%22", vec!["c"], 1),
        ("?filter=userName+eq+%22alice%22", vec![], 0),
        ("?filter=externalId+eq+%22c%22", vec![], 0),
    ] {
        let page = sent(&server, &format!("GET Users{query}"), None, 200).await;
        let shown = page["Resources"].as_array().unwrap();
        let found: Vec<&str> = shown.iter().map(|user| user["id"].as_str().unwrap()).collect();
        assert_eq!((found, &page["totalResults"]), (ids, &json!(total)), "{query}");
    }
    let page = sent(&server, "GET Users?startIndex=2&count=1", None, 200).await;
    let location = page["Resources"][0]["meta"]["location"].as_str().unwrap().strip_prefix(PUBLIC_URL).unwrap();
    let shown = request(&format!("GET {location}")).header(IDP).send(&server).await;
    assert_eq!(shown.field("userName"), "b/@ü", "{location}");
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_the_form_of_scim() {
    let server = start(ScimSubject::UserName, OperatorScope::Scim);
    sent(&server, "POST Users", Some(&json!({"userName": "a"})), 201).await;
    let operation = |operation: Value| Some(patch(&json!([operation])));
    let large = json!({"userName": "b", "nickName": "x".repeat(64 * 1024)});
    for (line, body, status, kind) in [
        ("GET Users?filter=name%20sw%20%22a%22", None, 400, Some("invalidFilter")),
        ("GET Users?filter=userName%20sw%20%22a%22", None, 400, Some("invalidFilter")),
        ("GET Users?filter=userName%20eq%20a", None, 400, Some("invalidFilter")),
        ("GET Users?startIndex=x", None, 400, Some("invalidValue")),
        ("GET Users?organization=acme", None, 400, Some("invalidValue")),
        ("POST Users", Some(json!({"displayName": "x"})), 400, Some("invalidValue")),
        ("POST Users", Some(json!({"userName": "b".repeat(256)})), 400, Some("invalidValue")),
        ("POST Users", Some(json!({"userName": "b", "active": "maybe"})), 400, Some("invalidValue")),
        ("POST Users", Some(json!({"userName": "b", "displayName": "a\u{202e}"})), 400, Some("invalidValue")),
        ("POST Users", Some(json!([])), 400, Some("invalidSyntax")),
        ("POST Users", None, 400, Some("invalidSyntax")),
        ("POST Users", Some(large), 413, None),
        ("PUT Users/a", Some(json!({"userName": "b"})), 400, Some("mutability")),
        ("PUT Users/a", Some(json!({"active": true})), 400, Some("invalidValue")),
        ("PATCH Users/a", operation(json!({"op": "remove", "path": "userName"})), 400, Some("invalidValue")),
        ("PATCH Users/a", operation(json!({"op": "remove"})), 400, Some("noTarget")),
        ("PATCH Users/a", operation(json!({"op": "move", "path": "active"})), 400, Some("invalidSyntax")),
        ("PATCH Users/a", Some(json!({})), 400, Some("invalidSyntax")),
        ("GET Users/unknown", None, 404, None),
        ("DELETE Users/unknown", None, 404, None),
        ("GET Groups", None, 404, None),
        ("POST ServiceProviderConfig", None, 405, None),
        ("PATCH Users", None, 405, None),
    ] {
        let problem = sent(&server, line, body.as_ref(), status).await;
        assert_eq!(problem["schemas"], json!(["urn:ietf:params:scim:api:messages:2.0:Error"]), "{line}: {problem}");
        assert_eq!((&problem["status"], problem["scimType"].as_str()), (&json!(status.to_string()), kind), "{line}");
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{line}: {problem}");
    }
    let form = request("POST /scim/v2/Users").header(IDP).header(("content-type", "text/plain")).body("{}");
    assert_eq!(form.send(&server).await.status, 415);
    assert_eq!(find(&server, "userName eq \"b\"").await.len(), 0, "what is refused changes nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn scim_needs_its_scope_and_its_setting() {
    for (scope, of_scim, of_hosts) in [
        (OperatorScope::Scim, 200, 403),
        (OperatorScope::Manage, 403, 200),
        (OperatorScope::Support, 403, 403),
        (OperatorScope::Admin, 200, 200),
    ] {
        let server = start(ScimSubject::UserName, scope);
        assert_eq!(by_provider("GET Users", None).send(&server).await.status, of_scim, "{scope}");
        let change = request("PATCH /api/operator/users/a").header(IDP).json("{}").send(&server).await;
        assert_eq!(change.status, of_hosts, "{scope}");
    }
    let server = start(ScimSubject::UserName, OperatorScope::Scim);
    for header in [("x", "y"), ("authorization", "Bearer wrong"), ALICE] {
        let answer = request("GET /scim/v2/Users").header(header).send(&server).await;
        let media_type = answer.header("content-type");
        assert_eq!((answer.status, media_type), (401, Some("application/scim+json")), "{header:?}");
        assert!(answer.header("www-authenticate").is_some(), "{header:?}");
    }
    let without = Server::start();
    assert_eq!(request("GET /scim/v2/Users").header(OPERATOR).send(&without).await.status, 404, "it is off");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_learns_what_there_is() {
    let server = start(ScimSubject::ExternalId, OperatorScope::Scim);
    let configuration = sent(&server, "GET ServiceProviderConfig", None, 200).await;
    assert_eq!(configuration["patch"], json!({"supported": true}));
    let schema = sent(&server, &format!("GET Schemas/{SCHEMA}"), None, 200).await;
    assert_eq!(schema["id"], SCHEMA);
    let user_name = |schema: &Value| schema["attributes"][0].clone();
    assert_eq!(user_name(&schema)["caseExact"], false, "an address");
    let by_subject = start(ScimSubject::UserName, OperatorScope::Scim);
    let of_subjects = sent(&by_subject, &format!("GET Schemas/{SCHEMA}"), None, 200).await;
    assert_eq!(user_name(&of_subjects)["name"], "userName");
    assert_eq!(user_name(&of_subjects)["caseExact"], true);
    assert_eq!(sent(&server, "GET Schemas", None, 200).await["Resources"], json!([schema]));
    let kind = sent(&server, "GET ResourceTypes/User", None, 200).await;
    assert_eq!((&kind["endpoint"], &kind["schema"]), (&json!("/Users"), &json!(SCHEMA)));
    assert_eq!(sent(&server, "GET ResourceTypes", None, 200).await["Resources"], json!([kind]));
    sent(&server, "GET ResourceTypes/Group", None, 404).await;
}
