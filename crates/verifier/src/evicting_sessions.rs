use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{SessionStore, StoreError};
use domain::sessions::{Session, SessionUse};
use domain::{CredentialDigest, SessionId, Timestamp, UserId};

use crate::VerifiedSession;
use crate::answers::Answers;
use crate::evicting_store::to_the_end;

/// The store through which this instance changes sessions. An end evicts its session from the cache before the call
/// returns.
pub(crate) struct EvictingSessions {
    answers: Arc<Answers<VerifiedSession>>,
}

impl EvictingSessions {
    pub(crate) fn new(answers: Arc<Answers<VerifiedSession>>) -> Self {
        Self { answers }
    }
}

#[async_trait]
impl SessionStore for EvictingSessions {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let (answers, session, digest) = (Arc::clone(&self.answers), session.clone(), *digest);
        let cause = cause.clone();
        to_the_end(async move {
            let ended = answers.store.open(&session, &digest, max, &cause).await;
            match &ended {
                Ok(digests) => digests.iter().for_each(|digest| answers.evict(digest)),
                Err(_) => answers.evict_matching(|other| other.owner == session.owner),
            }
            answers.evict(&digest);
            ended
        })
        .await
    }

    async fn list(&self, owner: &UserId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        self.answers.store.list(owner, at).await
    }

    async fn end(&self, owner: &UserId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        let (answers, owner, cause) = (Arc::clone(&self.answers), owner.clone(), cause.clone());
        to_the_end(async move {
            let ended = answers.store.end(&owner, id, &cause).await;
            match &ended {
                Ok(digest) => digest.iter().for_each(|digest| answers.evict(digest)),
                Err(_) => answers.evict_matching(|session| session.id == id),
            }
            ended
        })
        .await
    }

    async fn end_all(
        &self,
        owner: &UserId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let (answers, owner, cause) = (Arc::clone(&self.answers), owner.clone(), cause.clone());
        to_the_end(async move {
            let ended = answers.store.end_all(&owner, kept, &cause).await;
            match &ended {
                Ok(digests) => digests.iter().for_each(|digest| answers.evict(digest)),
                Err(_) => answers.evict_matching(|session| session.owner == owner),
            }
            ended
        })
        .await
    }

    async fn find_by_digest(&self, digest: &CredentialDigest) -> Result<Option<Session>, StoreError> {
        self.answers.store.find_by_digest(digest).await
    }

    async fn record_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError> {
        self.answers.store.record_uses(uses).await
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.answers.store.count_good(at, max).await
    }

    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.answers.store.purge_ended(before, max).await
    }
}
