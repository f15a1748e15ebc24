//! Sessions are verified like keys: from memory, and never after their end.

use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::audit::Origin;
use domain::organizations::Memberships;
use domain::ports::CredentialStore as _;
use domain::sessions::{OpenSession, OpenedSession, SESSION_IDLE_MAX, SESSION_LIFETIME, SESSIONS_MAX, SessionRole};
use domain::{CredentialDigest, Timestamp};
use tokio::time::{Instant, sleep};
use verifier::{FEED_POLL_INTERVAL, FLUSH_INTERVAL, TRUST_MAX, VerifierSettings, WhenStale};

use crate::world::{Feed, Instance, World};

const MILLISECOND: Duration = Duration::from_millis(1);

impl Instance {
    async fn sign_in(&self) -> OpenedSession {
        self.open(SessionRole::User).await
    }

    async fn open(&self, role: SessionRole) -> OpenedSession {
        let memberships = Ok(Memberships::default());
        let request = OpenSession { role, memberships, user_agent: None, address: None };
        self.sessions.open(&self.owner, request, &Origin::SERVICE).await.unwrap()
    }

    async fn accepts(&self, opened: &OpenedSession) -> bool {
        self.verifier.verify_session(opened.secret.expose()).await.unwrap().is_some()
    }

    /// When the session was last seen, as its owner is shown.
    async fn seen_at(&self, opened: &OpenedSession) -> Option<Timestamp> {
        let listed = self.sessions.list(&self.owner).await.unwrap();
        listed.iter().find(|session| session.id == opened.session.id).map(|session| session.seen_at)
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_is_read_once_and_then_answered_from_memory() {
    let instance = World::new().single(VerifierSettings::default());
    let (opened, key) = (instance.sign_in().await, instance.create().await);
    let verified = instance.verifier.verify_session(opened.secret.expose()).await.unwrap().unwrap();
    assert_eq!((verified.id, &verified.owner), (opened.session.id, &instance.owner));
    assert_eq!((&verified.role, verified.expires_at), (&SessionRole::User, opened.session.expires_at));
    for _ in 0..10 {
        assert!(instance.accepts(&opened).await);
    }
    assert_eq!(instance.session_link.finds(), 1);
    assert!(instance.verifier.verify(opened.secret.expose()).await.unwrap().is_none(), "a session is not a key");
    let a_key = instance.verifier.verify_session(key.full_key.expose()).await.unwrap();
    assert!(a_key.is_none(), "a key is not a session");
    assert!(instance.verifier.verify_session("").await.unwrap().is_none());
}

/// A portal link is stored like a session, but does not sign its holder in.
#[tokio::test(start_paused = true)]
async fn a_link_is_not_a_session() {
    let (world, instance) = World::with_single();
    let link = instance.open(SessionRole::Link).await;
    for _ in 0..2 {
        assert!(!instance.accepts(&link).await);
    }
    let digest = CredentialDigest::of_presented(link.secret.expose()).unwrap();
    let stored = world.sessions.find_by_digest(&digest).await.unwrap();
    assert_eq!(stored, Some(link.session), "an attempt is not a use");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_here_is_refused_at_once() {
    let (world, instance) = World::with_single();
    let [one, kept, other] = [instance.sign_in().await, instance.sign_in().await, instance.sign_in().await];
    for opened in [&one, &kept, &other] {
        assert!(instance.accepts(opened).await);
    }
    let left = instance.sessions.end(&instance.owner, one.session.id, &Origin::SERVICE).await.unwrap();
    assert_eq!(left.len(), 2);
    assert!(!instance.accepts(&one).await);
    let left = instance.sessions.end_all(&instance.owner, Some(kept.session.id), &Origin::SERVICE).await.unwrap();
    assert_eq!(left.len(), 1);
    assert!(!instance.accepts(&other).await && instance.accepts(&kept).await);
    world.clock.advance(MILLISECOND);
    for _ in 1..SESSIONS_MAX {
        instance.sign_in().await;
    }
    assert!(instance.accepts(&kept).await);
    instance.sign_in().await;
    assert!(!instance.accepts(&kept).await, "one sign-in beyond the maximum ends the oldest session");
}

#[tokio::test(start_paused = true)]
async fn an_end_without_an_answer_is_not_forgotten() {
    let instance = World::new().single(VerifierSettings::default());
    let [one, other] = [instance.sign_in().await, instance.sign_in().await];
    assert!(instance.accepts(&one).await && instance.accepts(&other).await);
    instance.session_link.loses_answers.store(true, Ordering::SeqCst);
    assert!(instance.sessions.end(&instance.owner, one.session.id, &Origin::SERVICE).await.is_err());
    assert!(!instance.accepts(&one).await);
    assert!(instance.sessions.end_all(&instance.owner, None, &Origin::SERVICE).await.is_err());
    assert!(!instance.accepts(&other).await);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_another_instance_ends_is_refused_within_one_poll() {
    let (world, (here, _stop), other) = World::with_two().await;
    for step in 0..20 {
        let (one, all) = (other.sign_in().await, other.sign_in().await);
        assert!(here.accepts(&one).await && here.accepts(&all).await);
        sleep(Duration::from_millis(step * 13)).await;
        let finds = here.session_link.finds();
        assert!(here.accepts(&one).await);
        assert_eq!(here.session_link.finds(), finds, "a trusted cache must answer without a read");
        other.sessions.end(&world.owner, one.session.id, &Origin::SERVICE).await.unwrap();
        other.sessions.end_all(&world.owner, None, &Origin::SERVICE).await.unwrap();
        let began = Instant::now();
        while here.accepts(&one).await || here.accepts(&all).await {
            assert!(began.elapsed() <= FEED_POLL_INTERVAL, "an ended session must be refused within one poll");
            sleep(MILLISECOND).await;
        }
    }
}

/// Even if keys are served from a stale cache: a browser cannot do anything without the database.
#[tokio::test(start_paused = true)]
async fn without_the_feed_sessions_are_read_from_the_store() {
    let world = World::new();
    let when_stale = WhenStale::Serve(Duration::from_mins(10));
    let (here, other) =
        (world.shared(VerifierSettings { when_stale, ..VerifierSettings::default() }), world.running().await.0);
    let _stop = here.run();
    let opened = other.sign_in().await;
    sleep(MILLISECOND).await;
    assert!(here.accepts(&opened).await);
    here.link.set_feed(Feed::Fails);
    other.sessions.end(&world.owner, opened.session.id, &Origin::SERVICE).await.unwrap();
    let began = Instant::now();
    while here.accepts(&opened).await {
        assert!(began.elapsed() <= TRUST_MAX, "without the feed the cache is trusted for 3 s");
        sleep(Duration::from_millis(50)).await;
    }
    here.session_link.is_down.store(true, Ordering::SeqCst);
    let other_session = other.sign_in().await;
    let unknown = here.verifier.verify_session(other_session.secret.expose()).await;
    assert!(unknown.is_err(), "whether a session is good is unknown while the store is down");
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_when_it_is_idle_and_when_it_expires() {
    let (world, instance) = World::with_single();
    let (idle, used) = (instance.sign_in().await, instance.sign_in().await);
    let almost = SESSION_IDLE_MAX.checked_sub(MILLISECOND).unwrap();
    assert!(instance.accepts(&idle).await && instance.accepts(&used).await);
    world.clock.advance(almost);
    assert!(instance.accepts(&used).await);
    world.clock.advance(MILLISECOND);
    assert!(!instance.accepts(&idle).await, "not used for 12 hours");
    assert!(instance.accepts(&used).await, "used a millisecond ago");
    while world.clock_is_before(used.session.expires_at.minus(almost)) {
        world.clock.advance(almost);
        instance.verifier.flush().await.unwrap();
        assert!(instance.accepts(&used).await);
    }
    world.clock.advance(almost);
    assert_eq!(used.session.expires_at, used.session.created_at.plus(SESSION_LIFETIME));
    assert!(!instance.accepts(&used).await, "a week old, and used all the time");
}

/// An instance that has not seen a session for 12 hours asks the store, because another one may have.
#[tokio::test(start_paused = true)]
async fn a_session_that_is_used_elsewhere_is_not_idle_here() {
    let world = World::new();
    let (here, other) = (world.single(VerifierSettings::default()), world.single(VerifierSettings::default()));
    let opened = here.sign_in().await;
    assert!(here.accepts(&opened).await && other.accepts(&opened).await);
    world.clock.advance(SESSION_IDLE_MAX / 2);
    assert!(other.accepts(&opened).await);
    other.verifier.flush().await.unwrap();
    world.clock.advance(SESSION_IDLE_MAX / 2);
    let finds = here.session_link.finds();
    assert!(here.accepts(&opened).await, "the other instance saw it 6 hours ago");
    assert_eq!(here.session_link.finds(), finds + 1);
    assert!(here.accepts(&opened).await);
    assert_eq!(here.session_link.finds(), finds + 1, "and then it is in memory again");
}

#[tokio::test(start_paused = true)]
async fn uses_of_sessions_are_shown_at_once_and_written_in_batches() {
    let world = World::new();
    let (instance, _stop) = world.running().await;
    let opened = instance.sign_in().await;
    world.clock.advance(MILLISECOND * 70);
    assert!(instance.accepts(&opened).await);
    let now = opened.session.created_at.plus(MILLISECOND * 70);
    assert_eq!(instance.seen_at(&opened).await, Some(now), "an owner sees a use at once");
    let stored = async || world.sessions.find_by_digest(&opened.secret.digest()).await.unwrap().unwrap().seen_at;
    assert_eq!(stored().await, opened.session.created_at, "a verification does not wait for a write");
    sleep(FLUSH_INTERVAL * 2).await;
    assert_eq!(stored().await, now);
    assert_eq!(instance.seen_at(&opened).await, Some(now));
}
