//! The gateways of `docs/gateways/`, each run with exactly the configuration that its page shows, between a real
//! Gatepost and an API of the test.
//!
//! `cargo xtask test` gets the gateways where it can, and skips the tests of the others by name.

mod gateway;

use gateway::{Gateway, Kind};
use serde_json::json;

use crate::harness::{Gatepost, Request, Setup, Storage, until};
use crate::webhooks::receiver::{Behaviour, Received, Receiver};

/// Makes a test of each named `async fn(Kind)` for every gateway: `nginx::name` and so on.
macro_rules! on_every_gateway {
    ($($name:ident),+ $(,)?) => {
        on_every_gateway! { @ nginx Nginx $($name)+ }
        on_every_gateway! { @ caddy Caddy $($name)+ }
        on_every_gateway! { @ envoy Envoy $($name)+ }
    };
    (@ $module:ident $kind:ident $($name:ident)+) => {
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    super::$name(super::Kind::$kind).await;
                }
            )+
        }
    };
}

on_every_gateway!(
    a_good_key_passes_and_names_its_user,
    callers_cannot_choose_their_identity,
    no_good_key_is_a_401,
    a_missing_scope_is_a_403,
    a_key_over_its_rate_limit_is_a_429,
    a_revoked_key_is_refused_at_once,
    an_unreachable_gatepost_is_a_503,
    a_gatepost_that_does_not_know_is_a_503,
    gateways_keep_connections_and_send_only_the_key,
);

/// A gateway between its callers and an API, and its Gatepost.
struct World {
    gatepost: Gatepost,
    api: Receiver,
    gateway: Gateway,
    _storage: Storage,
}

impl World {
    async fn start(kind: Kind, settings: &[(&str, &str)]) -> Self {
        let storage = Storage::sqlite();
        let setup = settings.iter().fold(Setup::serve(&storage).await, |setup, (name, value)| setup.with(name, value));
        let gatepost = setup.start().await;
        let api = api().await;
        let gateway = Gateway::start(kind, gatepost.address(), api.address()).await;
        Self { gatepost, api, gateway, _storage: storage }
    }

    /// A new key of alice with these scopes: the full key and its id.
    async fn key(&self, scopes: &[&str]) -> (String, String) {
        let body = json!({ "label": "gateway", "scopes": scopes });
        let created = self.gatepost.user("alice").post(&body).await;
        assert_eq!(created.status, 200, "{}", created.text());
        let text = |name: &str| created.json()[name].as_str().unwrap().to_owned();
        (text("key"), text("keyId"))
    }

    /// The newest request of the API.
    #[track_caller]
    fn last(&self) -> Received {
        self.api.received().pop().expect("at least one request")
    }

    #[track_caller]
    fn assert_api_saw_nothing(&self) {
        assert!(self.api.received().is_empty(), "a refused request must not reach the API");
    }
}

/// The API.
async fn api() -> Receiver {
    Receiver::start(Behaviour::answer("200 OK", "x-from: api\r\n", "hello")).await
}

fn get(path: &str) -> Request {
    Request::new("GET", path)
}

async fn a_good_key_passes_and_names_its_user(kind: Kind) {
    let world = World::start(kind, &[]).await;
    let (key, id) = world.key(&["b", "a"]).await;
    let by_header = Request::new("POST", "/things/7?page=2&scope=x").header("x-api-key", &key);
    let by_header = by_header.text("text/plain", "a body of some length");
    for request in [by_header, get("/things").bearer(&key)] {
        let response = world.gateway.send(&request).await;
        assert_eq!((response.status, response.text().as_str()), (200, "hello"));
        assert_eq!(response.header("x-from"), Some("api"));
        let seen = world.last();
        assert_eq!(seen.line(), format!("{} {} HTTP/1.1", request.method, request.path));
        assert_eq!(seen.body, request.body);
        assert_eq!(seen.only("x-auth-user"), Some("alice"));
        assert_eq!(seen.only("x-auth-key-id"), Some(&*id));
        assert_eq!(seen.only("x-auth-scopes"), Some("a b"));
        assert!(!seen.head.contains(&key), "the key must go no further than the gateway");
    }
}

/// Whatever a caller sends, the API gets the key's user or no user.
async fn callers_cannot_choose_their_identity(kind: Kind) {
    let world = World::start(kind, &[]).await;
    let (key, id) = world.key(&[]).await;
    let naming = |header: &str| get("/things").header("x-api-key", &key).header(header, "mallory");
    let plain =
        ["X-Auth-User", "X-Auth-Organization", "x-auth-key-id", "X-AUTH-SCOPES", "X-Auth-Metadata", "X-Auth-Status"];
    for name in plain.into_iter().chain(["X_Auth_User", "X_AUTH_SCOPES"]) {
        let nominated = naming(name).header("connection", &format!("keep-alive, {name}"));
        let twice = naming(name).header(name, "trudy");
        for (request, may_be_lost) in [(naming(name), false), (twice, false), (nominated, true)] {
            let response = world.gateway.send(&request).await;
            if response.status == 400 && name.contains('_') {
                continue;
            }
            assert_eq!(response.status, 200, "{name}");
            let seen = world.last();
            let says = |header: &str, truth: &str| seen.only(header).map_or(may_be_lost, |value| value == truth);
            assert!(!seen.head.contains("mallory") && !seen.head.contains("trudy"), "{name}: {}", seen.head);
            assert!(says("x-auth-user", "alice") && says("x-auth-key-id", &id), "{name}: {}", seen.head);
            assert_eq!(seen.only("x-auth-scopes").unwrap_or_default(), "", "{name}: {}", seen.head);
        }
    }
}

async fn no_good_key_is_a_401(kind: Kind) {
    let world = World::start(kind, &[]).await;
    let key = world.key(&[]).await.0;
    let id_token = &world.gatepost.user("alice").token;
    let unknown = "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O";
    for (request, challenge) in [
        (get("/things"), r#"Bearer realm="gatepost""#),
        (get("/things").header("x-auth-user", "alice"), r#"Bearer realm="gatepost""#),
        (get("/things").header("x-api-key", unknown), r#"Bearer realm="gatepost", error="invalid_token""#),
        (get("/things").bearer(id_token), r#"Bearer realm="gatepost", error="invalid_token""#),
        (get("/things").header("x-api-key", &key).bearer(unknown), r#"Bearer realm="gatepost", error="invalid_token""#),
    ] {
        let response = world.gateway.send(&request).await;
        assert_eq!(response.status, 401);
        assert_eq!(response.header("www-authenticate"), Some(challenge));
    }
    world.assert_api_saw_nothing();
}

async fn a_missing_scope_is_a_403(kind: Kind) {
    let world = World::start(kind, &[]).await;
    let (with, without) = (world.key(&["orders:read", "other"]).await.0, world.key(&["orders"]).await.0);
    for path in ["/orders", "/orders/7?scope=orders", "/orders?profile=nginx"] {
        let response = world.gateway.send(&get(path).header("x-api-key", &without)).await;
        assert_eq!((response.status, response.header("retry-after")), (403, None), "{path}");
        world.assert_api_saw_nothing();
    }
    for disguise in ["//orders", "/./orders", "/things/../orders", "/%6frders", "/things/%2e%2e/orders"] {
        let response = world.gateway.send(&get(disguise).header("x-api-key", &without)).await;
        assert!([400, 403, 404].contains(&response.status), "{disguise}: {}", response.status);
        world.assert_api_saw_nothing();
    }
    for (path, key) in [("/orders", &with), ("/orders/7?page=2", &with), ("/things", &without)] {
        let response = world.gateway.send(&get(path).header("x-api-key", key)).await;
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(world.last().line(), format!("GET {path} HTTP/1.1"));
        world.api.forget();
    }
}

async fn a_key_over_its_rate_limit_is_a_429(kind: Kind) {
    let world = World::start(kind, &[("RATE_LIMIT", "2/h")]).await;
    let (often, seldom) = (world.key(&["orders:read"]).await.0, world.key(&[]).await.0);
    for path in ["/orders", "/things"] {
        assert_eq!(world.gateway.send(&get(path).header("x-api-key", &often)).await.status, 200);
    }
    world.api.forget();
    for path in ["/orders", "/things"] {
        let response = world.gateway.send(&get(path).header("x-api-key", &often)).await;
        assert_eq!(response.status, 429, "{path}");
        let seconds: u32 = response.header("retry-after").expect("Retry-After").parse().unwrap();
        assert!((1..=3_600).contains(&seconds), "{seconds}");
        world.assert_api_saw_nothing();
    }
    assert_eq!(world.gateway.send(&get("/things").header("x-api-key", &seldom)).await.status, 200);
}

async fn a_revoked_key_is_refused_at_once(kind: Kind) {
    let world = World::start(kind, &[]).await;
    let (key, id) = world.key(&[]).await;
    let request = get("/things").header("x-api-key", &key);
    for _ in 0..3 {
        assert_eq!(world.gateway.send(&request).await.status, 200);
    }
    assert_eq!(world.gatepost.user("alice").revoke(&id).await.status, 200);
    world.api.forget();
    assert_eq!(world.gateway.send(&request).await.status, 401, "a gateway must not cache a verdict");
    world.assert_api_saw_nothing();
}

async fn an_unreachable_gatepost_is_a_503(kind: Kind) {
    let mut world = World::start(kind, &[]).await;
    let request = get("/things").header("x-api-key", &world.key(&[]).await.0);
    assert_eq!(world.gateway.send(&request).await.status, 200);
    world.gatepost.kill().await;
    world.api.forget();
    for _ in 0..3 {
        let response = world.gateway.send(&request).await;
        assert_eq!(response.status, 503);
        assert!(kind == Kind::Envoy || response.header("retry-after") == Some("2"));
    }
    world.assert_api_saw_nothing();
    world.gatepost.start_again().await;
    until("keys pass again", async || world.gateway.send(&request).await.status == 200).await;
}

async fn a_gatepost_that_does_not_know_is_a_503(kind: Kind) {
    let api = api().await;
    let gatepost = Receiver::start(Behaviour::answer("503 Service Unavailable", "retry-after: 2\r\n", "{}")).await;
    let gateway = Gateway::start(kind, gatepost.address(), api.address()).await;
    let response = gateway.send(&get("/things").header("x-api-key", "any")).await;
    assert_eq!(response.status, 503);
    assert!(kind == Kind::Envoy || response.header("retry-after") == Some("2"));
    assert!(api.received().is_empty());
}

async fn gateways_keep_connections_and_send_only_the_key(kind: Kind) {
    const CALLS: usize = 20;
    let api = api().await;
    let gatepost = Receiver::start(Behaviour::answer("200 OK", "x-auth-user: alice\r\n", "")).await;
    let gateway = Gateway::start(kind, gatepost.address(), api.address()).await;
    let request = Request::new("POST", "/things").header("x-api-key", "any").header("cookie", "session=secret");
    let request = request.text("text/plain", "a body of some length");
    let mut connection = gateway.connect().await;
    for _ in 0..CALLS {
        assert_eq!(connection.exchange(&request).await.unwrap().status, 200);
    }
    let questions = gatepost.received();
    assert_eq!((questions.len(), api.received().len()), (CALLS, CALLS));
    // Each worker of the gateway has separate connections, and a health check may have opened another.
    let connections = gatepost.connections();
    assert!(connections <= CALLS / 4, "{connections} connections for {CALLS} questions");
    for question in questions {
        assert_eq!(question.only("x-api-key"), Some("any"));
        assert!(question.only("content-length").is_none_or(|length| length == "0"), "{}", question.head);
        assert!(question.only("transfer-encoding").is_none(), "{}", question.head);
        assert!(!question.head.contains("session=secret"), "{}", question.head);
    }
}

/// Only nginx has internal paths for its questions. Callers must not reach them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nginx_keeps_its_questions_to_itself() {
    let world = World::start(Kind::Nginx, &[]).await;
    let key = world.key(&[]).await.0;
    for path in ["/_gatepost/any-key", "/_gatepost/orders-read", "/_gatepost/", "/_gatepost/x"] {
        assert_eq!(world.gateway.send(&get(path).header("x-api-key", &key)).await.status, 404, "{path}");
    }
    world.assert_api_saw_nothing();
}
