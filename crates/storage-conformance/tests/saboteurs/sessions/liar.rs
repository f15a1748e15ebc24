use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::memory::MemorySessionStore;
use domain::ports::{SessionStore, StoreError};
use domain::sessions::Session;
use domain::{CredentialDigest, OwnerId, SessionId, Timestamp};
use storage_conformance::{Instances, SharedSessionStore};

use crate::liar::{Liar, Lie, STATEMENT_DURATION};

pub(crate) fn instances(lie: Lie) -> Instances<dyn SharedSessionStore> {
    Liar::<MemorySessionStore>::instances(lie).map(|liar| -> Arc<dyn SharedSessionStore> { liar })
}

#[async_trait]
impl SessionStore for Liar<MemorySessionStore> {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        self.opened().lock().await.insert(session.id, *digest);
        if self.lie == Lie::ListsOpenings {
            self.list_falsely(&[*digest]).await;
        }
        let open = self.store().open(session, digest, max, cause);
        // The store in memory lists the surplus, but this feed does not.
        if self.lie == Lie::LeavesOutTheSurplus { open.await } else { self.change(open).await }
    }

    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        self.store().list(owner, at).await
    }

    async fn end(&self, owner: &OwnerId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        if self.lie == Lie::ListsBeforeItChanges {
            let digest = self.opened().lock().await.remove(&id);
            self.list_falsely(digest.as_slice()).await;
            tokio::time::sleep(STATEMENT_DURATION).await;
            return self.store().end(owner, id, cause).await;
        }
        self.change(self.store().end(owner, id, cause)).await
    }

    async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let end = self.store().end_all(owner, kept, cause);
        if self.lie == Lie::LeavesOutEndsOfAll { end.await } else { self.change(end).await }
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.store().count_good(at, max).await
    }
}
