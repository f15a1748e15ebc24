use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{SessionStore, StoreError};
use domain::sessions::Session;
use domain::{CredentialDigest, OwnerId, SessionId, Timestamp};

use crate::VerifiedSession;
use crate::answers::{Answers, Remembered};
use crate::evicting_store::to_the_end;

/// The store through which this instance changes sessions. An end evicts its session from the cache before the call
/// returns.
pub(crate) struct EvictingSessions {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) answers: Arc<Answers<VerifiedSession>>,
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
        let (store, answers) = (Arc::clone(&self.store), Arc::clone(&self.answers));
        let (session, digest, cause) = (session.clone(), *digest, cause.clone());
        to_the_end(async move {
            let ended = store.open(&session, &digest, max, &cause).await;
            match &ended {
                Ok(digests) => digests.iter().for_each(|digest| answers.evict(digest)),
                Err(_) => answers.evict_matching(|other| other.owner == session.owner),
            }
            answers.evict(&digest);
            ended
        })
        .await
    }

    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        self.store.list(owner, at).await
    }

    async fn end(&self, owner: &OwnerId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        let (store, answers) = (Arc::clone(&self.store), Arc::clone(&self.answers));
        let (owner, cause) = (owner.clone(), cause.clone());
        to_the_end(async move {
            let ended = store.end(&owner, id, &cause).await;
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
        owner: &OwnerId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let (store, answers) = (Arc::clone(&self.store), Arc::clone(&self.answers));
        let (owner, cause) = (owner.clone(), cause.clone());
        to_the_end(async move {
            let ended = store.end_all(&owner, kept, &cause).await;
            match &ended {
                Ok(digests) => digests.iter().for_each(|digest| answers.evict(digest)),
                Err(_) => answers.evict_matching(|session| session.owner == owner),
            }
            ended
        })
        .await
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.store.count_good(at, max).await
    }
}
