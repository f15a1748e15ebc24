//! How old an answer may be, and how often the verifier calls Gatepost. Ages are twenty times longer than the defaults,
//! so that the real time of a test does not matter: an age depends on two clocks, and a test can stop only one of them.
//! Rules that need no clock of the system are in `verifier.json` of `clients/conformance`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use gatepost_client::Owner;
use gatepost_client::protect::{KeyVerifier, KeyVerifierSettings, Refusal};
use tokio::task::{JoinSet, spawn_blocking, yield_now};

use crate::gatepost::{Answer, Gatepost};

const KEY: &str = "svc_live_1";
const MAX_AGE: Duration = Duration::from_secs(20);
const TRUST_MAX: Duration = Duration::from_secs(100);
const MOMENT: Duration = Duration::from_secs(1);
/// A moment before [`MAX_AGE`].
const ALMOST_MAX_AGE: Duration = Duration::from_secs(19);

fn slow() -> KeyVerifierSettings {
    KeyVerifierSettings {
        max_age: MAX_AGE,
        trust_max: TRUST_MAX,
        call_timeout: MAX_AGE,
        refused_max_age: MAX_AGE,
        ..KeyVerifierSettings::default()
    }
}

/// A server with this answer, and a verifier that calls it.
async fn asking(answer: Answer) -> (Gatepost, KeyVerifier) {
    let gatepost = Gatepost::answering(answer).await;
    let keys = gatepost.keys_with(slow());
    (gatepost, keys)
}

/// As above, with one answer in the cache.
async fn knowing_a_good_key() -> (Gatepost, KeyVerifier) {
    let (gatepost, keys) = asking(Answer::Good("")).await;
    assert!(keys.verify(KEY).await.is_ok());
    (gatepost, keys)
}

#[test]
fn the_defaults_are_the_bounds_that_are_promised() {
    let settings = KeyVerifierSettings::default();
    assert_eq!(settings.max_age, Duration::from_secs(1));
    assert_eq!(settings.trust_max, Duration::from_secs(5));
    assert_eq!(settings.call_timeout, Duration::from_secs(1));
    assert_eq!(settings.refused_max_age, Duration::from_secs(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_parallel_misses_make_one_call() {
    let gatepost = Gatepost::answering(Answer::Good("")).await;
    let keys = gatepost.keys_with(slow());
    gatepost.hold();
    let arrived = Arc::new(AtomicUsize::new(0));
    let mut requests = JoinSet::new();
    for _ in 0..1_000 {
        let (keys, arrived) = (keys.clone(), Arc::clone(&arrived));
        requests.spawn(async move {
            arrived.fetch_add(1, Ordering::SeqCst);
            keys.verify(KEY).await
        });
    }
    while arrived.load(Ordering::SeqCst) < 1_000 {
        yield_now().await;
    }
    gatepost.release();
    let verdicts = requests.join_all().await;
    assert!(verdicts.iter().all(|verdict| verdict.as_ref().is_ok_and(|caller| caller.label() == "CI")));
    assert_eq!((verdicts.len(), gatepost.calls()), (1_000, 1));
}

#[tokio::test]
async fn a_key_in_use_is_asked_about_again_once_and_does_not_wait() {
    let time = StoppedTime::stop();
    let (gatepost, keys) = knowing_a_good_key().await;
    gatepost.hold();
    time.pass(MAX_AGE / 2).await;
    for _ in 0..100 {
        assert!(keys.verify(KEY).await.is_ok(), "answered while Gatepost is not");
    }
    gatepost.called(2).await;
    gatepost.release();
    time.pass(MAX_AGE / 2).await;
    assert!(keys.verify(KEY).await.is_ok(), "the first answer is too old: the second serves");
    assert_eq!(gatepost.calls(), 2);
}

#[tokio::test]
async fn a_revoked_key_is_refused_within_the_bound() {
    let time = StoppedTime::stop();
    for uses_meanwhile in [0, 1, 9, 99] {
        let (gatepost, keys) = knowing_a_good_key().await;
        gatepost.answers(Answer::NotGood);
        let step = ALMOST_MAX_AGE / (uses_meanwhile + 1);
        for _ in 0..uses_meanwhile {
            time.pass(step).await;
            let _ = keys.verify(KEY).await;
        }
        time.pass(step + MOMENT).await;
        assert_eq!(keys.verify(KEY).await, Err(Refusal::Invalid), "used {uses_meanwhile} times meanwhile");
    }
}

#[tokio::test]
async fn until_the_bound_a_revoked_key_that_nobody_used_is_still_good() {
    let time = StoppedTime::stop();
    let (gatepost, keys) = knowing_a_good_key().await;
    gatepost.answers(Answer::NotGood);
    time.pass(ALMOST_MAX_AGE).await;
    assert!(keys.verify(KEY).await.is_ok(), "this is what the cache costs");
    time.pass(MOMENT).await;
    assert_eq!(keys.verify(KEY).await, Err(Refusal::Invalid));
}

#[tokio::test]
async fn while_gatepost_is_away_known_keys_are_good_until_the_fence_and_never_invalid() {
    let time = StoppedTime::stop();
    for away in [Answer::Error(503), Answer::Error(500), Answer::Error(401), Answer::Error(404), Answer::HangUp] {
        let (gatepost, keys) = knowing_a_good_key().await;
        gatepost.answers(away.clone());
        time.pass(MAX_AGE).await;
        for age in (20..100).step_by(10) {
            assert!(keys.verify(KEY).await.is_ok(), "{away:?} at {age}");
            assert_eq!(keys.verify("unknown").await, Err(Refusal::Unavailable), "{away:?} at {age}");
            time.pass(Duration::from_secs(10)).await;
        }
        assert_eq!(keys.verify(KEY).await, Err(Refusal::Unavailable), "{away:?}");
        gatepost.answers(Answer::Good(""));
        assert!(keys.verify(KEY).await.is_ok(), "{away:?}: it is back");
        assert!(keys.verify("unknown").await.is_ok(), "{away:?}: it is back");
    }
}

#[tokio::test]
async fn a_gatepost_that_does_not_answer_in_time_is_away_and_holds_up_one_request() {
    let time = StoppedTime::stop();
    let (gatepost, keys) = knowing_a_good_key().await;
    gatepost.hold();
    time.pass(MAX_AGE).await;
    let waiting = tokio::spawn({
        let keys = keys.clone();
        async move { keys.verify(KEY).await }
    });
    gatepost.called(2).await;
    time.pass(MAX_AGE + MOMENT).await;
    assert!(waiting.await.unwrap().is_ok(), "the old answer serves");
    assert!(keys.verify(KEY).await.is_ok(), "and the next request does not wait");
}

#[tokio::test]
async fn while_gatepost_is_away_it_is_tried_again_beside_the_requests() {
    let time = StoppedTime::stop();
    let (gatepost, keys) = knowing_a_good_key().await;
    gatepost.answers(Answer::Error(503));
    time.pass(MAX_AGE).await;
    assert!(keys.verify(KEY).await.is_ok());
    gatepost.answers(Answer::NotGood);
    time.pass(MOMENT).await;
    let calls = gatepost.calls();
    assert!(keys.verify(KEY).await.is_ok(), "nobody knows yet that it is back");
    gatepost.called(calls + 1).await;
    while keys.verify(KEY).await.is_ok() {
        yield_now().await;
    }
    assert_eq!(keys.verify(KEY).await, Err(Refusal::Invalid));
}

#[tokio::test]
async fn when_gatepost_is_back_known_keys_are_held_to_the_short_bound_again() {
    let time = StoppedTime::stop();
    let (gatepost, keys) = knowing_a_good_key().await;
    gatepost.answers(Answer::Error(503));
    time.pass(MAX_AGE).await;
    assert!(keys.verify(KEY).await.is_ok());
    gatepost.answers(Answer::Good(""));
    assert!(keys.verify("another").await.is_ok(), "it is back");
    gatepost.answers(Answer::NotGood);
    assert_eq!(keys.verify(KEY).await, Err(Refusal::Invalid), "an answer that is too old is not used");
}

#[tokio::test]
async fn garbage_pushes_no_good_key_out_and_memory_is_bounded() {
    let _time = StoppedTime::stop();
    let gatepost = Gatepost::answering(Answer::Good("")).await;
    let keys = gatepost.keys_with(KeyVerifierSettings { keys_max: 100, refused_max: 100, ..slow() });
    assert!(keys.verify(KEY).await.is_ok());
    gatepost.answers(Answer::NotGood);
    for number in 0..1_000 {
        assert_eq!(keys.verify(&format!("garbage-{number}")).await, Err(Refusal::Invalid));
    }
    let calls = gatepost.calls();
    assert!(keys.verify(KEY).await.is_ok());
    assert_eq!(gatepost.calls(), calls, "it is known still");
    gatepost.answers(Answer::Good(""));
    for number in 0..1_000 {
        assert!(keys.verify(&format!("good-{number}")).await.is_ok());
    }
    let (good, refused) = keys.cached();
    assert!(good <= 110 && refused <= 110, "{good} and {refused}");
}

#[tokio::test]
async fn garbage_does_not_keep_a_good_key_from_being_asked_about() {
    let time = StoppedTime::stop();
    let gatepost = Gatepost::answering(Answer::Good("")).await;
    let keys = gatepost.keys_with(KeyVerifierSettings { calls_max: 1, ..slow() });
    assert!(keys.verify(KEY).await.is_ok());
    gatepost.hold();
    let mut garbage = JoinSet::new();
    for number in 0..10 {
        let keys = keys.clone();
        garbage.spawn(async move { keys.verify(&format!("garbage-{number}")).await });
    }
    gatepost.called(2).await;
    time.pass(MAX_AGE / 2).await;
    assert!(keys.verify(KEY).await.is_ok());
    gatepost.called(3).await;
    assert_eq!(gatepost.calls(), 3, "one for garbage at a time, one for the good key");
}

#[tokio::test]
async fn a_spent_allowance_is_passed_on_for_as_long_as_gatepost_says() {
    let time = StoppedTime::stop();
    let (gatepost, keys) = asking(Answer::Limited(7)).await;
    let limited = Err(Refusal::RateLimited { retry_after: Duration::from_secs(7) });
    for _ in 0..100 {
        assert_eq!(keys.verify(KEY).await, limited);
    }
    assert_eq!(gatepost.calls(), 1);
    gatepost.answers(Answer::Good(""));
    time.pass(Duration::from_secs(7)).await;
    assert!(keys.verify(KEY).await.is_ok());
}

#[tokio::test]
async fn a_key_that_has_ended_by_our_clock_is_for_gatepost_to_judge() {
    let _time = StoppedTime::stop();
    let (gatepost, keys) = asking(Answer::Ended).await;
    for calls in 1..=3 {
        assert!(keys.verify(KEY).await.is_ok(), "our clock may be wrong");
        assert_eq!(gatepost.calls(), calls);
    }
    gatepost.answers(Answer::Error(503));
    assert_eq!(keys.verify(KEY).await, Err(Refusal::Unavailable));
}

#[tokio::test]
async fn a_connection_that_is_closed_under_a_question_is_no_outage() {
    let _time = StoppedTime::stop();
    let (gatepost, keys) = asking(Answer::HangUpOnce).await;
    assert!(keys.verify(KEY).await.is_ok());
    assert_eq!((gatepost.calls(), gatepost.connections()), (2, 2));
}

#[tokio::test]
async fn a_caller_who_goes_away_does_not_take_the_answer_along() {
    let _time = StoppedTime::stop();
    let (gatepost, keys) = asking(Answer::Good("")).await;
    gatepost.hold();
    let impatient = tokio::spawn({
        let keys = keys.clone();
        async move { keys.verify(KEY).await }
    });
    gatepost.called(1).await;
    impatient.abort();
    assert!(impatient.await.unwrap_err().is_cancelled());
    gatepost.release();
    assert!(keys.verify(KEY).await.is_ok());
    assert_eq!(gatepost.calls(), 1);
}

#[tokio::test]
async fn keys_are_told_apart() {
    let _time = StoppedTime::stop();
    let (gatepost, keys) = asking(Answer::Good("orders:read")).await;
    for key in ["one", "two", "one"] {
        let caller = keys.verify(key).await.unwrap();
        assert_eq!((caller.owner(), caller.key_id()), (&Owner::User(format!("user-of-{key}")), "key_1"));
        assert!(caller.has_scope("orders:read") && !caller.has_scope("orders"));
    }
    assert_eq!(gatepost.calls(), 2);
    assert!(!format!("{keys:?}").contains("operator"));
}

/// Time that stops until a test advances it. A paused tokio clock advances alone whenever every task waits, for example
/// for a socket, but not while a blocking task runs, so this type runs one.
struct StoppedTime {
    _release: mpsc::Sender<()>,
}

impl StoppedTime {
    /// Stops time. Needs a runtime with one thread.
    fn stop() -> Self {
        let (release, released) = mpsc::channel::<()>();
        drop(spawn_blocking(move || released.recv()));
        tokio::time::pause();
        Self { _release: release }
    }

    /// Advances time.
    async fn pass(&self, duration: Duration) {
        tokio::time::advance(duration).await;
    }
}
