use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::audit::MemoryAuditLog;
use super::change_feed::MemoryChangeFeed;
use super::lock;
use super::owners::MemoryOwners;
use crate::audit::Cause;
use crate::ports::{
    ChangeFeed, CredentialStore, FeedPosition, FeedRead, Found, Retained, Retention, SessionStore, StoreError,
};
use crate::sessions::{Session, SessionUse};
use crate::{CredentialDigest, OwnerId, SessionId, Timestamp};

/// Sessions in a map behind one lock. Each method holds the lock, and is therefore atomic.
#[derive(Debug, Default)]
pub struct MemorySessionStore {
    stored: MemorySessions,
    changes: MemoryChangeFeed,
    audit: MemoryAuditLog,
    owners: MemoryOwners,
}

/// The sessions of a store in memory. All clones are the same sessions.
#[derive(Clone, Debug, Default)]
pub(super) struct MemorySessions(Arc<Mutex<Stored>>);

impl MemorySessions {
    /// Deletes every session of the owner, and returns how many.
    pub(super) fn erase(&self, owner: &OwnerId) -> usize {
        lock(&self.0).extract_if(.., |_, (session, _)| session.owner == *owner).count()
    }
}

/// Sorted, so that a purge depends only on its arguments.
type Stored = BTreeMap<SessionId, (Session, CredentialDigest)>;

/// The ids of ended sessions, and their digests.
type Ended = (Vec<SessionId>, Vec<CredentialDigest>);

impl MemorySessionStore {
    /// A store that reports its changes to this feed.
    pub fn reporting_to(changes: MemoryChangeFeed) -> Self {
        Self { changes, ..Self::default() }
    }

    /// The store, which writes to this audit log from now on.
    #[must_use]
    pub fn writing_to(self, audit: MemoryAuditLog) -> Self {
        Self { audit, ..self }
    }

    /// The store, which obeys these records from now on.
    #[must_use]
    pub fn obeying(self, owners: MemoryOwners) -> Self {
        Self { owners, ..self }
    }

    /// The sessions, which other stores erase.
    pub(super) fn sessions(&self) -> MemorySessions {
        self.stored.clone()
    }

    /// Deletes the sessions that match, and reports them. Returns their ids and digests.
    fn end_matching(&self, stored: &mut Stored, is_over: impl Fn(&Session) -> bool) -> Ended {
        let ended: Vec<_> = stored.extract_if(.., |_, (session, _)| is_over(session)).collect();
        let ended: Ended = ended.into_iter().map(|(id, (_, digest))| (id, digest)).unzip();
        self.changes.report(ended.1.iter().copied());
        ended
    }

    /// Ends the owner's sessions that match.
    fn end_of(&self, owner: &OwnerId, cause: &Cause, is_over: impl Fn(&Session) -> bool) -> Vec<CredentialDigest> {
        let mut stored = lock(&self.stored.0);
        let (ids, digests) = self.end_matching(&mut stored, |session| session.owner == *owner && is_over(session));
        self.audit.write(cause.sessions_ended(owner, ids));
        digests
    }
}

/// The owner's sessions (if they `sign_in`) or links that are good at `at`, newest first.
fn good_of(stored: &Stored, owner: &OwnerId, sign_in: bool, at: Timestamp) -> Vec<Session> {
    let theirs = stored.values().map(|(session, _)| session).filter(|session| session.owner == *owner);
    let counts = |session: &&Session| session.role.signs_in() == sign_in && session.is_good(at);
    let mut good: Vec<Session> = theirs.filter(counts).cloned().collect();
    good.sort_by_key(|session| Reverse((session.created_at, session.id)));
    good
}

#[async_trait]
impl SessionStore for MemorySessionStore {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let mut stored = lock(&self.stored.0);
        if stored.contains_key(&session.id) || stored.values().any(|(_, other)| other == digest) {
            return Err(StoreError::Duplicate { what: "id or digest" });
        }
        let others = good_of(&stored, &session.owner, session.role.signs_in(), session.created_at);
        let kept = (max as usize).saturating_sub(1);
        let surplus: Vec<SessionId> = others.iter().skip(kept).map(|other| other.id).collect();
        stored.insert(session.id, (session.clone(), *digest));
        let (ids, digests) = self.end_matching(&mut stored, |other| surplus.contains(&other.id));
        self.audit.write(cause.session_opened(session, ids));
        Ok(digests)
    }

    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        Ok(good_of(&lock(&self.stored.0), owner, true, at))
    }

    async fn end(&self, owner: &OwnerId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        Ok(self.end_of(owner, cause, |session| session.id == id).pop())
    }

    async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        Ok(self.end_of(owner, cause, |session| Some(session.id) != kept))
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        let good = lock(&self.stored.0).values().take(max as usize).filter(|(session, _)| session.is_good(at)).count();
        Ok(u32::try_from(good).unwrap_or(max))
    }
}

#[async_trait]
impl CredentialStore<Session> for MemorySessionStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Session> {
        let stored = lock(&self.stored.0);
        let found = stored.values().filter(|(_, digest)| digests.contains(digest));
        let looked_up = |(session, digest): &(Session, CredentialDigest)| {
            self.owners.looked_up(&session.owner, *digest, session.clone())
        };
        found.map(looked_up).collect()
    }

    async fn record_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError> {
        let mut stored = lock(&self.stored.0);
        for used in uses {
            if let Some((session, _)) = stored.get_mut(&used.id) {
                session.seen_at = session.seen_at.max(used.at);
            }
        }
        Ok(())
    }
}

#[async_trait]
impl Retention for MemorySessionStore {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let mut stored = lock(&self.stored.0);
        let is_past = |session: &Session| what == Retained::Sessions && session.ends_at() < before;
        let purged = stored.extract_if(.., |_, (session, _)| is_past(session)).take(max as usize).count();
        Ok(u32::try_from(purged).unwrap_or(max))
    }
}

#[async_trait]
impl ChangeFeed for MemorySessionStore {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        self.changes.changes_since(since, max).await
    }

    async fn forget_changes(&self, before: &FeedPosition) -> Result<(), StoreError> {
        self.changes.forget_changes(before).await
    }
}
