use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::memory::MemorySessionStore;
use domain::ports::{
    ChangeFeed, CredentialChanges, CredentialStore, FeedPosition, FeedRead, Found, Retained, Retention, SessionStore,
    StoreError,
};
use domain::sessions::{Session, SessionUse};
use domain::{CredentialDigest, OwnerId, SessionId, Timestamp};
use storage_conformance::{Instances, SharedSessionStore};
use tokio::sync::Mutex;

/// The time between two steps of a store that asks a database.
const STATEMENT_DURATION: Duration = Duration::from_millis(1);

/// The fault of a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    None,
    LeavesOutTheSurplus,
    LeavesOutEndsOfAll,
    ListsTwice,
    ListsOpenings,
    ListsPurges,
    ListsBeforeItEnds,
    ListsAfterItEnds,
}

/// A correct store, with a feed that has one fault.
pub(crate) struct Liar {
    lie: Lie,
    store: MemorySessionStore,
    /// The feed. Held while a change is made.
    listed: Mutex<Vec<CredentialDigest>>,
    /// The digests of all sessions.
    opened: Mutex<HashMap<SessionId, CredentialDigest>>,
}

impl Liar {
    pub(crate) fn instances(lie: Lie) -> Instances<dyn SharedSessionStore> {
        let liar = Arc::new(Self {
            lie,
            store: MemorySessionStore::default(),
            listed: Mutex::default(),
            opened: Mutex::default(),
        });
        [liar.clone(), liar]
    }

    fn is(&self, lie: Lie) -> bool {
        self.lie == lie
    }

    /// Makes the change, and lists the ended sessions.
    async fn change<T>(&self, change: impl Future<Output = T>, ended: impl Fn(&T) -> Vec<CredentialDigest>) -> T {
        let mut listed = self.listed.lock().await;
        let answer = change.await;
        if self.is(Lie::ListsAfterItEnds) {
            drop(listed);
            tokio::time::sleep(STATEMENT_DURATION).await;
            listed = self.listed.lock().await;
        }
        let times = if self.is(Lie::ListsTwice) { 2 } else { 1 };
        for _ in 0..times {
            listed.extend(ended(&answer));
        }
        answer
    }
}

#[async_trait]
impl ChangeFeed for Liar {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        let listed = self.listed.lock().await;
        let position = FeedPosition::new(listed.len().to_string());
        let start = since.and_then(|since| since.as_str().parse::<usize>().ok());
        let new = start.map(|start| listed[start..].to_vec()).filter(|new| new.len() <= max as usize);
        Ok(FeedRead {
            changes: new.map_or(CredentialChanges::OfAny, CredentialChanges::Of),
            position,
            at: Timestamp::MIN,
        })
    }

    async fn forget_changes(&self, _: &FeedPosition) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl SessionStore for Liar {
    async fn open(
        &self,
        session: &Session,
        digest: &CredentialDigest,
        max: u32,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        self.opened.lock().await.insert(session.id, *digest);
        let listed = |answer: &Result<Vec<CredentialDigest>, StoreError>| match self.lie {
            Lie::LeavesOutTheSurplus => Vec::new(),
            Lie::ListsOpenings => vec![*digest],
            _ => answer.iter().flatten().copied().collect(),
        };
        self.change(self.store.open(session, digest, max, cause), listed).await
    }

    async fn list(&self, owner: &OwnerId, at: Timestamp) -> Result<Vec<Session>, StoreError> {
        self.store.list(owner, at).await
    }

    async fn end(&self, owner: &OwnerId, id: SessionId, cause: &Cause) -> Result<Option<CredentialDigest>, StoreError> {
        if self.is(Lie::ListsBeforeItEnds) {
            let digest = self.opened.lock().await.remove(&id);
            self.listed.lock().await.extend(digest);
            tokio::time::sleep(STATEMENT_DURATION).await;
            return self.store.end(owner, id, cause).await;
        }
        self.change(self.store.end(owner, id, cause), |answer| {
            answer.as_ref().ok().copied().flatten().into_iter().collect()
        })
        .await
    }

    async fn end_all(
        &self,
        owner: &OwnerId,
        kept: Option<SessionId>,
        cause: &Cause,
    ) -> Result<Vec<CredentialDigest>, StoreError> {
        let is_left_out = self.is(Lie::LeavesOutEndsOfAll);
        let listed = |answer: &Result<Vec<CredentialDigest>, StoreError>| match answer {
            Ok(ended) if !is_left_out => ended.clone(),
            _ => Vec::new(),
        };
        self.change(self.store.end_all(owner, kept, cause), listed).await
    }

    async fn count_good(&self, at: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.store.count_good(at, max).await
    }
}

#[async_trait]
impl Retention for Liar {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let purged = self.store.purge(what, before, max).await?;
        if self.is(Lie::ListsPurges) && purged > 0 {
            self.listed.lock().await.push(CredentialDigest::from_bytes([0; 32]));
        }
        Ok(purged)
    }
}

#[async_trait]
impl CredentialStore<Session> for Liar {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Session> {
        self.store.find_by_digests(digests).await
    }

    async fn record_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError> {
        self.store.record_uses(uses).await
    }
}
