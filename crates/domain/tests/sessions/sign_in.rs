use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::memory::{ManualClock, MemorySessionStore, SeededEntropy, unique_cause};
use domain::ports::{
    CredentialStore as _, IdentityProvider, IdentityUnavailable, SessionStore as _, SessionStores, SignInAnswer,
    SignInRequest, SignInVerdict,
};
use domain::sessions::{
    BegunSignIn, ReturnPath, SessionRole, Sessions, SignIn, SignInError, SignInParameters, SignInSettings, UserAgent,
};
use domain::{CredentialDigest, IdToken, OwnerId, OwnerProfile, SealingKeys, Timestamp};
use pollster::block_on;

const REDIRECT: &str = "https://keys.example/console/callback";

/// A provider with codes that are subjects, which remembers the last request. It does not answer for the code `down`.
#[derive(Default)]
struct Provider {
    asked: Mutex<HashMap<&'static str, String>>,
    /// The number of calls that verify an answer.
    verified: AtomicU32,
    is_down: bool,
}

#[async_trait]
impl IdentityProvider for Provider {
    fn sign_in_url(&self, request: &SignInRequest<'_>) -> Result<String, IdentityUnavailable> {
        if self.is_down {
            return Err(IdentityUnavailable("down".into()));
        }
        let SignInRequest { redirect_uri, state, nonce, code_challenge } = *request;
        let parts = [("redirect", redirect_uri), ("state", state), ("nonce", nonce), ("challenge", code_challenge)];
        *self.asked.lock().unwrap() = parts.map(|(name, value)| (name, value.to_owned())).into();
        Ok("https://id.example/authorize".to_owned())
    }

    async fn verify_sign_in(
        &self,
        answer: SignInAnswer<'_>,
        _: Timestamp,
    ) -> Result<SignInVerdict, IdentityUnavailable> {
        self.verified.fetch_add(1, Ordering::Relaxed);
        let asked = self.asked.lock().unwrap().clone();
        assert_eq!((answer.redirect_uri, answer.nonce), (REDIRECT, asked["nonce"].as_str()));
        assert_eq!(answer.issuer, Some("https://id.example"));
        if answer.code == "down" {
            return Err(IdentityUnavailable("down".into()));
        }
        if answer.code == "stolen" {
            return Ok(SignInVerdict::Refused("the code is not this client's"));
        }
        let identity = OwnerId::new("https://id.example", answer.code).unwrap().into();
        let (profile, token) = (OwnerProfile::default(), IdToken::new("the token of the provider"));
        Ok(SignInVerdict::Valid { identity, has_operator_claim: answer.code == "olga", profile, token })
    }

    fn sign_out_url(&self, back_to: &str) -> Option<String> {
        Some(format!("https://id.example/logout?back={back_to}"))
    }
}

struct Desk {
    provider: Arc<Provider>,
    store: Arc<MemorySessionStore>,
    clock: Arc<ManualClock>,
    sign_in: SignIn,
}

fn desk(provider: Provider) -> Desk {
    let clock = Arc::new(ManualClock::new(Timestamp::from_unix_millis(1_795_225_323_120).unwrap()));
    let (entropy, provider) = (Arc::new(SeededEntropy::new(1)), Arc::new(provider));
    let store = Arc::<MemorySessionStore>::default();
    let sessions = Sessions::new(SessionStores::of(&store), Arc::new(()), clock.clone(), entropy.clone());
    let keys = Arc::new(SealingKeys::new(vec![[1; 32].into()]).unwrap());
    let settings = SignInSettings { redirect_uri: REDIRECT.into(), operators: vec!["oskar".into()] };
    let sign_in = SignIn::new(provider.clone(), sessions, keys, settings, (clock.clone(), entropy));
    Desk { provider, store, clock, sign_in }
}

impl Desk {
    fn begin(&self) -> BegunSignIn {
        self.sign_in.begin(ReturnPath::parse("/console/keys").unwrap(), None).unwrap()
    }

    /// The answer of the provider to the sign-in that began last.
    fn answer(&self, code: &str) -> SignInParameters {
        let state = self.provider.asked.lock().unwrap()["state"].clone();
        let issuer = Some("https://id.example".to_owned());
        SignInParameters { code: Some(code.to_owned()), state: Some(state), issuer }
    }

    fn complete(&self, begun: &BegunSignIn, parameters: &SignInParameters) -> Result<SessionRole, SignInError> {
        let browser = (UserAgent::new("Firefox"), Some([192, 0, 2, 1].into()));
        let signed_in = block_on(self.sign_in.complete(&begun.sealed, parameters, browser, None))?;
        assert_eq!(signed_in.next.as_str(), "/console/keys");
        let digest = CredentialDigest::of_presented(signed_in.opened.secret.expose()).unwrap();
        let stored = block_on(self.store.find_by_digest(&digest)).unwrap().unwrap();
        assert_eq!(stored, signed_in.opened.session);
        assert_eq!(stored.owner.subject(), parameters.code.as_deref().unwrap());
        assert_eq!(stored.user_agent.unwrap().as_str(), "Firefox");
        Ok(stored.role)
    }
}

#[test]
fn a_session_is_opened_with_the_role_of_its_user() {
    for (code, role) in
        [("alice", SessionRole::User), ("olga", SessionRole::Operator), ("oskar", SessionRole::Operator)]
    {
        let desk = desk(Provider::default());
        let begun = desk.begin();
        assert_eq!(desk.complete(&begun, &desk.answer(code)).unwrap(), role, "{code}");
    }
}

#[test]
fn only_the_browser_that_began_a_sign_in_completes_it() {
    let desk = desk(Provider::default());
    let (first, its_answer) = (desk.begin(), desk.answer("alice"));
    let second = desk.begin();
    let not_begun = |begun: &BegunSignIn, parameters: &SignInParameters| {
        matches!(desk.complete(begun, parameters), Err(SignInError::NotBegun))
    };
    assert!(not_begun(&second, &its_answer), "the answer to another sign-in");
    for state in [None, Some(String::new()), Some("x".repeat(43))] {
        assert!(not_begun(&first, &SignInParameters { state, ..its_answer.clone() }));
    }
    assert!(not_begun(&BegunSignIn { sealed: String::new(), ..second }, &its_answer), "no cookie");
    desk.clock.advance(Duration::from_mins(10));
    assert!(not_begun(&first, &its_answer), "too late");
}

/// Otherwise one begun sign-in would be enough to call the provider any number of times.
#[test]
fn the_answer_to_a_sign_in_goes_to_the_provider_once() {
    let desk = desk(Provider::default());
    for code in ["stolen", "alice"] {
        let (begun, answer) = (desk.begin(), desk.answer(code));
        let down = desk.complete(&begun, &desk.answer("down"));
        assert!(matches!(down, Err(SignInError::Provider(_))), "which decides nothing: {down:?}");
        let asked_before = desk.provider.verified.load(Ordering::Relaxed);
        assert_eq!(desk.complete(&begun, &answer).is_ok(), code == "alice");
        for _ in 0..3 {
            assert!(matches!(desk.complete(&begun, &answer), Err(SignInError::NotBegun)));
        }
        assert_eq!(desk.provider.verified.load(Ordering::Relaxed), asked_before + 1, "{code}");
    }
}

#[test]
fn a_refusal_and_an_outage_of_the_provider_open_nothing() {
    let desk = desk(Provider::default());
    let (begun, answer) = (desk.begin(), desk.answer("stolen"));
    assert!(matches!(desk.complete(&begun, &answer), Err(SignInError::Refused("the code is not this client's"))));
    let error = SignInParameters { code: None, ..answer };
    assert!(matches!(desk.complete(&begun, &error), Err(SignInError::Refused(_))));
    let stolen = OwnerId::new("https://id.example", "stolen").unwrap();
    assert_eq!(block_on(desk.store.end_all(&stolen, None, &unique_cause())).unwrap().len(), 0);
    let down = self::desk(Provider { is_down: true, ..Provider::default() });
    assert!(down.sign_in.begin(ReturnPath::default(), None).is_err());
}
