use std::error::Error;
use std::time::Duration;

use domain::{OwnerId, OwnerText};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use wiremock::matchers::{body_string, header, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::OidcSettings;
use crate::test_keys::{NOW_SECONDS, TestKey, key_set, now, with};

const CLIENT: &str = "the console";
const REDIRECT: &str = "https://keys.example/console/callback";

/// A provider with these changes in its discovery document. The verifier knows its keys.
async fn start(changes: Value, secret: Option<&str>) -> (MockServer, Arc<OidcProvider>) {
    let server = MockServer::start().await;
    let mut discovery = json!({
        "issuer": server.uri(),
        "jwks_uri": format!("{}/keys", server.uri()),
        "authorization_endpoint": format!("{}/authorize", server.uri()),
        "token_endpoint": format!("{}/token", server.uri()),
    });
    discovery.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    answer(&server, "/.well-known/openid-configuration", ResponseTemplate::new(200).set_body_json(discovery)).await;
    let keys = key_set(&[TestKey::ed25519(1).jwk("a")]);
    answer(&server, "/keys", ResponseTemplate::new(200).set_body_string(keys)).await;
    // The API takes tokens for another audience than the client.
    let verifier = OidcVerifier::new(OidcSettings::new(server.uri(), vec!["api".into()])).unwrap();
    tokio::spawn(Arc::clone(&verifier).run(CancellationToken::new()));
    while verifier.endpoints.get().is_none() {
        tokio::task::yield_now().await;
    }
    let secret = secret.map(|secret| Zeroizing::new(secret.to_owned()));
    let operator_claim = OperatorClaim::parse("groups=ops");
    let provider =
        OidcProvider::new(verifier, OidcClient { id: CLIENT.into(), secret, operator_claim, wants_profile: true });
    (server, provider)
}

async fn answer(server: &MockServer, at: &str, template: ResponseTemplate) {
    Mock::given(path(at)).respond_with(template).mount(server).await;
}

fn claims(server: &MockServer) -> Value {
    json!({"iss": server.uri(), "aud": CLIENT, "sub": "alice", "exp": NOW_SECONDS + 60, "nonce": "n"})
}

fn token_answer(claims: &Value) -> ResponseTemplate {
    let token = TestKey::ed25519(1).token(&json!({"alg": "EdDSA", "kid": "a"}), claims);
    ResponseTemplate::new(200).set_body_json(json!({"access_token": "x", "token_type": "Bearer", "id_token": token}))
}

fn sign_in_answer(issuer: Option<&str>) -> SignInAnswer<'_> {
    SignInAnswer { code: "c&d", issuer, redirect_uri: REDIRECT, code_verifier: "v", nonce: "n" }
}

/// The verdict, or the chain of errors.
async fn verdict(provider: &OidcProvider, issuer: Option<&str>) -> Result<SignInVerdict, String> {
    let verdict = provider.verify_sign_in(sign_in_answer(issuer), now()).await;
    verdict.map_err(|error| {
        let causes = std::iter::successors(Some(&error as &dyn Error), |&cause| cause.source());
        causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
    })
}

/// The verdict of a sign-in with a token that has these claims.
async fn verdict_on(change: (&str, Value)) -> Result<SignInVerdict, String> {
    let (server, provider) = start(json!({}), None).await;
    answer(&server, "/token", token_answer(&with(&claims(&server), change.0, change.1))).await;
    verdict(&provider, Some(&server.uri())).await
}

#[tokio::test]
async fn the_browser_goes_to_the_provider_with_everything_that_protects_the_answer() {
    let changes = json!({
        "scopes_supported": ["openid", "groups", "email", "phone"],
        "end_session_endpoint": "http://127.0.0.1:1/logout?tenant=a",
    });
    let (server, provider) = start(changes, None).await;
    let request = SignInRequest { redirect_uri: REDIRECT, state: "s", nonce: "n", code_challenge: "h" };
    let url = provider.sign_in_url(&request).unwrap();
    let parameters = "response_type=code&client_id=the+console\
        &redirect_uri=https%3A%2F%2Fkeys.example%2Fconsole%2Fcallback&scope=openid+email+groups&state=s&nonce=n\
        &code_challenge=h&code_challenge_method=S256";
    assert_eq!(url, format!("{}/authorize?{parameters}", server.uri()));
    assert_eq!(
        provider.sign_out_url("https://keys.example/console/signed-out").unwrap(),
        "http://127.0.0.1:1/logout?tenant=a&client_id=the+console\
         &post_logout_redirect_uri=https%3A%2F%2Fkeys.example%2Fconsole%2Fsigned-out"
    );
}

#[tokio::test]
async fn a_provider_without_endpoints_still_has_keys() {
    let (_server, provider) =
        start(json!({"authorization_endpoint": null, "token_endpoint": "http://elsewhere.example/"}), None).await;
    let request = SignInRequest { redirect_uri: REDIRECT, state: "s", nonce: "n", code_challenge: "h" };
    let error = provider.sign_in_url(&request).unwrap_err();
    assert!(error.source().unwrap().to_string().contains("no authorization_endpoint"), "{error:?}");
    assert!(verdict(&provider, None).await.unwrap_err().contains("no token_endpoint"));
    assert_eq!(provider.sign_out_url("x"), None);
}

#[tokio::test]
async fn a_code_becomes_the_user_and_the_role() {
    for (groups, is_operator) in [(json!(null), false), (json!(["staff"]), false), (json!(["staff", "ops"]), true)] {
        let (server, provider) = start(json!({}), None).await;
        let exchange = "grant_type=authorization_code&code=c%26d\
            &redirect_uri=https%3A%2F%2Fkeys.example%2Fconsole%2Fcallback&client_id=the+console&code_verifier=v";
        let mock = Mock::given(path("/token")).and(body_string(exchange)).and(header("accept", "application/json"));
        let claims = with(&with(&claims(&server), "groups", groups), "name", json!("Alice"));
        mock.respond_with(token_answer(&claims)).expect(1).mount(&server).await;
        let verdict = verdict(&provider, Some(&server.uri())).await;
        let Ok(SignInVerdict::Valid { identity, has_operator_claim, profile, token }) = verdict else {
            panic!("{verdict:?}")
        };
        assert_eq!((identity.user, has_operator_claim), (OwnerId::new(server.uri(), "alice").unwrap(), is_operator));
        assert_eq!(token.expose().split('.').count(), 3);
        assert_eq!(profile.name.as_ref().map(OwnerText::as_str), Some("Alice"));
    }
}

#[tokio::test]
async fn a_secret_goes_where_the_provider_takes_it() {
    let in_header = json!({});
    let in_form = json!({"token_endpoint_auth_methods_supported": ["client_secret_post"]});
    for (methods, is_in_form) in [(in_header, false), (in_form, true)] {
        let (server, provider) = start(methods, Some("pass word")).await;
        answer(&server, "/token", token_answer(&claims(&server))).await;
        assert!(verdict(&provider, None).await.is_ok());
        let requests = server.received_requests().await.unwrap();
        let request = requests.iter().find(|request| request.url.path() == "/token").unwrap();
        let form = String::from_utf8(request.body.clone()).unwrap();
        assert_eq!(form.contains("client_secret=pass+word"), is_in_form, "{form}");
        // Base64 of `the+console:pass+word`.
        let basic = request.headers.get("authorization").map(|value| value.to_str().unwrap());
        assert_eq!(basic, (!is_in_form).then_some("Basic dGhlK2NvbnNvbGU6cGFzcyt3b3Jk"));
    }
}

#[tokio::test]
async fn a_token_for_another_sign_in_client_or_issuer_is_refused() {
    for (name, value) in [
        ("nonce", json!("m")),
        ("nonce", json!(null)),
        ("aud", json!("api")),
        ("aud", json!([CLIENT, "api"])),
        ("azp", json!("another client")),
        ("iss", json!("https://id.example")),
        ("exp", json!(NOW_SECONDS - 61)),
        ("sub", json!("")),
    ] {
        let verdict = verdict_on((name, value.clone())).await;
        assert!(matches!(verdict, Ok(SignInVerdict::Refused(_))), "{name}: {value}: {verdict:?}");
    }
    for (name, value) in [("aud", json!([CLIENT])), ("azp", json!(CLIENT)), ("email", json!("a@b.example"))] {
        let verdict = verdict_on((name, value.clone())).await;
        assert!(matches!(verdict, Ok(SignInVerdict::Valid { .. })), "{name}: {value}: {verdict:?}");
    }
    let (server, provider) = start(json!({}), None).await;
    let forged = TestKey::ed25519(2).token(&json!({"alg": "EdDSA", "kid": "a"}), &claims(&server));
    answer(&server, "/token", ResponseTemplate::new(200).set_body_json(json!({ "id_token": forged }))).await;
    assert!(matches!(verdict(&provider, None).await, Ok(SignInVerdict::Refused(_))));
}

#[tokio::test]
async fn an_answer_that_names_another_issuer_costs_no_code() {
    for (is_promised, issuer, is_good) in [
        (false, Some("https://evil.example"), false),
        (true, Some("https://evil.example"), false),
        (true, None, false),
        (false, None, true),
    ] {
        let changes = json!({"authorization_response_iss_parameter_supported": is_promised});
        let (server, provider) = start(changes, None).await;
        let mock = Mock::given(path("/token")).respond_with(token_answer(&claims(&server)));
        mock.expect(u64::from(is_good)).mount(&server).await;
        let verdict = verdict(&provider, issuer).await;
        assert_eq!(matches!(verdict, Ok(SignInVerdict::Valid { .. })), is_good, "{issuer:?}: {verdict:?}");
    }
}

#[tokio::test]
async fn what_the_token_endpoint_says_is_told_apart() {
    let error = |status, error: &str| ResponseTemplate::new(status).set_body_json(json!({ "error": error }));
    for (template, refused_or_cause) in [
        (error(400, "invalid_grant"), Ok("the token endpoint does not accept the code")),
        (error(400, "invalid_request"), Ok("the token endpoint refuses the exchange")),
        (error(401, "invalid_client"), Err("client secret: invalid_client")),
        (error(400, "unauthorized_client"), Err("client secret: unauthorized_client")),
        (ResponseTemplate::new(500), Err("answered with status 500")),
        (ResponseTemplate::new(302).insert_header("location", "/keys"), Err("answered with status 302")),
        (ResponseTemplate::new(200).set_body_string("{}"), Err("no id_token")),
        (ResponseTemplate::new(200).set_body_string(r#"{"id_token":"a","id_token":"b"}"#), Err("no id_token")),
    ] {
        let (server, provider) = start(json!({}), None).await;
        answer(&server, "/token", template).await;
        let verdict = verdict(&provider, None).await;
        let is_told = match (&verdict, refused_or_cause) {
            (Ok(SignInVerdict::Refused(found)), Ok(reason)) => *found == reason,
            (Err(chain), Err(cause)) => chain.contains(cause),
            _ => false,
        };
        assert!(is_told, "{refused_or_cause:?}: {verdict:?}");
    }
}

/// A provider that does not answer gets a bounded number of calls.
#[tokio::test]
async fn sixteen_exchanges_run_at_a_time_and_the_next_waits_briefly() {
    let (server, provider) = start(json!({}), None).await;
    let late = token_answer(&claims(&server)).set_delay(Duration::from_hours(1));
    answer(&server, "/token", late).await;
    let exchanges = |count: usize| {
        (0..count).map(|_| {
            let provider = Arc::clone(&provider);
            tokio::spawn(async move { verdict(&provider, None).await })
        })
    };
    let first: Vec<_> = exchanges(EXCHANGES_MAX).collect();
    let asked = async || {
        let requests = server.received_requests().await.unwrap();
        requests.iter().filter(|request| request.url.path() == "/token").count()
    };
    while asked().await < EXCHANGES_MAX {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    for next in exchanges(3).collect::<Vec<_>>() {
        let refused = next.await.unwrap().unwrap_err();
        assert!(refused.contains("16 sign-ins at a time"), "{refused}");
    }
    assert!((EXCHANGE_WAIT_MAX..FETCH_DEADLINE).contains(&began.elapsed()), "{:?}", began.elapsed());
    for exchange in first {
        assert!(exchange.await.unwrap().unwrap_err().contains("did not answer within 5 s"));
    }
    assert_eq!(asked().await, EXCHANGES_MAX, "the others did not reach the provider");
    assert_eq!(provider.exchanges.available_permits(), EXCHANGES_MAX);
}
