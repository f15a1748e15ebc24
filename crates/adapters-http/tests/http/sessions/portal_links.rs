//! Portal links: made by the host application, used once by a browser.

use std::time::Duration;

use super::browser::{SAME_ORIGIN, call, cookie_in, cookies_of, user_session};
use crate::boundary::logs::Lines;
use crate::server::{PUBLIC_URL, Server};
use crate::transcript::{OPERATOR, Request, Response, request};

fn create(body: &str) -> Request {
    request("POST /api/operator/portal-links").header(OPERATOR).json(body)
}

/// The code of a new link.
async fn code(server: &Server, body: &str) -> String {
    let created = create(body).send(server).await;
    assert_eq!(created.status, 200, "{created:?}");
    created.field("url").strip_prefix(&format!("{PUBLIC_URL}/console/portal#")).unwrap().to_owned()
}

async fn open(server: &Server, code: &str) -> Response {
    request("POST /api/session").header(SAME_ORIGIN).json(&format!(r#"{{"code":"{code}"}}"#)).send(server).await
}

#[tokio::test]
async fn a_link_opens_the_console_once_with_its_rights() {
    let (lines, server) = (Lines::capture(), Server::start());
    let body = r#"{"userId":"dora","capabilities":["keys:read","webhooks"],"returnUrl":"https://app.example/a?b","ttlSeconds":3600}"#;
    let created = create(body).send(&server).await;
    assert_eq!(created.field("expiresAt"), "2026-11-21T01:47:03.120Z");
    let code = created.field("url").split('#').nth(1).unwrap().to_owned();
    let opened = open(&server, &code).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    for part in [
        r#"{"session":{"user":{"id":"dora","issuer":"https://id.example","subject":"dora"}"#,
        r#""role":"visitor","capabilities":["keys:read","webhooks","webhooks:read"]"#,
        r#""expiresAt":"2026-11-21T02:42:03.120Z"},"returnUrl":"https://app.example/a?b"}"#,
    ] {
        assert!(opened.body.contains(part), "{}", opened.body);
    }
    let [cookie] = cookies_of(&opened)[..] else { panic!("{opened:?}") };
    assert!(cookie.ends_with("; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
    let cookie = cookie_in(&opened, "__Host-gatepost-session");
    for (line, verdict) in [
        ("GET /api/session", "200"),
        ("GET /api/api-keys", "200"),
        ("DELETE /api/api-keys", "403 capability_missing"),
        ("GET /api/webhooks/subscriptions", "200"),
        ("GET /api/sessions", "403 capability_missing"),
        ("GET /api/operator/users/dora/keys", "403 operator_role_missing"),
    ] {
        assert_eq!(call(line, &cookie).send(&server).await.verdict(), verdict, "{line}");
    }
    assert_eq!(open(&server, &code).await.verdict(), "410 portal_link_spent", "a second time");
    server.clock.advance(Duration::from_hours(1));
    assert_eq!(call("GET /api/session", &cookie).send(&server).await.status, 401, "the visit is over");
    let text = lines.text();
    assert!(text.contains(r#""user_id":"dora""#) && !text.contains(&code), "the log has the user and not the code");
    let secret = code.split('.').next().unwrap();
    let as_cookie = call("GET /api/session", &format!("__Host-gatepost-session={secret}")).send(&server).await;
    assert_eq!(as_cookie.status, 401, "a link is not a session");
}

/// Its cookie is replaced, so its user could no longer sign out.
#[tokio::test]
async fn a_visit_ends_the_session_that_the_browser_had() {
    let server = Server::start();
    let (old, other) = (user_session(&server, "alice").await, user_session(&server, "alice").await);
    let status = async |cookie: &str| call("GET /api/session", cookie).send(&server).await.status;
    let visit = async |code: &str| {
        call("POST /api/session", &old).json(&format!(r#"{{"code":"{code}"}}"#)).send(&server).await.status
    };
    assert_eq!((visit("x.y").await, status(&old).await), (410, 200), "no visit begins");
    let code = code(&server, r#"{"userId":"dora"}"#).await;
    assert_eq!((visit(&code).await, status(&old).await, status(&other).await), (200, 401, 200));
}

#[tokio::test]
async fn an_unused_link_is_not_a_session() {
    let server = Server::start();
    let code = code(&server, r#"{"userId":"alice"}"#).await;
    let secret = code.split('.').next().unwrap();
    let as_cookie = call("GET /api/session", &format!("__Host-gatepost-session={secret}")).send(&server).await;
    assert_eq!(as_cookie.verdict(), "401 credential_invalid");
    let opened = open(&server, &code).await;
    assert!(opened.body.contains(r#""capabilities":["keys","keys:read","webhooks","webhooks:read"]"#), "{opened:?}");
    assert!(opened.body.contains(r#""expiresAt":"2026-11-21T13:42:03.120Z"}}"#), "{opened:?}");
}

/// A waiting link would become a session after all sessions were ended.
#[tokio::test]
async fn a_link_that_waits_ends_with_all_sessions() {
    let server = Server::start();
    let old = user_session(&server, "alice").await;
    let by_operator = request("DELETE /api/operator/users/alice/sessions").header(OPERATOR);
    for end_all in [call("DELETE /api/sessions?keepCurrent=true", &old), by_operator] {
        let of_bob = code(&server, r#"{"userId":"bob"}"#).await;
        let of_alice = code(&server, r#"{"userId":"alice"}"#).await;
        assert_eq!(end_all.send(&server).await.status, 200);
        assert_eq!(open(&server, &of_alice).await.verdict(), "410 portal_link_spent");
        assert_eq!(open(&server, &of_bob).await.status, 200, "a link of another user");
    }
}

#[tokio::test]
async fn another_site_opens_no_link() {
    let server = Server::start();
    let code = code(&server, r#"{"userId":"alice"}"#).await;
    let body = format!(r#"{{"code":"{code}"}}"#);
    for header in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example"), ("x-nothing", "1")] {
        let refused = request("POST /api/session").header(header).json(&body).send(&server).await;
        assert_eq!(refused.verdict(), "403 cross_site_request", "{header:?}");
    }
    server.clock.advance(Duration::from_mins(5));
    assert_eq!(open(&server, &code).await.verdict(), "410 portal_link_spent", "too late");
    for wrong in ["", "x", "x.y", "é"] {
        assert_eq!(open(&server, wrong).await.verdict(), "410 portal_link_spent", "{wrong}");
    }
    let without = request("POST /api/session").header(SAME_ORIGIN).json("{}").send(&server).await;
    assert_eq!(without.verdict(), "400 invalid_field");
}

#[tokio::test]
async fn every_wrong_field_is_named() {
    let server = Server::start();
    let body = r#"{"userId":"","capabilities":["admin"],"returnUrl":"javascript:alert(1)","ttlSeconds":-1}"#;
    let refused = create(body).send(&server).await;
    assert_eq!(refused.verdict(), "400 invalid_field");
    for field in ["userId", "capabilities", "returnUrl", "ttlSeconds"] {
        assert!(refused.body.contains(&format!(r#""field":"{field}""#)), "{field}: {}", refused.body);
    }
    for (body, detail) in [
        (r#"{"userId":"alice","ttlSeconds":59}"#, "must be 60 to 604800"),
        (r#"{"userId":"alice","ttlSeconds":604801}"#, "must be 60 to 604800"),
        (r#"{"userId":"alice","capabilities":[]}"#, "with at least one of them"),
        (r#"{"userId":"alice","capabilities":["keys","keys:write"]}"#, "must be a list of keys, keys:read"),
        (r#"{"capabilities":["keys"]}"#, "userId is required"),
    ] {
        let refused = create(body).send(&server).await;
        assert_eq!(refused.verdict(), "400 invalid_field", "{body}");
        assert!(refused.body.contains(detail), "{body}: {}", refused.body);
    }
}
