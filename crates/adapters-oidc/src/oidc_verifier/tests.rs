use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::time::{advance, sleep};

use super::*;
use crate::test_keys::{NOW_SECONDS, TestKey, after_seconds, key_set, now, with};

const ISSUER: &str = "https://id.example";

/// A provider in memory, so that time can be paused.
#[derive(Clone)]
struct Provider(Arc<Published>);

struct Published {
    /// `None` while the provider is down.
    keys: Mutex<Option<String>>,
    answers_after: Duration,
    fetches: AtomicUsize,
}

impl Default for Provider {
    fn default() -> Self {
        Self::answering_after(Duration::from_secs(1))
    }
}

impl Provider {
    fn answering_after(answers_after: Duration) -> Self {
        Self(Arc::new(Published { keys: Mutex::default(), answers_after, fetches: AtomicUsize::new(0) }))
    }

    fn publish(&self, keys: &[Value]) {
        *self.0.keys.lock().unwrap() = Some(key_set(keys));
    }

    fn go_down(&self) {
        *self.0.keys.lock().unwrap() = None;
    }

    fn fetches(&self) -> usize {
        self.0.fetches.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl KeySource for Provider {
    async fn fetch(&self) -> Result<KeySet, FetchError> {
        self.0.fetches.fetch_add(1, Ordering::SeqCst);
        sleep(self.0.answers_after).await;
        let keys = self.0.keys.lock().unwrap().clone();
        KeySet::parse(keys.ok_or(FetchError::TimedOut)?.as_bytes()).map_err(FetchError::Malformed)
    }
}

/// The tokens of every client that are for the audience `us`.
fn us() -> Recipients {
    Recipients { audiences: vec!["us".into()], client_ids: Vec::new() }
}

struct Running {
    provider: Provider,
    verifier: Arc<OidcVerifier>,
}

/// A verifier with a running background task, and a provider that publishes these keys.
fn start(keys: &[Value]) -> Running {
    start_beside(Provider::default(), keys)
}

fn start_beside(provider: Provider, keys: &[Value]) -> Running {
    if !keys.is_empty() {
        provider.publish(keys);
    }
    let issuer = Issuer::parse(ISSUER).unwrap();
    let verifier = OidcVerifier::with_source(issuer, us(), Box::new(provider.clone()));
    let verifier = Arc::new(verifier);
    tokio::spawn(Arc::clone(&verifier).run(CancellationToken::new()));
    Running { provider, verifier }
}

/// A token by the key with this seed and id, good for ten minutes.
fn token(seed: u8, id: &str) -> IdToken {
    token_of(seed, id, &json!({"iss": ISSUER, "aud": "us", "sub": "alice", "exp": NOW_SECONDS + 600}))
}

fn token_of(seed: u8, id: &str, claims: &Value) -> IdToken {
    IdToken::new(TestKey::ed25519(seed).token(&json!({"alg": "EdDSA", "kid": id}), claims))
}

impl Running {
    async fn verdict(&self, token: &IdToken) -> &'static str {
        match self.verifier.verify(token, now()).await {
            Ok(IdentityVerdict::Valid(_)) => "valid",
            Ok(IdentityVerdict::Refused(reason)) => reason,
            Err(_) => "unavailable",
        }
    }

    async fn readiness(&self) -> Result<(), &'static str> {
        self.verifier.check().await.map_err(|not_ready| not_ready.summary)
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_before_the_keys_waits_for_them() {
    let running = start(&[TestKey::ed25519(1).jwk("a")]);
    assert_eq!(running.readiness().await, Err("the identity provider's keys are not known yet"));
    assert_eq!(running.verdict(&token(1, "a")).await, "valid");
    assert_eq!((running.provider.fetches(), running.readiness().await), (1, Ok(())));
}

#[tokio::test(start_paused = true)]
async fn readiness_waits_a_moment_for_the_first_keys() {
    let quick = Provider::answering_after(FIRST_KEYS_WAIT_MAX / 2);
    assert_eq!(start_beside(quick, &[TestKey::ed25519(1).jwk("a")]).readiness().await, Ok(()));
    let before = tokio::time::Instant::now();
    assert!(start(&[]).readiness().await.is_err());
    assert_eq!(before.elapsed(), FIRST_KEYS_WAIT_MAX);
}

#[tokio::test(start_paused = true)]
async fn with_no_keys_and_no_provider_nobody_can_tell() {
    let running = start(&[]);
    assert_eq!(running.verdict(&token(1, "a")).await, "unavailable");
    assert!(running.readiness().await.is_err());
    // The provider returns, and the verifier finds it soon.
    running.provider.publish(&[TestKey::ed25519(1).jwk("a")]);
    sleep(Duration::from_secs(5)).await;
    assert_eq!((running.verdict(&token(1, "a")).await, running.readiness().await), ("valid", Ok(())));
}

#[tokio::test(start_paused = true)]
async fn without_the_background_task_a_token_waits_5_seconds_at_most() {
    let issuer = Issuer::parse(ISSUER).unwrap();
    let verifier = OidcVerifier::with_source(issuer, us(), Box::new(Provider::default()));
    let running = Running { provider: Provider::default(), verifier: Arc::new(verifier) };
    let before = tokio::time::Instant::now();
    assert_eq!(running.verdict(&token(1, "a")).await, "unavailable");
    assert_eq!(before.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_never_answers_holds_nobody_up_for_longer_than_5_seconds() {
    struct Silent;
    #[async_trait]
    impl KeySource for Silent {
        async fn fetch(&self) -> Result<KeySet, FetchError> {
            std::future::pending().await
        }
    }
    let issuer = Issuer::parse(ISSUER).unwrap();
    let verifier = Arc::new(OidcVerifier::with_source(issuer, us(), Box::new(Silent)));
    let stop = CancellationToken::new();
    let task = tokio::spawn(Arc::clone(&verifier).run(stop.clone()));
    let before = tokio::time::Instant::now();
    assert!(verifier.verify(&token(1, "a"), now()).await.is_err());
    assert_eq!(before.elapsed().as_secs(), 5);
    sleep(Duration::from_millis(1)).await;
    let why_not_ready = std::error::Error::source(&verifier.check().await.unwrap_err()).unwrap().to_string();
    assert_eq!(why_not_ready, FetchError::TimedOut.to_string());
    stop.cancel();
    task.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn known_keys_go_on_working_while_the_provider_is_down() {
    let running = start(&[TestKey::ed25519(1).jwk("a")]);
    assert_eq!(running.verdict(&token(1, "a")).await, "valid");
    running.provider.go_down();
    sleep(Duration::from_hours(23)).await;
    let other = token_of(1, "a", &json!({"iss": ISSUER, "aud": "us", "sub": "bob", "exp": NOW_SECONDS + 600}));
    assert_eq!((running.verdict(&other).await, running.readiness().await), ("valid", Ok(())));
    assert_eq!(running.verdict(&token(2, "b")).await, "unavailable", "an unknown key may be a new one");
    assert_eq!(running.verdict(&token(2, "a")).await, "the signature is not the key's");

    sleep(Duration::from_hours(2)).await;
    assert_eq!(running.readiness().await, Err("the identity provider's keys are too old"));
    assert_eq!(running.verdict(&other).await, "valid");
}

#[tokio::test(start_paused = true)]
async fn a_new_key_is_picked_up_at_once() {
    let (old, new) = (TestKey::ed25519(1).jwk("old"), TestKey::ed25519(2).jwk("new"));
    let running = start(std::slice::from_ref(&old));
    assert_eq!(running.verdict(&token(1, "old")).await, "valid");
    running.provider.publish(&[old, new]);
    assert_eq!(running.verdict(&token(2, "new")).await, "valid");
    assert_eq!(running.verdict(&token(1, "old")).await, "valid");
    assert_eq!(running.provider.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn all_tokens_of_a_new_key_wait_for_the_one_fetch() {
    let running = start(&[TestKey::ed25519(1).jwk("old")]);
    assert_eq!(running.verdict(&token(1, "old")).await, "valid");
    running.provider.publish(&[TestKey::ed25519(2).jwk("new")]);
    let new = token(2, "new");
    let late = async {
        sleep(Duration::from_millis(500)).await;
        running.verdict(&new).await
    };
    let verdicts = tokio::join!(running.verdict(&new), running.verdict(&new), late);
    assert_eq!(verdicts, ("valid", "valid", "valid"));
    assert_eq!(running.provider.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_left_takes_its_verdicts_along() {
    let running = start(&[TestKey::ed25519(1).jwk("a")]);
    assert_eq!(running.verdict(&token(1, "a")).await, "valid");
    running.provider.publish(&[TestKey::ed25519(2).jwk("b")]);
    sleep(Duration::from_mins(10) + Duration::from_secs(2)).await;
    assert_eq!(running.verdict(&token(1, "a")).await, "the provider has no such key");
    assert_eq!(running.verdict(&token(2, "b")).await, "valid");
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_withdraws_all_keys_makes_every_token_unavailable() {
    let running = start(&[TestKey::ed25519(1).jwk("a")]);
    assert_eq!(running.verdict(&token(1, "a")).await, "valid");
    running.provider.publish(&[json!({"kty": "oct", "k": "AAAA"})]);
    sleep(Duration::from_mins(10) + Duration::from_secs(2)).await;
    assert_eq!(running.verdict(&token(1, "a")).await, "unavailable", "an empty set proves nothing about a token");
    assert_eq!(running.readiness().await, Err("the identity provider publishes no usable key"));
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_unknown_keys_causes_one_fetch_in_30_seconds() {
    let running = Arc::new(start(&[TestKey::ed25519(1).jwk("a")]));
    assert_eq!(running.verdict(&token(1, "a")).await, "valid");
    for round in 1..=3 {
        let flood: Vec<_> = (0..200)
            .map(|number| {
                let running = Arc::clone(&running);
                tokio::spawn(async move { running.verdict(&token(2, &format!("{round}-{number}"))).await })
            })
            .collect();
        for request in flood {
            assert_eq!(request.await.unwrap(), "the provider has no such key");
        }
        assert_eq!(running.provider.fetches(), 1 + round);
        sleep(Duration::from_secs(28)).await; // the fetch itself took one
        assert_eq!(running.verdict(&token(2, "late")).await, "unavailable", "the key may be new");
        assert_eq!(running.provider.fetches(), 1 + round);
        sleep(Duration::from_secs(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn tokens_that_are_not_for_us_cause_no_fetch() {
    let running = start(&[TestKey::ed25519(1).jwk("a")]);
    assert_eq!(running.verdict(&token(1, "a")).await, "valid");
    let good = json!({"iss": ISSUER, "aud": "us", "sub": "alice", "exp": NOW_SECONDS + 600});
    for (name, value) in [("iss", json!("https://x")), ("aud", json!("x")), ("sub", json!(1)), ("exp", json!(1))] {
        assert_ne!(running.verdict(&token_of(2, "unknown", &with(&good, name, value))).await, "valid");
    }
    assert_eq!(running.verdict(&IdToken::new("a.b.c")).await, "the header is not base64url of one JSON object");
    assert_eq!(running.provider.fetches(), 1);
}

#[tokio::test(start_paused = true)]
async fn keys_are_refreshed_every_10_minutes_and_failures_retried_sooner() {
    let running = start(&[TestKey::ed25519(1).jwk("a")]);
    sleep(Duration::from_mins(25)).await;
    assert_eq!(running.provider.fetches(), 3);
    running.provider.go_down();
    sleep(Duration::from_mins(15)).await;
    let fetches = running.provider.fetches();
    assert!((20..40).contains(&fetches), "every 31 s in the end: {fetches}");
}

#[tokio::test(start_paused = true)]
async fn a_remembered_verdict_ends_with_its_token() {
    let running = start(&[TestKey::ed25519(1).jwk("a")]);
    let token = token(1, "a");
    let verdict_at = async |seconds| running.verifier.verify(&token, after_seconds(seconds)).await.unwrap();
    assert!(matches!(verdict_at(0).await, IdentityVerdict::Valid(_)));
    assert!(matches!(verdict_at(659).await, IdentityVerdict::Valid(_)));
    assert_eq!(verdict_at(660).await, IdentityVerdict::Refused("expired"));
    advance(Duration::from_secs(1)).await;
    assert!(matches!(verdict_at(659).await, IdentityVerdict::Valid(_)), "the time is the caller's alone");
}

#[tokio::test(start_paused = true)]
async fn only_valid_verdicts_are_remembered() {
    let running = start(&[TestKey::ed25519(1).jwk("a")]);
    let forged = token(2, "a");
    assert_eq!(running.verdict(&forged).await, "the signature is not the key's");
    // The same bytes become genuine when the provider publishes that key under the same name.
    running.provider.publish(&[TestKey::ed25519(2).jwk("a")]);
    sleep(Duration::from_mins(11)).await;
    assert_eq!(running.verdict(&forged).await, "valid");
}
