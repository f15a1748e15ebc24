//! Signing in: from `/console/login` by way of the provider to a session.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use adapters_http::HttpSettings;
use domain::audit::{Actor, AuditAction, AuditFilter};
use domain::ports::AuditLog;
use futures_util::StreamExt;
use futures_util::stream;

use super::browser::{call, cookie_in, cookies_of, user_session};
use crate::boundary::logs::Lines;
use crate::doubles::{ISSUER, user};
use crate::server::{Server, Setup};
use crate::transcript::{OPERATOR, Response, request};

const SIGN_IN: &str = "__Host-gatepost-sign-in";
const SESSION: &str = "__Host-gatepost-session";

/// A sign-in that has begun: the cookie, and the state that the provider returns.
async fn begin(server: &Server, query: &str) -> (String, String) {
    begun_in(&request(&format!("GET /console/login{query}")).send(server).await)
}

fn begun_in(response: &Response) -> (String, String) {
    assert_eq!(response.status, 303, "{response:?}");
    let location = response.header("location").unwrap();
    let state = location.split("&state=").nth(1).unwrap().split('&').next().unwrap();
    (cookie_in(response, SIGN_IN), state.to_owned())
}

/// The answer to the browser that the provider sends back with these parameters.
async fn complete(server: &Server, cookie: &str, parameters: &str) -> Response {
    let callback = request(&format!("GET /console/callback?{parameters}"));
    // The provider is another site.
    callback.header(("sec-fetch-site", "cross-site")).header(("cookie", cookie)).send(server).await
}

/// A whole sign-in, with this code of the provider.
async fn sign_in(server: &Server, code: &str) -> Response {
    let (cookie, state) = begin(server, "").await;
    complete(server, &cookie, &answer(code, &state)).await
}

fn answer(code: &str, state: &str) -> String {
    format!("code={code}&state={state}&iss={ISSUER}")
}

#[tokio::test]
async fn the_browser_goes_to_the_provider_and_comes_back_with_a_session() {
    let server = Server::start();
    let begun = request("GET /console/login?next=/console/keys%3Fstate%3Dactive").send(&server).await;
    let location = begun.header("location").unwrap();
    let start = format!("{ISSUER}/authorize?to=https://gatepost.example/console/callback&state=");
    assert!(location.starts_with(&start) && location.contains("&nonce=") && location.contains("&challenge="));
    let [cookie] = cookies_of(&begun)[..] else { panic!("{begun:?}") };
    assert!(cookie.ends_with("; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure"), "{cookie}");
    let (cookie, state) = (cookie_in(&begun, SIGN_IN), location.split("&state=").nth(1).unwrap()[..43].to_owned());
    assert!(!cookie.contains(&state) && !cookie.contains("console"), "the cookie is sealed: {cookie}");

    let signed_in = complete(&server, &cookie, &answer("alice", &state)).await;
    assert_eq!(signed_in.status, 200, "{signed_in:?}");
    assert_eq!(signed_in.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(signed_in.header("cache-control"), Some("no-store"));
    let policy = signed_in.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("script"), "{policy}");
    let refresh = r#"<meta http-equiv="refresh" content="0;url=/console/keys?state=active">"#;
    assert!(signed_in.body.contains(refresh) && !signed_in.body.contains("<script"), "{}", signed_in.body);
    let cookies = cookies_of(&signed_in);
    assert!(cookies.contains(&"__Host-gatepost-sign-in=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"));
    let session = cookies.iter().find(|line| line.starts_with(SESSION)).unwrap();
    assert!(session.ends_with("; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure"), "{session}");

    let session = call("GET /api/session", &cookie_in(&signed_in, SESSION)).send(&server).await;
    let id = session.body.split("\"id\":\"ses_").nth(1).unwrap()[..26].to_owned();
    assert!(session.body.contains(r#""user":{"id":"alice","issuer":"https://id.example","subject":"alice"}"#));
    assert!(session.body.contains(r#""role":"user","capabilities":["keys","keys:read","webhooks","webhooks:read"]"#));
    let times = r#""createdAt":"2026-11-21T01:42:03.120Z","idleExpiresAt":"2026-11-21T13:42:03.120Z","expiresAt":"2026-11-28T01:42:03.120Z"}"#;
    assert!(session.body.ends_with(times), "{}", session.body);
    assert_eq!(session.status, 200);
    let sessions = call("GET /api/sessions", &cookie_in(&signed_in, SESSION)).send(&server).await;
    assert!(sessions.body.contains(&id) && sessions.body.contains(r#""address":"127.0.0.1""#), "{}", sessions.body);
}

/// The console would lead back to the sign-in, again and again.
#[tokio::test]
async fn a_suspended_user_is_told_so() {
    let server = Server::start();
    let suspend = request("PUT /api/operator/users/alice/state").header(OPERATOR).json(r#"{"state":"suspended"}"#);
    assert_eq!(suspend.send(&server).await.status, 200);
    let refused = sign_in(&server, "alice").await;
    let page = refused.body.contains("<title>The owner is suspended");
    assert!(refused.status == 403 && page, "{refused:?}");
    assert!(!cookies_of(&refused).iter().any(|line| line.starts_with(SESSION)), "{refused:?}");
}

#[tokio::test]
async fn a_link_to_another_place_leads_to_the_console() {
    let server = Server::start();
    for next in [
        "//evil.example",
        "%2F%2Fevil.example",
        "/%5Cevil.example",
        "/\\evil.example",
        "https://evil.example/console/",
        "%252F%252Fevil.example",
        "/console/%0d%0aset-cookie:a=b",
        "/console/..//evil.example",
        "javascript:alert(1)",
        "",
    ] {
        let (cookie, state) = begin(&server, &format!("?next={next}")).await;
        let signed_in = complete(&server, &cookie, &answer("alice", &state)).await;
        assert!(signed_in.body.contains(r#"content="0;url=/console/">"#), "{next}: {}", signed_in.body);
        assert!(!signed_in.body.contains("evil"), "{next}");
    }
}

#[tokio::test]
async fn operators_are_named_by_the_provider_or_by_the_settings() {
    let server = Server::start();
    for (code, role) in [("alice", "user"), ("olga", "operator"), ("oskar", "operator")] {
        let signed_in = sign_in(&server, code).await;
        let session = call("GET /api/session", &cookie_in(&signed_in, SESSION)).send(&server).await;
        assert_eq!(session.field("role"), role, "{code}");
    }
}

#[tokio::test]
async fn what_does_not_belong_to_the_sign_in_opens_no_session() {
    let server = Server::start();
    let (cookie, state) = begin(&server, "").await;
    let (other_cookie, _) = begin(&server, "").await;
    let both = format!("{cookie}; {other_cookie}");
    let good = answer("alice", &state);
    for (cookie, parameters, status, code) in [
        ("a=b", &*good, 400, "sign_in_not_begun"),
        (&*other_cookie, &good, 400, "sign_in_not_begun"),
        (&both, &good, 400, "sign_in_not_begun"),
        ("__Host-gatepost-sign-in=AAAA", &good, 400, "sign_in_not_begun"),
        (&cookie, "code=alice", 400, "sign_in_not_begun"),
        (&cookie, &answer("alice", "guessed"), 400, "sign_in_not_begun"),
        (&cookie, &format!("{good}&code=bob"), 403, "sign_in_refused"),
        (&cookie, &format!("{good}&state=x"), 403, "sign_in_refused"),
        (&cookie, &format!("error=access_denied&state={state}&iss={ISSUER}"), 403, "sign_in_refused"),
        (&cookie, &answer("down", &state), 503, "unavailable"),
    ] {
        assert_refused(&complete(&server, cookie, parameters).await, (status, code), parameters);
    }
    assert_eq!(complete(&server, &cookie, &good).await.status, 200, "the browser that began may still complete it");
}

/// After the provider has had the answer, the browser has to begin again.
#[tokio::test]
async fn what_the_provider_refuses_ends_the_sign_in() {
    let server = Server::start();
    for (code, issuer) in [("stolen", ISSUER), ("alice", "https://evil.example"), ("alice", "")] {
        let (cookie, state) = begin(&server, "").await;
        let parameters = format!("code={code}&state={state}&iss={issuer}");
        assert_refused(&complete(&server, &cookie, &parameters).await, (403, "sign_in_refused"), &parameters);
        let again = complete(&server, &cookie, &answer("alice", &state)).await;
        assert_refused(&again, (400, "sign_in_not_begun"), &parameters);
    }
}

/// A page that names the error and leads to another sign-in.
fn assert_refused(refused: &Response, (status, code): (u16, &str), parameters: &str) {
    assert_eq!(refused.status, status, "{parameters}: {refused:?}");
    assert_eq!(refused.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(refused.body.contains(&format!("/docs/errors/{code}")), "{parameters}: {}", refused.body);
    assert!(refused.body.contains("<a href=\"/console/login\">Sign in</a>"));
    assert!(cookies_of(refused).is_empty() && !refused.body.contains("192.0.2.1"), "{parameters}: {refused:?}");
}

/// With sign-ins of many browsers at one address. Sign-ins that succeed do not count.
#[tokio::test(flavor = "multi_thread")]
async fn refused_sign_ins_are_limited_by_address_before_the_provider_is_asked() {
    let mut setup = Setup::default();
    setup.settings.credential_failure_limit = Some("10/h".parse().unwrap());
    setup.settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let asked = Arc::clone(&setup.provider.asked);
    let server = setup.start();
    for _ in 0..12 {
        assert_eq!(sign_in(&server, "alice").await.status, 200);
    }
    asked.store(0, Ordering::Relaxed);
    let refused = stream::iter(0..500).map(|_| sign_in(&server, "stolen"));
    let refused: Vec<Response> = refused.buffer_unordered(32).collect().await;
    let reached = asked.load(Ordering::Relaxed);
    assert!(reached <= 10, "{reached} of 500 refused sign-ins reached the provider");
    let limited: Vec<&Response> = refused.iter().filter(|response| response.status == 429).collect();
    assert_eq!(limited.len(), 490);
    for response in limited {
        let wait: u32 = response.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=360).contains(&wait), "{wait}");
        assert_refused(response, (429, "too_many_credential_failures"), "");
    }
    let (cookie, state) = begin(&server, "").await;
    let callback = request(&format!("GET /console/callback?{}", answer("alice", &state))).header(("cookie", &cookie));
    let elsewhere = callback.header(("x-forwarded-for", "192.0.2.1")).send(&server).await;
    assert_eq!(elsewhere.status, 200, "the limit of another address is its own");
}

/// A program that keeps a wrong key must not lock its neighbours out.
#[tokio::test]
async fn wrong_keys_keep_nobody_from_signing_in() {
    let server = Server::with(|setup| setup.settings.credential_failure_limit = Some("2/h".parse().unwrap()));
    let wrong_key = async || request("GET /api/whoami").header(("x-api-key", "wrong")).send(&server).await.status;
    assert_eq!([wrong_key().await, wrong_key().await, wrong_key().await], [401, 401, 429]);
    assert_eq!(sign_in(&server, "alice").await.status, 200);
}

/// Its cookie is replaced, so its user could no longer sign out. The provider's answer comes without this cookie.
#[tokio::test]
async fn the_session_that_the_browser_had_ends() {
    let setup = Setup::default();
    let log = setup.audit_log.clone();
    let server = setup.start();
    for (before, after) in [("alice", "alice"), ("alice", "bob")] {
        let (old, other) = (user_session(&server, before).await, user_session(&server, before).await);
        let status = async |cookie: &str| call("GET /api/session", cookie).send(&server).await.status;
        let shown = call("GET /api/session", &old).send(&server).await.body;
        let id = &shown.split("\"id\":\"ses_").nth(1).unwrap()[..26];
        let begun = request("GET /console/login").header(("cookie", &old)).send(&server).await;
        let (cookie, state) = begun_in(&begun);
        let refused = complete(&server, &cookie, "code=alice&state=guessed").await;
        assert_eq!((refused.status, status(&old).await), (400, 200), "the sign-in failed");
        let signed_in = complete(&server, &cookie, &answer(after, &state)).await;
        assert_eq!((signed_in.status, status(&old).await, status(&other).await), (200, 401, 200));
        assert_eq!(status(&cookie_in(&signed_in, SESSION)).await, 200);
        let events = log.list(&AuditFilter::default(), None, 10).await.unwrap().events;
        let ended = events.iter().find(|event| event.action == AuditAction::SessionEnded).unwrap();
        assert_eq!(ended.target.to_string(), format!("ses_{id}"));
        assert_eq!(ended.owner, user(before));
        assert_eq!(ended.origin.actor, Actor::User(user(before)), "as if its user had signed out");
        assert!(ended.origin.request.is_some() && ended.origin.address.is_some());
    }
}

#[tokio::test]
async fn a_sign_in_must_end_within_ten_minutes() {
    let server = Server::start();
    let (cookie, state) = begin(&server, "").await;
    server.clock.advance(std::time::Duration::from_mins(10));
    assert_eq!(complete(&server, &cookie, &answer("alice", &state)).await.status, 400);
}

#[tokio::test]
async fn the_log_has_the_user_or_the_reason_and_no_secret() {
    let (lines, server) = (Lines::capture(), Server::start());
    let (cookie, state) = begin(&server, "").await;
    complete(&server, &cookie, &answer("stolen", &state)).await;
    let (cookie, state) = begin(&server, "").await;
    let signed_in = complete(&server, &cookie, &answer("carol", &state)).await;
    let text = lines.text();
    let callbacks: Vec<&str> = text.lines().filter(|line| line.contains(r#""route":"/console/callback""#)).collect();
    for part in [r#""refused":"the code is not this client's""#, r#""user_id":"carol""#] {
        assert!(callbacks.iter().any(|line| line.contains(part)), "{callbacks:?}");
    }
    for secret in [&state, &cookie, &cookie_in(&signed_in, SESSION)] {
        assert!(!text.contains(secret.split('=').next_back().unwrap()), "{secret}");
    }
}

#[tokio::test]
async fn without_https_the_cookies_are_plain() {
    let public_url = "http://gatepost.example".to_owned();
    let settings = HttpSettings { public_url, workers: Some(1), ..HttpSettings::default() };
    let server = Setup { settings, ..Setup::default() }.start();
    let begun = request("GET /console/login").send(&server).await;
    let [cookie] = cookies_of(&begun)[..] else { panic!("{begun:?}") };
    assert!(cookie.starts_with("gatepost-sign-in=") && cookie.ends_with("; HttpOnly; SameSite=Lax"), "{cookie}");
    let state = begun.header("location").unwrap().split("&state=").nth(1).unwrap()[..43].to_owned();
    let signed_in = complete(&server, &cookie_in(&begun, "gatepost-sign-in"), &answer("alice", &state)).await;
    let session = call("GET /api/session", &cookie_in(&signed_in, "gatepost-session")).send(&server).await;
    assert_eq!(session.status, 200);
}

#[tokio::test]
async fn a_session_has_the_organizations_of_the_id_token_of_its_sign_in() {
    let server = Server::start();
    for (name, organizations) in [("zoe", Some(["acme", "globex"].as_slice())), ("una", None), ("alice", None)] {
        let signed_in = sign_in(&server, name).await;
        let shown = call("GET /api/session", &cookie_in(&signed_in, SESSION)).send(&server).await.json();
        let ids = shown.get("organizations").and_then(serde_json::Value::as_array);
        let ids = ids.map(|all| all.iter().map(|one| one["organizationId"].as_str().unwrap()).collect::<Vec<_>>());
        assert_eq!(ids.as_deref(), organizations, "{name}: {shown}");
    }
}

/// The ID token fills the name and the address only if the host has set none. A sign-in leaves at most one event.
#[tokio::test]
async fn a_sign_in_fills_the_record_of_its_user() {
    for (set, name) in [("{}", "Nora"), (r#"{"name":"The host's"}"#, "The host's")] {
        let server = Server::start();
        let record = request("GET /api/operator/users/nora").header(OPERATOR);
        request("PATCH /api/operator/users/nora").header(OPERATOR).json(set).send(&server).await;
        for _ in 0..2 {
            assert_eq!(sign_in(&server, "nora").await.status, 200);
        }
        let shown = record.send(&server).await;
        assert_eq!((shown.field("name"), shown.field("email")), (name, "n@acme.example"));
        let log = request("GET /api/operator/audit?action=owner.changed").header(OPERATOR).send(&server).await;
        let filled = log.body.matches(r#""field":"email""#).count();
        assert_eq!(filled, 1, "{}", log.body);

        let state = r#"{"state":"suspended"}"#;
        request("PUT /api/operator/users/nora/state").header(OPERATOR).json(state).send(&server).await;
        let forgets = r#"{"name":null,"email":null}"#;
        request("PATCH /api/operator/users/nora").header(OPERATOR).json(forgets).send(&server).await;
        sign_in(&server, "nora").await;
        let shown = record.send(&server).await;
        assert!(shown.body.starts_with(r#"{"name":null,"email":null"#), "a suspended user: {}", shown.body);
    }
}
