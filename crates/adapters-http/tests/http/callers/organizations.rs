//! Members of organizations: the owner of a call, its rights, and the view of others.

use domain::organizations::DefaultOwner;
use serde_json::{Value, json};

use crate::server::{Server, Setup};
use crate::transcript::{ALICE, AMY, OPERATOR, Response, by_host, request};

type Header = (&'static str, &'static str);

/// A member of acme without a role.
const NED: Header = ("x-id-token", "ned.id.token");
/// A member of globex, and of acme with the right to change keys.
const ZOE: Header = ("x-id-token", "zoe.id.token");
/// A user with an unreadable claim about organizations.
const UNA: Header = ("x-id-token", "una.id.token");

async fn create(server: &Server, path: &str, header: Header) -> Response {
    let created = request(&format!("POST /api/api-keys{path}")).header(header).json(r#"{"label":"a"}"#);
    created.send(server).await
}

fn keys_in(response: &Response) -> Vec<Value> {
    let body = response.json();
    body["keys"].as_array().unwrap_or_else(|| panic!("{body}")).clone()
}

async fn list(server: &Server, path: &str, header: Header) -> Vec<Value> {
    keys_in(&request(&format!("GET /api/api-keys{path}")).header(header).send(server).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_makes_and_sees_keys_of_the_organization() {
    let server = Server::start();
    let created = create(&server, "?organization=acme", AMY).await;
    let shown = list(&server, "?organization=acme", NED).await;
    assert_eq!((shown.len(), &shown[0]["createdBy"]), (1, &json!("amy")));
    assert_eq!(shown[0]["id"], created.field("keyId"));
    assert!(list(&server, "", AMY).await.is_empty(), "the member has no key");
    let own = create(&server, "", AMY).await;
    let own = keys_in(&own);
    assert_eq!((own.len(), own[0].as_object().unwrap().len()), (1, 6), "a user's key has the six fields: {own:?}");
}

/// The answer does not show which organizations exist.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_a_member_gets_the_answer_for_an_organization_that_does_not_exist() {
    let server = Server::start();
    create(&server, "?organization=acme", AMY).await;
    let long = "a".repeat(256);
    let answer = async |header, query: &str| {
        let answer = request(&format!("GET /api/api-keys?organization={query}")).header(header).send(&server).await;
        assert!(answer.body.contains("organization_not_found"), "{query}: {}", answer.body);
        let request_id = answer.field("requestId").to_owned();
        answer.without_date().replace(&request_id, "")
    };
    let unknown = answer(AMY, "nothing").await;
    for (header, query) in [
        (ALICE, "acme"),
        (AMY, "globex"),
        (AMY, "ACME"),
        (AMY, "acme%20"),
        (AMY, "amy"),
        (AMY, ""),
        (AMY, "a%00b"),
        (AMY, "organization:acme"),
        (AMY, &long),
    ] {
        assert_eq!(answer(header, query).await, unknown, "{header:?} {query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_or_misspelt_organization_is_refused() {
    let server = Server::start();
    for query in ["?organization=acme&organization=acme", "?organization=acme&organization=", "?organisation=acme"] {
        let answer = create(&server, query, AMY).await;
        assert!(answer.body.contains("invalid_field"), "{query}: {}", answer.body);
    }
    assert!(list(&server, "", AMY).await.is_empty());
    // Without organizations, the contract holds.
    assert_eq!(list(&server, "?organisation=acme", ALICE).await.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_limit_what_a_member_may_do() {
    let server = Server::start();
    let subscription = r#"{"url":"https://hooks.example/","events":["*"]}"#;
    for (header, organization, method, path, is_allowed) in [
        (AMY, "acme", "POST", "/api/api-keys", true),
        (AMY, "acme", "POST", "/api/webhooks/subscriptions", true),
        (AMY, "acme", "GET", "/api/audit", true),
        (NED, "acme", "GET", "/api/api-keys", true),
        (NED, "acme", "POST", "/api/api-keys", false),
        (NED, "acme", "GET", "/api/webhooks/subscriptions", true),
        (NED, "acme", "POST", "/api/webhooks/subscriptions", false),
        (NED, "acme", "GET", "/api/audit", false),
        (NED, "acme", "GET", "/api/whoami", true),
        (ZOE, "acme", "POST", "/api/api-keys", true),
        (ZOE, "acme", "GET", "/api/webhooks/subscriptions", false),
        (ZOE, "acme", "GET", "/api/sessions", false),
        (ZOE, "globex", "GET", "/api/api-keys", true),
        (ZOE, "globex", "POST", "/api/api-keys", false),
    ] {
        let call = request(&format!("{method} {path}?organization={organization}")).header(header);
        let call = match (method, path) {
            ("POST", "/api/api-keys") => call.json(r#"{"label":"a"}"#),
            ("POST", _) => call.json(subscription),
            _ => call,
        };
        let answer = call.send(&server).await;
        let verdict = if is_allowed { "200" } else { "403 capability_missing" };
        assert_eq!(answer.verdict(), verdict, "{header:?} {method} {path}: {}", answer.body);
    }
}

/// Zoe may change the keys of acme, and not its webhooks.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_has_no_more_access_to_webhooks_than_the_member_who_makes_it() {
    let server = Server::start();
    let body = r#"{"label":"a","scopes":["webhooks:write"]}"#;
    let refused = request("POST /api/api-keys?organization=acme").header(ZOE).json(body).send(&server).await;
    assert!(refused.body.contains("capability_missing"), "{}", refused.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_acts_for_its_owner() {
    let server = Server::start();
    let of_acme = create(&server, "?organization=acme", AMY).await;
    let of_alice = create(&server, "", ALICE).await;
    for (key, query, status) in [
        (&of_acme, "", "200"),
        (&of_acme, "?organization=acme", "200"),
        (&of_acme, "?organization=globex", "other_owner"),
        (&of_alice, "", "200"),
        (&of_alice, "?organization=acme", "other_owner"),
        (&of_alice, "?organization=alice", "other_owner"),
    ] {
        let call = request(&format!("GET /api/whoami{query}")).header(("x-api-key", key.field("key")));
        let answer = call.send(&server).await;
        assert!(answer.verdict().contains(status) || answer.body.contains(status), "{query}: {}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_cannot_be_read_is_refused_where_it_is_needed() {
    let server = Server::start();
    assert!(list(&server, "", UNA).await.is_empty());
    assert!(create(&server, "?organization=acme", UNA).await.body.contains("organization_unreadable"));
    assert_eq!(create(&server, "?organisation=acme", UNA).await.status, 400, "it would act for the user");
    let server = Setup { default_owner: DefaultOwner::Organization, ..Setup::default() }.start();
    assert!(create(&server, "", UNA).await.body.contains("organization_unreadable"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_owner_can_be_the_only_organization() {
    let server = Setup { default_owner: DefaultOwner::Organization, ..Setup::default() }.start();
    create(&server, "", AMY).await;
    assert_eq!(list(&server, "?organization=acme", NED).await.len(), 1);
    assert!(list(&server, "", ZOE).await.is_empty(), "a member of two calls as a user");
    assert!(list(&server, "", ALICE).await.is_empty(), "a user without an organization");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_log_names_the_member_and_the_organization() {
    let server = Server::start();
    create(&server, "?organization=acme", AMY).await;
    let log = request("GET /api/audit?organization=acme").header(AMY).send(&server).await.json();
    let event = &log["events"][0];
    assert_eq!(event["actor"], json!({"type": "user", "id": "amy"}), "{log}");
    assert_eq!((&event["organizationId"], &event["userId"]), (&json!("acme"), &Value::Null), "{log}");
    let own = request("GET /api/audit").header(AMY).send(&server).await;
    assert!(own.body.contains(r#""events":[]"#), "{}", own.body);
}

/// An application that knows only users must not take the key of an organization for the key of a user.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_never_sees_a_user_of_the_key_of_an_organization() {
    let server = Server::start();
    let key = create(&server, "?organization=acme", AMY).await;
    let body = format!(r#"{{"token":"{}"}}"#, key.field("key"));
    let introspect = request("POST /api/operator/introspect").header(OPERATOR).json(&body);
    let introspected = introspect.send(&server).await.json();
    assert_eq!(introspected["org_id"], "acme", "{introspected}");
    assert_eq!(introspected["created_by"], "amy", "{introspected}");
    assert_eq!((introspected.get("sub"), &introspected["iss"]), (None, &json!("https://id.example")), "{introspected}");
    let key = ("x-api-key", key.field("key"));
    let passed = request("GET /forward-auth").header(key).send(&server).await;
    assert_eq!((passed.header("x-auth-organization"), passed.header("x-auth-user")), (Some("acme"), None));
    let whoami = request("GET /api/whoami").header(key).send(&server).await.json();
    assert_eq!((&whoami["organizationId"], whoami.get("userId")), (&json!("acme"), None), "{whoami}");
    let member = request("GET /api/whoami?organization=acme").header(AMY).send(&server).await.json();
    assert_eq!((&member["organizationId"], &member["userId"]), (&json!("acme"), &json!("amy")), "{member}");
}

/// The user with the id of the organization cannot reach its things, and operators do not reach them by the path of
/// that user.
#[tokio::test(flavor = "multi_thread")]
async fn the_path_of_a_user_never_leads_to_an_organization() {
    let server = Server::start();
    create(&server, "?organization=acme", AMY).await;
    let users = request("GET /api/operator/users/acme/keys").header(OPERATOR).send(&server).await;
    assert!(keys_in(&users).is_empty());
    let of_acme = request("GET /api/operator/organizations/acme/keys").header(OPERATOR).send(&server).await;
    assert_eq!(keys_in(&of_acme).len(), 1);
    let log = request("GET /api/audit?organization=acme").header(AMY).send(&server).await;
    assert!(log.body.contains(r#""action":"data.read","actor":{"type":"operator""#), "{}", log.body);
    let id = keys_in(&of_acme)[0]["id"].as_str().unwrap().to_owned();
    for (path, code) in [("users/acme", "key_not_owned"), ("organizations/globex", "key_not_owned")] {
        let refused = request(&format!("DELETE /api/operator/{path}/keys/{id}")).header(OPERATOR).send(&server).await;
        assert!(refused.body.contains(code), "{path}: {}", refused.body);
    }
    let revoked = by_host(&format!("DELETE organizations/acme/keys/{id}")).send(&server).await;
    assert_eq!(revoked.status, 200, "{}", revoked.body);
    let named = request("GET /api/operator/users/amy/keys?organization=acme").header(OPERATOR).send(&server).await;
    assert!(named.body.contains("invalid_field"), "{}", named.body);
}

/// Members that compete for the last places of an organization get exactly its maximum, and a user's own places stay
/// free.
#[tokio::test(flavor = "multi_thread")]
async fn members_together_make_exactly_the_maximum() {
    let server = Server::start();
    let calls = (0..30).map(|n| create(&server, "?organization=acme", if n % 2 == 0 { AMY } else { ZOE }));
    let answers = futures_util::future::join_all(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 10);
    assert!(answers.iter().all(|answer| answer.status == 200 || answer.body.contains("api_key_limit_reached")));
    assert_eq!(create(&server, "", AMY).await.status, 200);
}
