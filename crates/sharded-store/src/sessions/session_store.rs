use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{CredentialStore, Found, SessionStore, StoreError};
use domain::sessions::{Session, SessionUse};
use domain::{CredentialDigest, OwnerId, SessionId, Timestamp};

use crate::ShardedStore;
use crate::fan_out::all;
use crate::shard::Shard;

#[async_trait]
impl SessionStore for ShardedStore {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        self.of(&session.owner).store.sessions.store.open(session, digest, max, cause).await
    }

    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        self.of(owner).store.sessions.store.list(owner, at).await
    }

    async fn end(&self, owner: &OwnerId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        self.of(owner).store.sessions.store.end(owner, id, cause).await
    }

    async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        self.of(owner).store.sessions.store.end_all(owner, kept, cause).await
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        let counts = all(&self.shards, |shard| shard.store.sessions.store.count_good(at, max)).await?;
        Ok(counts.into_iter().fold(0, u32::saturating_add).min(max))
    }
}

#[async_trait]
impl CredentialStore<Session> for ShardedStore {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Session> {
        self.find_in_shards(digests, |shard| &shard.store.sessions.credentials).await
    }

    async fn record_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError> {
        let record = |shard: Arc<Shard>, uses: Vec<SessionUse>| async move {
            shard.store.sessions.credentials.record_uses(&uses).await
        };
        self.spread(uses, |used| used.id.home(), record).await
    }
}
