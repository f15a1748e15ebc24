use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::SessionStore;
use domain::sessions::{Session, SessionUse};
use domain::{CredentialDigest, SessionId, Timestamp, UserId};

use crate::call::Call;
use crate::store::{Answer, JournalStore};

#[async_trait]
impl SessionStore for JournalStore {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Answer<Vec<CredentialDigest>> {
        let _journal = self
            .record(Call::OpenSession { session: session.clone(), digest: *digest, max, cause: cause.clone() })
            .await?;
        self.memory.sessions.open(session, digest, max, cause).await
    }

    async fn list(&self, owner: &UserId, at: Timestamp) -> Answer<Vec<Session>> {
        self.memory.sessions.list(owner, at).await
    }

    async fn end(&self, owner: &UserId, id: SessionId, cause: &Cause) -> Answer<Option<CredentialDigest>> {
        let _journal = self.record(Call::EndSession { owner: owner.clone(), id, cause: cause.clone() }).await?;
        self.memory.sessions.end(owner, id, cause).await
    }

    async fn end_all(&self, owner: &UserId, kept: Option<SessionId>, cause: &Cause) -> Answer<Vec<CredentialDigest>> {
        let _journal = self.record(Call::EndSessions { owner: owner.clone(), kept, cause: cause.clone() }).await?;
        self.memory.sessions.end_all(owner, kept, cause).await
    }

    async fn find_by_digest(&self, digest: &CredentialDigest) -> Answer<Option<Session>> {
        self.memory.sessions.find_by_digest(digest).await
    }

    async fn record_uses(&self, uses: &[SessionUse]) -> Answer<()> {
        let _journal = self.record(Call::RecordSessionUses { uses: uses.to_vec() }).await?;
        self.memory.sessions.record_uses(uses).await
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Answer<u32> {
        self.memory.sessions.count_good(at, max).await
    }

    async fn purge_ended(&self, before: Timestamp, max: u32) -> Answer<u32> {
        let _journal = self.record(Call::PurgeSessions { before, max }).await?;
        self.memory.sessions.purge_ended(before, max).await
    }
}
