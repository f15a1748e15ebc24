use std::collections::HashMap;
use std::net::TcpListener;

use actix_web::{App, HttpServer};
use domain::memory::{ManualClock, SeededEntropy};
use domain::ports::{IdentityVerdict, IdentityVerifier};
use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::test_keys::now;
use crate::{OidcSettings, OidcVerifier};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CLIENT: &str = "http://localhost:5173/callback?page=1";

/// A provider behind a real server on loopback, with a stopped clock.
struct Server {
    provider: Arc<DevProvider>,
    clock: Arc<ManualClock>,
    client: reqwest::Client,
    stop: CancellationToken,
}

fn open(public_url: &str, clock: Arc<ManualClock>) -> Arc<DevProvider> {
    let signing_key = DevProvider::generate_key(&SeededEntropy::new(1));
    let settings = DevProviderSettings { public_url: public_url.into(), audience: "gatepost".into(), signing_key };
    DevProvider::open(settings, clock, Arc::new(SeededEntropy::new(1))).unwrap()
}

fn start() -> Server {
    let clock = Arc::new(ManualClock::new(now()));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let provider = open(&format!("http://{}/", listener.local_addr().unwrap()), Arc::clone(&clock));
    let routes = provider.routes();
    let server = HttpServer::new(move || App::new().configure(routes.clone())).workers(1).disable_signals();
    let stop = CancellationToken::new();
    let serving = server.listen(listener).unwrap().run();
    let stopped = stop.clone();
    tokio::spawn(async move { stopped.run_until_cancelled(serving).await });
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    Server { provider, clock, client, stop }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn encode_form(parameters: &HashMap<&str, String>) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

/// The authorization request of a correct client.
fn authorization() -> HashMap<&'static str, String> {
    HashMap::from([
        ("response_type", "code".into()),
        ("client_id", "gatepost".into()),
        ("redirect_uri", CLIENT.into()),
        ("scope", "openid email".into()),
        ("state", "st&a\"te".into()),
        ("nonce", "n-1".into()),
        ("code_challenge", signer::base64url(Sha256::digest(VERIFIER))),
        ("code_challenge_method", "S256".into()),
    ])
}

fn exchange_of(code: &str) -> HashMap<&'static str, String> {
    HashMap::from([
        ("grant_type", "authorization_code".into()),
        ("client_id", "gatepost".into()),
        ("redirect_uri", CLIENT.into()),
        ("code", code.into()),
        ("code_verifier", VERIFIER.into()),
    ])
}

impl Server {
    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.provider.issuer())
    }

    async fn ask(&self, parameters: &HashMap<&str, String>) -> reqwest::Response {
        let url = format!("{}?{}", self.at("/authorize"), encode_form(parameters));
        self.client.get(url).send().await.unwrap()
    }

    async fn submit(&self, path: &str, parameters: &HashMap<&str, String>) -> reqwest::Response {
        let form = self.client.post(self.at(path)).header("content-type", "application/x-www-form-urlencoded");
        form.body(encode_form(parameters)).send().await.unwrap()
    }

    /// Logs alice in, and returns the code.
    async fn log_in(&self) -> String {
        let mut form = authorization();
        form.insert("username", "alice".into());
        let answer = self.submit("/authorize", &form).await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        parameters_of(&answer)["code"].clone()
    }

    async fn exchange(&self, parameters: &HashMap<&str, String>) -> (StatusCode, Value) {
        let answer = self.submit("/token", parameters).await;
        (answer.status(), answer.json().await.unwrap())
    }

    async fn exchange_error(&self, parameters: &HashMap<&str, String>) -> String {
        let (status, body) = self.exchange(parameters).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
        body["error"].as_str().unwrap().to_owned()
    }
}

/// The parameters that a redirect gives the client.
fn parameters_of(answer: &reqwest::Response) -> HashMap<String, String> {
    let location = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
    assert!(location.as_str().starts_with("http://localhost:5173/callback?page=1&"), "{location}");
    location.query_pairs().into_owned().collect()
}

#[tokio::test]
async fn the_whole_flow_ends_with_a_token_that_our_verifier_takes() {
    let server = start();
    let page = server.ask(&authorization()).await;
    assert_eq!(page.status(), StatusCode::OK);
    assert_eq!(page.headers()["cache-control"], "no-store");
    assert_eq!(page.headers()["x-frame-options"], "DENY");
    let page = page.text().await.unwrap();
    assert!(page.contains("<label for=\"username\">"), "{page}");
    assert!(page.contains("name=\"state\" value=\"st&#38;a&#34;te\""), "{page}");

    let mut form = authorization();
    form.insert("username", "alice".into());
    let back = parameters_of(&server.submit("/authorize", &form).await);
    assert_eq!((back["state"].as_str(), back["iss"].as_str()), ("st&a\"te", server.provider.issuer()));
    let (status, tokens) = server.exchange(&exchange_of(&back["code"])).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(3600)));

    let settings = OidcSettings::new(server.provider.issuer().into(), vec!["gatepost".into()]);
    let verifier = OidcVerifier::new(settings).unwrap();
    tokio::spawn(Arc::clone(&verifier).run(server.stop.clone()));
    let alice = IdentityVerdict::Valid(OwnerId::new(server.provider.issuer(), "alice").unwrap().into());
    let token = IdToken::new(tokens["id_token"].as_str().unwrap());
    assert_eq!(verifier.verify(&token, now()).await.unwrap(), alice);
    assert_eq!(verifier.verify(&server.provider.id_token("alice").unwrap(), now()).await.unwrap(), alice);
    let claims = crate::compact_token::CompactToken::parse(token.expose()).ok().unwrap().claims;
    assert_eq!((&claims["nonce"], &claims["aud"]), (&json!("n-1"), &json!("gatepost")));
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 3_600);
}

#[tokio::test]
async fn the_page_offers_users_and_an_operator() {
    let server = start();
    let page = server.ask(&authorization()).await.text().await.unwrap();
    for name in ["alice", "bob", "carol", "dave", "operator"] {
        assert!(page.contains(&format!("<button name=\"username\" value=\"{name}\">")), "{page}");
    }
    assert_eq!(page.matches("name=\"state\" value=\"st&#38;a&#34;te\"").count(), 2, "each form has the request");
    let groups = |name: &str| {
        let token = server.provider.id_token(name).unwrap();
        crate::compact_token::CompactToken::parse(token.expose()).ok().unwrap().claims.get("groups").cloned()
    };
    assert_eq!(groups("operator"), Some(json!(["gatepost-operators"])));
    assert_eq!(groups("alice"), None);
}

#[tokio::test]
async fn the_tokens_of_members_name_organizations_and_roles() {
    let server = start();
    let claims = |name: &str| {
        let token = server.provider.id_token(name).unwrap();
        let claims = crate::compact_token::CompactToken::parse(token.expose()).ok().unwrap().claims;
        ["organizations", "organization_roles"].map(|claim| claims.get(claim).cloned())
    };
    assert_eq!(claims("carol"), [Some(json!(["acme", "globex"])), Some(json!(["acme:admin", "globex:viewer"]))]);
    assert_eq!(claims("dave"), [Some(json!(["acme"])), Some(json!(["acme:dev"]))]);
    assert_eq!(claims("alice"), [None, None]);
}

#[tokio::test]
async fn a_logout_leads_back_to_this_machine_alone() {
    let server = start();
    let log_out = async |back_to: &str| {
        let query = encode_form(&HashMap::from([("post_logout_redirect_uri", back_to.to_owned())]));
        server.client.get(format!("{}?{query}", server.at("/logout"))).send().await.unwrap()
    };
    let back = log_out("http://127.0.0.1:8080/console/signed-out").await;
    assert_eq!(back.status(), StatusCode::SEE_OTHER);
    assert_eq!(back.headers()["location"], "http://127.0.0.1:8080/console/signed-out");
    for elsewhere in ["https://evil.example/", "javascript:alert(1)", ""] {
        let page = log_out(elsewhere).await;
        assert_eq!(page.status(), StatusCode::OK, "{elsewhere}");
        assert!(page.text().await.unwrap().contains("You are logged out"));
    }
}

#[tokio::test]
async fn a_code_is_exchanged_once_in_time_by_whoever_asked_for_it() {
    let server = start();
    let code = server.log_in().await;
    let (status, _) = server.exchange(&exchange_of(&code)).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(server.exchange_error(&exchange_of(&code)).await, "invalid_grant", "a second time");

    for (name, value, error) in [
        ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXX", "invalid_grant"),
        ("code_verifier", "short", "invalid_grant"),
        ("code_verifier", "", "invalid_request"),
        ("redirect_uri", "http://localhost:5173/callback", "invalid_grant"),
        ("redirect_uri", "", "invalid_request"),
        ("client_id", "somebody", "invalid_client"),
        ("code", "guessed", "invalid_grant"),
        ("grant_type", "password", "unsupported_grant_type"),
        ("grant_type", "", "invalid_request"),
    ] {
        let code = server.log_in().await;
        let mut exchange = exchange_of(&code);
        exchange.insert(name, value.into());
        assert_eq!(server.exchange_error(&exchange).await, error, "{name}={value}");
        if error == "invalid_grant" && name != "code" {
            assert_eq!(server.exchange_error(&exchange_of(&code)).await, "invalid_grant", "spent by {name}={value}");
        }
    }

    let code = server.log_in().await;
    server.clock.advance(std::time::Duration::from_mins(1));
    assert_eq!(server.exchange_error(&exchange_of(&code)).await, "invalid_grant", "too late");
}

#[tokio::test]
async fn the_client_learns_what_it_did_wrong() {
    let server = start();
    for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"),
        ("response_type", "", "unsupported_response_type"),
        ("scope", "email", "invalid_scope"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "tooshort", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("response_mode", "fragment", "invalid_request"),
        ("request", "e30", "request_not_supported"),
        ("request_uri", "http://localhost/", "request_uri_not_supported"),
        ("prompt", "none", "login_required"),
    ] {
        let mut wrong = authorization();
        wrong.insert(name, value.into());
        let back = parameters_of(&server.ask(&wrong).await);
        assert_eq!((back["error"].as_str(), back["state"].as_str()), (error, "st&a\"te"), "{name}={value}");
        wrong.insert("username", "alice".into());
        assert!(!parameters_of(&server.submit("/authorize", &wrong).await).contains_key("code"), "{name}={value}");
    }
}

#[tokio::test]
async fn nobody_is_sent_to_a_place_that_is_not_this_machine() {
    let server = start();
    for (name, value) in [
        ("redirect_uri", "https://evil.example/"),
        ("redirect_uri", "http://localhost.evil.example/"),
        ("redirect_uri", "http://localhost@evil.example/"),
        ("redirect_uri", "http://evil.example\\@localhost/"),
        ("redirect_uri", "http://localhost/#fragment"),
        ("redirect_uri", "//localhost/"),
        ("redirect_uri", "javascript:alert(1)"),
        ("redirect_uri", "<script>alert(1)</script>"),
        ("redirect_uri", ""),
        ("client_id", "<script>"),
        ("client_id", ""),
    ] {
        let mut wrong = authorization();
        wrong.insert(name, value.into());
        wrong.insert("username", "alice".into());
        for answer in [server.ask(&wrong).await, server.submit("/authorize", &wrong).await] {
            assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{name}={value}");
            assert!(!answer.headers().contains_key("location"));
            assert!(!answer.text().await.unwrap().contains("<script"));
        }
    }
    let twice = format!("{}?{}&redirect_uri=x", server.at("/authorize"), encode_form(&authorization()));
    assert_eq!(server.client.get(twice).send().await.unwrap().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_user_name_that_cannot_be_is_asked_for_again() {
    let server = start();
    for name in [String::new(), "a".repeat(256), "a\nb".into()] {
        let mut form = authorization();
        form.insert("username", name);
        form.insert("state", "<script>".into());
        let answer = server.submit("/authorize", &form).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
        let page = answer.text().await.unwrap();
        assert!(page.contains("role=\"alert\"") && page.contains("&#60;script&#62;") && !page.contains("<script"));
    }
}

#[tokio::test]
async fn a_terminal_gets_a_token_by_user_name() {
    let server = start();
    let grant = |name: &str| HashMap::from([("grant_type", USER_NAME_GRANT.to_owned()), ("username", name.to_owned())]);
    let (status, tokens) = server.exchange(&grant("bob")).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(tokens["id_token"], server.provider.id_token("bob").unwrap().expose());
    assert_eq!(server.exchange_error(&grant("")).await, "invalid_request");
    assert_eq!(server.exchange_error(&grant("a\0")).await, "invalid_request");
}

#[tokio::test]
async fn only_this_machine_gets_an_answer() {
    let server = start();
    for path in ["/.well-known/openid-configuration", "/jwks", "/authorize", "/token", "/nothing"] {
        for (name, value) in [
            ("host", "evil.example"),
            ("host", "evil.example:8080"),
            ("origin", "https://evil.example"),
            ("x-forwarded-for", "127.0.0.1"),
        ] {
            let answer = server.client.get(server.at(path)).header(name, value).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path} with {name}: {value}");
            assert_eq!(answer.headers()["cache-control"], "no-store");
        }
    }
}

#[actix_web::test]
async fn a_peer_elsewhere_gets_no_answer() {
    use actix_web::test::{TestRequest, call_service, init_service};
    let provider = open("http://localhost:8080", Arc::new(ManualClock::new(now())));
    let app = init_service(App::new().configure(provider.routes())).await;
    let status = async |peer: Option<&str>| {
        let mut request = TestRequest::get().uri("/dev/oidc/jwks").insert_header(("host", "localhost:8080"));
        if let Some(peer) = peer {
            request = request.peer_addr(peer.parse().unwrap());
        }
        call_service(&app, request.to_request()).await.status().as_u16()
    };
    assert_eq!(status(Some("127.0.0.1:5")).await, 200);
    assert_eq!(status(Some("[::1]:5")).await, 200);
    assert_eq!(status(Some("[::ffff:127.0.0.1]:5")).await, 200);
    assert_eq!(status(Some("192.168.0.2:5")).await, 403);
    assert_eq!(status(Some("[2001:db8::1]:5")).await, 403);
    assert_eq!(status(None).await, 403);
}

#[tokio::test]
async fn discovery_tells_where_everything_is() {
    let server = start();
    let get = async |path| server.client.get(server.at(path)).send().await.unwrap().json::<Value>().await.unwrap();
    let document = get("/.well-known/openid-configuration").await;
    assert_eq!(document["issuer"], server.provider.issuer());
    assert_eq!(document["jwks_uri"], server.at("/jwks"));
    assert_eq!(document["code_challenge_methods_supported"], json!(["S256"]));
    let keys = get("/jwks").await;
    assert_eq!(keys["keys"][0]["alg"], "EdDSA");
    assert_eq!(keys["keys"][0].get("d"), None, "the private part stays here");
    let wrong = server.client.post(server.at("/jwks")).send().await.unwrap();
    assert_eq!(wrong.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn a_provider_with_the_same_key_signs_the_same_tokens() {
    let server = start();
    let public_url = server.provider.issuer().strip_suffix(PATH).unwrap();
    let again = open(public_url, Arc::clone(&server.clock));
    assert_eq!(again.id_token("alice").unwrap().expose(), server.provider.id_token("alice").unwrap().expose());
}

#[test]
fn what_cannot_be_opened() {
    let open = |public_url: &str, signing_key: &str| {
        let signing_key = signing_key.to_owned().into();
        let settings = DevProviderSettings { public_url: public_url.into(), audience: "us".into(), signing_key };
        DevProvider::open(settings, Arc::new(ManualClock::new(now())), Arc::new(SeededEntropy::new(1))).err()
    };
    let key = DevProvider::generate_key(&SeededEntropy::new(1));
    for elsewhere in ["https://gatepost.example", "http://0.0.0.0:8080", "localhost:8080", ""] {
        assert!(matches!(open(elsewhere, &key), Some(DevProviderError::NotOnLoopback)), "{elsewhere}");
    }
    for wrong in ["", "{}", r#"{"kty":"OKP","crv":"Ed25519","d":"AAAA"}"#, r#"{"kty":"RSA","crv":"Ed25519"}"#] {
        assert!(matches!(open("http://localhost:8080", wrong), Some(DevProviderError::NotAKey)), "{wrong}");
    }
}
