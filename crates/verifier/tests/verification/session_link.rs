use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use domain::audit::Cause;
use domain::memory::MemorySessionStore;
use domain::ports::{BoxError, CredentialStore, Found, SessionStore, StoreError};
use domain::sessions::{Session, SessionUse};
use domain::{CredentialDigest, OwnerId, SessionId, Timestamp};

/// One instance's connection to the store of sessions. Counts the look-ups, and can fail.
#[derive(Default)]
pub(crate) struct SessionLink {
    store: Arc<MemorySessionStore>,
    pub(crate) finds: AtomicUsize,
    pub(crate) is_down: AtomicBool,
    /// Whether ends are committed, but return an error.
    pub(crate) loses_answers: AtomicBool,
}

impl SessionLink {
    pub(crate) fn to(store: &Arc<MemorySessionStore>) -> Arc<Self> {
        Arc::new(Self { store: store.clone(), ..Self::default() })
    }

    pub(crate) fn finds(&self) -> usize {
        self.finds.load(Ordering::SeqCst)
    }

    fn check(&self) -> Result<(), StoreError> {
        fail_if(&self.is_down)
    }
}

pub(crate) fn fail_if(switch: &AtomicBool) -> Result<(), StoreError> {
    if switch.load(Ordering::SeqCst) { Err(StoreError::Unavailable(BoxError::from("switched off"))) } else { Ok(()) }
}

#[async_trait]
impl SessionStore for SessionLink {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        self.check()?;
        let ended = self.store.open(session, digest, max, cause).await;
        fail_if(&self.loses_answers)?;
        ended
    }

    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        self.check()?;
        self.store.list(owner, at).await
    }

    async fn end(&self, owner: &OwnerId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        self.check()?;
        let ended = self.store.end(owner, id, cause).await;
        fail_if(&self.loses_answers)?;
        ended
    }

    async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        self.check()?;
        let ended = self.store.end_all(owner, kept, cause).await;
        fail_if(&self.loses_answers)?;
        ended
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.check()?;
        self.store.count_good(at, max).await
    }
}

#[async_trait]
impl CredentialStore<Session> for SessionLink {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Session> {
        self.finds.fetch_add(1, Ordering::SeqCst);
        match self.check() {
            Ok(()) => self.store.find_by_digests(digests).await,
            Err(error) => Found::from(Err(error)),
        }
    }

    async fn record_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError> {
        self.check()?;
        self.store.record_uses(uses).await
    }
}
