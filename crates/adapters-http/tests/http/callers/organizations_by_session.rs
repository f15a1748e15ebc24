//! Sessions of members: a browser acts for an organization as an ID token does, until its roles are too old.

use std::time::Duration;

use domain::organizations::DefaultOwner;
use domain::sessions::{Capability, SESSION_ROLE_AGE_MAX, SessionRole};
use serde_json::json;

use crate::doubles::identity_of;
use crate::server::{Server, Setup};
use crate::sessions::browser::{SAME_ORIGIN, session_of, session_of_member, user_session};
use crate::transcript::{AMY, Response, request};

async fn member(server: &Server, name: &str) -> String {
    session_of_member(server, identity_of(name).expect("a member")).await
}

async fn call(server: &Server, line: &str, cookie: &str) -> Response {
    request(line).header(SAME_ORIGIN).header(("cookie", cookie)).send(server).await
}

async fn create(server: &Server, query: &str, cookie: &str) -> Response {
    let call = request(&format!("POST /api/api-keys{query}")).header(SAME_ORIGIN).header(("cookie", cookie));
    call.json(r#"{"label":"a"}"#).send(server).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_of_a_member_acts_for_the_organization_or_the_user() {
    let server = Server::start();
    let amy = member(&server, "amy").await;
    let created = create(&server, "?organization=acme", &amy).await;
    let shown = call(&server, "GET /api/api-keys?organization=acme", &amy).await.json();
    assert_eq!(shown["keys"][0]["id"], created.field("keyId"));
    assert_eq!(shown["keys"][0]["createdBy"], "amy");
    assert_eq!(call(&server, "GET /api/api-keys", &amy).await.json()["keys"], json!([]), "the member has no key");
    let log = call(&server, "GET /api/audit?organization=acme", &amy).await.json();
    let event = &log["events"][0];
    assert_eq!((&event["actor"], &event["organizationId"]), (&json!({"type": "user", "id": "amy"}), &json!("acme")));
    let whoami = call(&server, "GET /api/whoami?organization=acme", &amy).await.json();
    assert_eq!((&whoami["organizationId"], &whoami["userId"]), (&json!("acme"), &json!("amy")), "{whoami}");
    assert_eq!(whoami["credential"], json!({"kind": "session"}));
}

/// Each call gets the same bytes with the session and with the ID token of the same member.
#[tokio::test(flavor = "multi_thread")]
async fn sessions_and_id_tokens_are_refused_alike() {
    let server = Server::start();
    for (name, line) in [
        ("amy", "GET /api/api-keys?organization=globex"),
        ("amy", "GET /api/api-keys?organization=nothing"),
        ("amy", "GET /api/api-keys?organization=amy"),
        ("amy", "GET /api/api-keys?organization="),
        ("amy", "GET /api/api-keys?organization=acme&organization=acme"),
        ("amy", "GET /api/api-keys?organisation=acme"),
        ("ned", "GET /api/audit?organization=acme"),
        ("ned", "DELETE /api/webhooks/subscriptions/x?organization=acme"),
        ("zoe", "GET /api/webhooks/subscriptions?organization=acme"),
        ("zoe", "GET /api/sessions?organization=acme"),
        ("una", "GET /api/api-keys?organization=acme"),
    ] {
        let token: &'static str = format!("{name}.id.token").leak();
        let by_token = request(line).header(("x-id-token", token)).send(&server).await;
        let by_session = call(&server, line, &member(&server, name).await).await;
        let bytes = |answer: &Response| answer.without_date().replace(answer.field("requestId"), "");
        assert_eq!(bytes(&by_session), bytes(&by_token), "{name} {line}");
        assert!(by_session.status >= 400, "{name} {line}: {}", by_session.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_limit_what_the_browser_of_a_member_may_do() {
    let server = Server::start();
    for (name, organization, is_allowed) in
        [("amy", "acme", true), ("ned", "acme", false), ("zoe", "acme", true), ("zoe", "globex", false)]
    {
        let answer = create(&server, &format!("?organization={organization}"), &member(&server, name).await).await;
        let verdict = if is_allowed { "200" } else { "403 capability_missing" };
        assert_eq!(answer.verdict(), verdict, "{name} {organization}: {}", answer.body);
    }
}

/// The role of an operator gives no right in an organization.
#[tokio::test(flavor = "multi_thread")]
async fn users_without_organizations_operators_and_visitors_act_for_none() {
    let server = Server::start();
    let visitor = SessionRole::Visitor(Capability::ALL.into());
    for (name, role, code) in [
        ("alice", SessionRole::User, "organization_not_found"),
        ("amy", SessionRole::Operator, "organization_not_found"),
        ("amy", visitor, "other_owner"),
    ] {
        let cookie = session_of(&server, name, role).await;
        for query in ["acme", "amy", ""] {
            let answer = call(&server, &format!("GET /api/api-keys?organization={query}"), &cookie).await;
            assert!(answer.body.contains(code), "{name} {query}: {}", answer.body);
        }
    }
}

/// Another site has the cookie too, where a browser sends it.
#[tokio::test(flavor = "multi_thread")]
async fn another_site_changes_nothing_for_the_organization() {
    let server = Server::start();
    let amy = member(&server, "amy").await;
    let foreign = request("POST /api/api-keys?organization=acme").header(("sec-fetch-site", "same-site"));
    let refused = foreign.header(("cookie", &amy)).json(r#"{"label":"a"}"#).send(&server).await;
    assert!(refused.body.contains("cross_site_request"), "{}", refused.body);
}

/// A member who was removed at the provider keeps the rights for this time, even with a verifier that remembers the
/// session.
#[tokio::test(flavor = "multi_thread")]
async fn roles_end_to_the_millisecond_and_the_users_own_calls_go_on() {
    let server = Server::start();
    let (amy, una, alice) =
        (member(&server, "amy").await, member(&server, "una").await, user_session(&server, "alice").await);
    server.clock.advance(SESSION_ROLE_AGE_MAX.saturating_sub(Duration::from_millis(1)));
    assert_eq!(create(&server, "?organization=acme", &amy).await.status, 200);
    server.clock.advance(Duration::from_millis(1));
    for (cookie, line, code) in [
        (&amy, "GET /api/api-keys?organization=acme", "organization_role_expired"),
        (&amy, "GET /api/webhooks/deliveries/stream?organization=acme", "organization_role_expired"),
        // The same answer as for an organization of the member.
        (&amy, "GET /api/api-keys?organization=globex", "organization_role_expired"),
        (&una, "GET /api/api-keys?organization=acme", "organization_role_expired"),
        (&alice, "GET /api/api-keys?organization=acme", "organization_not_found"),
    ] {
        let answer = call(&server, line, cookie).await;
        assert!(answer.body.contains(code), "{line}: {}", answer.body);
    }
    assert_eq!(create(&server, "", &amy).await.status, 200, "the user's own calls go on");
    let again = member(&server, "amy").await;
    assert_eq!(create(&server, "?organization=acme", &again).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_shows_its_organizations_to_its_user_alone() {
    let server = Server::start();
    let (zoe, amy) = (member(&server, "zoe").await, member(&server, "amy").await);
    let shown = call(&server, "GET /api/session", &zoe).await.json();
    let organizations = json!([
        {"organizationId": "acme", "capabilities": ["keys", "keys:read"]},
        {"organizationId": "globex", "capabilities": ["keys:read", "webhooks:read"]},
    ]);
    assert_eq!(shown["organizations"], organizations, "{shown}");
    assert_eq!(shown["rolesExpireAt"], "2026-11-21T02:42:03.120Z");
    assert_eq!(shown.get("defaultOrganizationId"), None);
    let alice = call(&server, "GET /api/session", &user_session(&server, "alice").await).await.json();
    assert_eq!(alice.as_object().unwrap().len(), 7, "a user in no organization sees the seven fields: {alice}");
    let token = request("GET /api/sessions").header(("x-id-token", "zoe.id.token")).send(&server).await;
    let operator = request("GET /api/operator/users/zoe/sessions").header(("authorization", "Bearer operator-secret"));
    for list in [token, operator.send(&server).await, call(&server, "GET /api/sessions?organization=acme", &amy).await]
    {
        assert!(list.status == 200 && !list.body.contains("globex"), "{}", list.body);
    }
}

/// With a session, `DEFAULT_OWNER` only chooses the first owner in the console. Users reach their own sessions in any
/// case.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_names_no_organization_acts_for_the_user() {
    let server = Setup { default_owner: DefaultOwner::Organization, ..Setup::default() }.start();
    let amy = member(&server, "amy").await;
    create(&server, "", &amy).await;
    assert_eq!(call(&server, "GET /api/api-keys?organization=acme", &amy).await.json()["keys"], json!([]));
    assert!(call(&server, "GET /api/sessions", &amy).await.body.contains(r#""current":true"#));
    assert_eq!(call(&server, "GET /api/session", &amy).await.json()["defaultOrganizationId"], json!("acme"));
    let zoe = call(&server, "GET /api/session", &member(&server, "zoe").await).await.json();
    assert_eq!(zoe.get("defaultOrganizationId"), None, "{zoe}");
}

/// A person with many organizations has one limit, in all browsers and tokens together.
#[tokio::test(flavor = "multi_thread")]
async fn the_limit_counts_for_the_person() {
    let server = Server::with(|setup| setup.settings.user_rate_limit = Some("2/h".parse().unwrap()));
    let zoe = member(&server, "zoe").await;
    for (query, by_token, is_limited) in [
        ("?organization=acme", true, false),
        ("?organization=globex", false, false),
        ("", true, true),
        ("", false, true),
    ] {
        let line = format!("GET /api/api-keys{query}");
        let token = request(&line).header(("x-id-token", "zoe.id.token"));
        let answer = if by_token { token.send(&server).await } else { call(&server, &line, &zoe).await };
        assert_eq!(answer.body.contains("rate_limited"), is_limited, "{query:?} by token: {by_token}, {}", answer.body);
    }
    let other = request("GET /api/api-keys?organization=acme").header(AMY).send(&server).await;
    assert!(!other.body.contains("rate_limited"), "another member has another limit");
}
