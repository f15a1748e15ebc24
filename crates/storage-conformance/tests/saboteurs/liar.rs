use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::memory::MemoryKeyStore;
use domain::ports::{
    ActiveLimit, ChangeFeed, Insertion, KeyChange, KeyChangeKind, KeyStore, RecentChanges, Revocation, Rotation,
    StoreError,
};
use domain::{ApiKey, KeyDigest, KeyId, KeyRotation, KeyUse, ListView, Timestamp, UserId};
use storage_conformance::Instances;
use tokio::sync::Mutex;

/// What lies between two steps of a store that asks a database.
const STATEMENT_DURATION: Duration = Duration::from_millis(1);

/// What is wrong with what a store tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    None,
    TellsOnlyItself,
    KeepsRotationsToItself,
    TellsTwice,
    TellsRefusals,
    CutsAtTheMax,
    OverflowsOnLongWindows,
    ForgetsTheYoung,
    TellsBeforeItChanges,
    TellsAfterItAnswers,
    TellsAfterItChanges,
}

/// A store that is right, with a feed that is right but for one lie.
pub(crate) struct Liar {
    lie: Lie,
    is_first: bool,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    store: MemoryKeyStore,
    /// What is told, and whether the first instance made it. Held while a change is made.
    told: Mutex<Vec<(KeyChange, bool)>>,
    is_late: AtomicBool,
}

impl Liar {
    pub(crate) fn instances(lie: Lie) -> Instances {
        let shared = Arc::new(Shared::default());
        [true, false].map(|is_first| -> Arc<dyn storage_conformance::SharedStore> {
            Arc::new(Self { lie, is_first, shared: Arc::clone(&shared) })
        })
    }

    /// Makes the change, and tells what became of it.
    async fn change<T>(&self, change: impl Future<Output = T>) -> T {
        let mut told = self.shared.told.lock().await;
        let before = self.made().await.len();
        let answer = change.await;
        let new = self.made().await.split_off(before);
        if self.lie == Lie::TellsAfterItChanges {
            drop(told);
            tokio::time::sleep(STATEMENT_DURATION).await;
            told = self.shared.told.lock().await;
        }
        if self.lie == Lie::TellsAfterItAnswers && !new.is_empty() {
            self.shared.is_late.store(true, Ordering::SeqCst);
        }
        let is_told =
            |change: &KeyChange| self.lie != Lie::KeepsRotationsToItself || change.kind != KeyChangeKind::Rotated;
        let times = if self.lie == Lie::TellsTwice { 2 } else { 1 };
        told.extend(new.into_iter().filter(is_told).flat_map(|change| [(change, self.is_first)].repeat(times)));
        answer
    }

    /// The changes that were really made.
    async fn made(&self) -> Vec<KeyChange> {
        match self.shared.store.changes_within(Duration::MAX, u32::MAX).await {
            Ok(RecentChanges::All(changes)) => changes,
            other => panic!("the store in memory tells all: {other:?}"),
        }
    }

    async fn tell(&self, digest: KeyDigest) {
        let change = KeyChange { digest, kind: KeyChangeKind::Revoked };
        self.shared.told.lock().await.push((change, self.is_first));
    }
}

#[async_trait]
impl ChangeFeed for Liar {
    async fn changes_within(&self, window: Duration, max: u32) -> Result<RecentChanges, StoreError> {
        if self.lie == Lie::OverflowsOnLongWindows && window == Duration::MAX {
            return Err(StoreError::Unavailable("sabotage".into()));
        }
        let told = self.shared.told.lock().await;
        let is_mine = |first: bool| self.lie != Lie::TellsOnlyItself || first == self.is_first;
        let mut changes: Vec<KeyChange> =
            told.iter().filter(|(_, first)| is_mine(*first)).map(|(change, _)| *change).collect();
        if self.shared.is_late.swap(false, Ordering::SeqCst) {
            changes.pop();
        }
        if self.lie == Lie::CutsAtTheMax {
            changes.truncate(max as usize);
        }
        let all = changes.len() <= max as usize;
        Ok(if all { RecentChanges::All(changes) } else { RecentChanges::TooMany })
    }

    async fn hint(&self) {
        std::future::pending::<()>().await;
    }

    async fn forget_changes(&self, _: Duration) -> Result<(), StoreError> {
        if self.lie == Lie::ForgetsTheYoung {
            self.shared.told.lock().await.clear();
        }
        Ok(())
    }
}

#[async_trait]
impl KeyStore for Liar {
    async fn insert_within(
        &self,
        key: &ApiKey,
        digest: &KeyDigest,
        limit: ActiveLimit,
        view: ListView,
    ) -> Result<Insertion, StoreError> {
        self.shared.store.insert_within(key, digest, limit, view).await
    }

    async fn list(&self, owner: &UserId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        self.shared.store.list(owner, view).await
    }

    async fn revoke(&self, owner: &UserId, id: KeyId, at: Timestamp, view: ListView) -> Result<Revocation, StoreError> {
        let revocation = self.change(self.shared.store.revoke(owner, id, at, view)).await?;
        if self.lie == Lie::TellsRefusals && !matches!(revocation, Revocation::Revoked { .. }) {
            self.tell(KeyDigest::from_bytes([0; 32])).await;
        }
        Ok(revocation)
    }

    async fn rotate(
        &self,
        owner: &UserId,
        id: KeyId,
        rotation: &KeyRotation,
        digest: &KeyDigest,
        view: ListView,
    ) -> Result<Rotation, StoreError> {
        self.change(self.shared.store.rotate(owner, id, rotation, digest, view)).await
    }

    async fn revoke_by_digests(
        &self,
        digests: &[KeyDigest],
        at: Timestamp,
    ) -> Result<Vec<(KeyDigest, ApiKey)>, StoreError> {
        if self.lie == Lie::TellsBeforeItChanges {
            for digest in digests {
                self.tell(*digest).await;
            }
            tokio::time::sleep(STATEMENT_DURATION).await;
        }
        self.change(self.shared.store.revoke_by_digests(digests, at)).await
    }

    async fn find_by_digest(&self, digest: &KeyDigest) -> Result<Option<ApiKey>, StoreError> {
        self.shared.store.find_by_digest(digest).await
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.shared.store.record_uses(uses).await
    }

    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.shared.store.purge_ended(before, max).await
    }
}
