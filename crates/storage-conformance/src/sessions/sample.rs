//! Sample sessions, each with a unique id and digest, and calls of the store.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::SessionPorts;
use domain::memory::SeededEntropy;
use domain::memory::unique_cause;
use domain::organizations::Memberships;
use domain::ports::{Entropy, Retained};
use domain::sessions::{SESSION_IDLE_MAX, Session, SessionRole, SessionUse, UserAgent};
use domain::{CredentialDigest, OwnerId, Placement, SessionId, Timestamp};

use crate::sample::at;

/// A maximum that is never reached.
pub(crate) const NO_MAXIMUM: u32 = 1_000;

/// [`SESSION_IDLE_MAX`] in milliseconds.
pub(crate) fn idle_max() -> i64 {
    i64::try_from(SESSION_IDLE_MAX.as_millis()).expect("less than a day")
}

/// A session and its digest.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) session: Session,
    pub(crate) digest: CredentialDigest,
}

impl Sample {
    /// A new session that was opened at the start.
    pub(crate) fn of(owner: &OwnerId) -> Self {
        Self::opened(owner, at(0))
    }

    /// A session that was opened then.
    pub(crate) fn opened(owner: &OwnerId, at: Timestamp) -> Self {
        let (id, digest) = mint(owner);
        let session = Session {
            id,
            owner: owner.clone(),
            role: SessionRole::User,
            memberships: Ok(Memberships::default()),
            created_at: at,
            seen_at: at,
            expires_at: at.plus(Duration::from_hours(7 * 24)),
            user_agent: UserAgent::new("Mozilla/5.0 (X11; Linux x86_64)"),
            address: Some([198, 51, 100, 7].into()),
        };
        Self { session, digest }
    }

    pub(crate) fn into_link(mut self) -> Self {
        self.session.role = SessionRole::Link;
        self
    }

    pub(crate) fn seen(mut self, at: Timestamp) -> Self {
        self.session.seen_at = at;
        self
    }

    pub(crate) fn expiring(mut self, at: Timestamp) -> Self {
        self.session.expires_at = at;
        self
    }

    pub(crate) fn id(&self) -> SessionId {
        self.session.id
    }
}

/// An id that carries the owner's home, and a digest, that no other sample has.
fn mint(owner: &OwnerId) -> (SessionId, CredentialDigest) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let entropy = SeededEntropy::new((NEXT.fetch_add(1, Ordering::Relaxed) << 32) + 1);
    let mut digest = [0; 32];
    entropy.fill(&mut digest);
    (SessionId::mint_for(owner, Placement::Shards(16), at(0), &entropy), CredentialDigest::from_bytes(digest))
}

/// Opens the session with this maximum; the digests in the answer.
pub(crate) async fn open(store: &dyn SessionPorts, sample: &Sample, max: u32) -> HashSet<CredentialDigest> {
    let answer = store.open(&sample.session, &sample.digest, max, &unique_cause()).await;
    once_each(&answer.expect("an opening must succeed"))
}

/// Opens all of them, in this order, without a maximum.
pub(crate) async fn open_all(store: &dyn SessionPorts, samples: &[Sample]) {
    for sample in samples {
        assert!(open(store, sample, NO_MAXIMUM).await.is_empty(), "below the maximum no session may end");
    }
}

/// The session of this sample, looked up by its digest.
pub(crate) async fn find(store: &dyn SessionPorts, sample: &Sample) -> Option<Session> {
    store.find_by_digest(&sample.digest).await.expect("a look-up must succeed")
}

/// How many of these samples are stored, each with every field unchanged.
pub(crate) async fn expect_stored(store: &dyn SessionPorts, samples: &[Sample], why: &str) {
    for sample in samples {
        assert_eq!(find(store, sample).await.as_ref(), Some(&sample.session), "{why}");
    }
}

/// None of these samples is stored.
pub(crate) async fn expect_gone(store: &dyn SessionPorts, samples: &[Sample], why: &str) {
    for sample in samples {
        assert_eq!(find(store, sample).await, None, "{why}");
    }
}

/// The list of the owner.
pub(crate) async fn list(store: &dyn SessionPorts, owner: &OwnerId, at: Timestamp) -> Vec<Session> {
    store.list(owner, at).await.expect("a list must succeed")
}

/// Ends one session of the owner.
pub(crate) async fn end(store: &dyn SessionPorts, owner: &OwnerId, id: SessionId) -> Option<CredentialDigest> {
    store.end(owner, id, &unique_cause()).await.expect("an end must succeed, or find no session")
}

/// Ends all sessions of the owner but one; the digests in the answer.
pub(crate) async fn end_all(
    store: &dyn SessionPorts,
    owner: &OwnerId,
    kept: Option<SessionId>,
) -> HashSet<CredentialDigest> {
    once_each(&store.end_all(owner, kept, &unique_cause()).await.expect("an end of all sessions must succeed"))
}

/// Records one use of each of these samples.
pub(crate) async fn record(store: &dyn SessionPorts, uses: &[SessionUse]) {
    store.record_uses(uses).await.expect("recording uses must succeed");
}

pub(crate) fn used_at(sample: &Sample, millis: i64) -> SessionUse {
    SessionUse { id: sample.id(), at: at(millis) }
}

/// Purges.
pub(crate) async fn purge(store: &dyn SessionPorts, before: Timestamp, max: u32) -> u32 {
    store.purge(Retained::Sessions, before, max).await.expect("a purge must succeed")
}

pub(crate) fn digests<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> HashSet<CredentialDigest> {
    samples.into_iter().map(|sample| sample.digest).collect()
}

fn once_each(digests: &[CredentialDigest]) -> HashSet<CredentialDigest> {
    let set: HashSet<CredentialDigest> = digests.iter().copied().collect();
    assert_eq!(set.len(), digests.len(), "the answer must have each digest once");
    set
}
