//! Signing in and out with a browser, at the development provider. Instances of `serve` use the provider of a running
//! `dev`.

use std::fs;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::Instant;

use crate::harness::{
    Browser, Gatepost, Request, Response, Setup, Storage, eventually, free_address, in_time, led_to, on_both_databases,
    until,
};

on_both_databases!(a_session_works_survives_a_restart_and_ends);

/// The bound for revoked keys, which holds for sessions.
const REFUSED_WITHIN: Duration = Duration::from_secs(1);
pub(crate) const SESSION: &str = "gatepost-session";

async fn session(browser: &mut Browser, address: SocketAddr) -> Response {
    browser.send(address, Request::new("GET", "/api/session")).await
}

/// `serve` on this database, as the client of the provider of this `dev`. Browsers find it at `public`.
pub(crate) async fn setup(storage: &Storage, provider: &Gatepost, public: SocketAddr) -> Setup {
    let setup = Setup::serve(storage).await.with("PUBLIC_URL", &format!("http://{public}"));
    let issuer = format!("http://{}/dev/oidc", provider.address());
    let setup = setup.with("OIDC_ISSUER", &issuer).with("OIDC_AUDIENCE", "gatepost-dev");
    setup.with("OPERATOR_CLAIM", "groups=gatepost-operators")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dev_signs_in_users_and_an_operator_without_configuration() {
    let gatepost = Setup::dev().await.start().await;
    let address = gatepost.address();
    // The provider's keys are fetched in the background.
    let mut nobody = Browser::default();
    let login = Request::new("GET", "/console/login");
    until("the provider is known", async || nobody.send(address, login.clone()).await.status == 303).await;
    let mut alice = Browser::default();
    let page = alice.sign_in(address, "alice", "/console/deliveries?state=failed").await;
    assert_eq!(led_to(&page), "/console/deliveries?state=failed");
    assert_eq!(alice.cookie("gatepost-sign-in"), None, "the sign-in is over");
    let answer = session(&mut alice, address).await.json();
    assert_eq!((&answer["user"]["id"], &answer["role"]), (&json!("alice"), &json!("user")));

    let mut olga = Browser::default();
    let page = olga.sign_in(address, "operator", "//evil.example").await;
    assert_eq!(led_to(&page), "/console/");
    assert_eq!(session(&mut olga, address).await.json()["role"], "operator");
    let keys = |browser: &mut Browser| {
        let (mut browser, call) = (browser.clone(), Request::new("GET", "/api/operator/users/alice/keys"));
        async move { browser.send(address, call).await.status }
    };
    assert_eq!((keys(&mut olga).await, keys(&mut alice).await), (200, 403));

    let out = alice.send(address, Request::new("POST", "/console/logout")).await;
    let provider = led_to(&out);
    assert!(provider.starts_with(&format!("http://{address}/dev/oidc/logout?")), "{provider}");
    assert_eq!(alice.cookie(SESSION), None);
    let back = alice.open(&provider).await;
    assert_eq!(back.header("location"), Some(&*format!("http://{address}/console/signed-out")));
    assert_eq!(session(&mut alice, address).await.status, 401);
    assert_eq!(session(&mut olga, address).await.status, 200);
}

/// A session has the rights of an ID token, and the store keeps it.
async fn a_session_works_survives_a_restart_and_ends(storage: Storage) {
    let provider = Setup::dev().await.start().await;
    let public = free_address();
    let mut gatepost = setup(&storage, &provider, public).await.at(public).start().await;
    let address = gatepost.address();
    let (mut alice, mut other) = (Browser::default(), Browser::default());
    alice.sign_in(address, "alice", "/console/").await;
    other.sign_in(address, "alice", "/console/").await;
    let created = alice.send(address, Request::new("POST", "/api/api-keys").json(&json!({ "label": "browser" }))).await;
    assert_eq!(created.status, 200, "{}", created.text());
    let stolen = other.cookie(SESSION).expect("is signed in").to_owned();
    gatepost.restart().await;

    assert_eq!(session(&mut alice, address).await.json()["user"]["subject"], "alice");
    assert_eq!(gatepost.whoami(created.json()["key"].as_str().expect("a key")).await.status, 200);
    let everywhere = alice.send(address, Request::new("DELETE", "/api/sessions?keepCurrent=true")).await;
    assert_eq!(everywhere.json()["sessions"].as_array().map(Vec::len), Some(1), "{}", everywhere.text());
    let with_stolen = Request::new("GET", "/api/session").header("cookie", &format!("{SESSION}={stolen}"));
    assert_eq!(gatepost.send(&with_stolen).await.status, 401);
    assert_eq!(session(&mut alice, address).await.status, 200);
    assert!(!gatepost.written().contains(&stolen), "no log has the secret of a session");
}

/// One instance completes sign-ins that another one began, and refuses sessions that another one ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_share_sign_ins_and_sign_outs() {
    let (provider, storage) = (Setup::dev().await.start().await, Storage::postgres().await);
    let public = free_address();
    let setup = setup(&storage, &provider, public).await;
    let (here, there) = (setup.clone().at(public).start().await, setup.twin().start().await);
    for _ in 0..20 {
        let mut browser = Browser::default();
        // The load balancer sends the two halves of a sign-in to different instances.
        let login = browser.send(there.address(), Request::new("GET", "/console/login")).await;
        let callback = browser.identify(&login, "alice").await;
        assert!(callback.starts_with(&format!("http://{public}/console/callback?")), "{callback}");
        assert_eq!(browser.open(&callback).await.status, 200);
        for instance in [&here, &there] {
            assert_eq!(session(&mut browser, instance.address()).await.status, 200);
        }
        let mut thief = browser.clone();
        let ended = browser.send(here.address(), Request::new("DELETE", "/api/session")).await;
        let began = Instant::now();
        assert_eq!(ended.status, 204);
        assert_eq!(session(&mut thief.clone(), here.address()).await.status, 401, "at once where it was ended");
        let is_refused = async || session(&mut thief, there.address()).await.status != 200;
        in_time(began, REFUSED_WITHIN, "signed out there too", is_refused).await;
    }
}

/// The runbook of failed sign-ins describes their lines in the log, and the meaning of each status.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_sign_ins_are_found_in_the_log_as_the_runbook_says() {
    let runbook = fs::read_to_string("../docs/runbooks/gatepost-sign-ins-fail.md").unwrap();
    let pattern = runbook.split_once("grep '").unwrap().1.split('\'').next().unwrap();
    let provider = Setup::dev().await.start().await;
    let known = setup(&Storage::sqlite(), &provider, free_address()).await;
    let stranger = setup(&Storage::sqlite(), &provider, free_address()).await.with("OIDC_CLIENT_ID", "stranger");
    for (setup, status, reason) in [
        (known, 403, "\"refused\":\"the token endpoint does not accept the code\""),
        (stranger, 503, "the token endpoint refuses the client id or the client secret: invalid_client"),
    ] {
        let gatepost = setup.start().await;
        let mut browser = Browser::default();
        let login = browser.send(gatepost.address(), Request::new("GET", "/console/login")).await;
        let state = login.header("location").unwrap().split_once("state=").unwrap().1.split('&').next().unwrap();
        let issuer = format!("http%3A%2F%2F{}%2Fdev%2Foidc", provider.address());
        let back = Request::new("GET", &format!("/console/callback?code=forged&state={state}&iss={issuer}"));
        assert_eq!(Browser::default().send(gatepost.address(), back.clone()).await.status, 400);
        assert_eq!(browser.send(gatepost.address(), back).await.status, status);
        let found = eventually("both are in the log", async || {
            let log = gatepost.written();
            let lines: Vec<String> = log.lines().filter(|line| line.contains(pattern)).map(str::to_owned).collect();
            (lines.len() == 2).then_some(lines)
        });
        let lines = found.await;
        for (line, part) in [(0, "\"status\":400"), (1, &*format!("\"status\":{status}")), (1, reason)] {
            assert!(lines[line].contains(part), "{part}: {}", lines[line]);
        }
    }
}

/// Of all browsers that open a portal link at the same time, at two instances, one gets in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_portal_link_lets_one_browser_in() {
    const TOKEN: &str = "an-operator-token-of-the-suite-0123456789";
    let storage = Storage::postgres().await;
    let setup = Setup::serve(&storage).await.with("OPERATOR_TOKEN", TOKEN);
    let (here, there) = (setup.twin().start().await, setup.twin().start().await);
    for round in 0..10 {
        let link = Request::new("POST", "/api/operator/portal-links").bearer(TOKEN);
        let link = here.send(&link.json(&json!({ "userId": "alice", "capabilities": ["keys:read"] }))).await;
        let url = link.json()["url"].as_str().expect("a URL").to_owned();
        let (page, code) = url.split_once('#').expect("a fragment");
        assert_eq!(page, format!("http://{}/console/portal", here.address()));
        let body = json!({ "code": code });
        let openings = (0..16).map(|n| {
            let address = if n % 2 == 0 { here.address() } else { there.address() };
            let (mut browser, call) = (Browser::default(), Request::new("POST", "/api/session").json(&body));
            async move {
                let status = browser.send(address, call).await.status;
                (status, browser)
            }
        });
        let (inside, outside): (Vec<_>, Vec<_>) =
            join_all(openings).await.into_iter().partition(|(status, _)| *status == 200);
        assert!(outside.iter().all(|(status, _)| *status == 410), "round {round}");
        let [(_, visitor)] = &inside[..] else { panic!("round {round}: {} browsers got in", inside.len()) };
        let answer = session(&mut visitor.clone(), there.address()).await.json();
        assert_eq!((&answer["user"]["id"], &answer["role"]), (&json!("alice"), &json!("visitor")));
        let keys = visitor.clone().send(here.address(), Request::new("GET", "/api/api-keys")).await;
        assert_eq!(keys.status, 200, "{}", keys.text());
        for instance in [&here, &there] {
            assert!(!instance.written().contains(code), "no log has the code");
        }
    }
}
