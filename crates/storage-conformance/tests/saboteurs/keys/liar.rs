use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::memory::MemoryKeyStore;
use domain::ports::{
    ChangeFeed, ChangeKeyRequest, ChangedKey, CredentialChanges, CredentialStore, FeedPosition, FeedRead, Found,
    InsertKeyRequest, Insertion, KeyStore, KeyUsageStore, ListExpiringRequest, Retained, Retention, Revocation,
    RevokeDigestsRequest, RevokeKeyRequest, RevokeUserKeysRequest, RotateKeyRequest, Rotation, StoreError,
    UsageRequest,
};
use domain::{ApiKey, CredentialDigest, Hour, KeyUsage, KeyUse, ListView, OwnerId, Timestamp, UsageCounts};
use storage_conformance::Instances;
use tokio::sync::Mutex;

/// The time between two steps of a store that asks a database.
const STATEMENT_DURATION: Duration = Duration::from_millis(1);

/// The fault of a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    None,
    ListsOnlyItsOwn,
    LeavesOutRotations,
    LeavesOutAllKeysOfUsers,
    LeavesOutRepetitions,
    ListsTwice,
    ListsRefusals,
    CutsAtTheMax,
    ForgetsWhatCameAfter,
    ListsBeforeItChanges,
    ListsAfterItAnswers,
    ListsAfterItChanges,
    /// A change has the place of the start of its call, before changes that were committed in between.
    OrdersByTheBeginning,
    /// Tells the time of the instance, which is ahead on one of them.
    TellsItsOwnTime,
    /// Tells the time at which it was opened.
    TellsAnOldTime,
}

/// A correct store, with a feed that has one fault.
pub(crate) struct Liar {
    lie: Lie,
    is_first: bool,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    store: MemoryKeyStore,
    /// The feed, and whether the first instance made the change. Held while a change is made.
    listed: Mutex<Vec<(CredentialDigest, bool)>>,
    is_late: AtomicBool,
    /// How many changes have begun.
    begun: AtomicU32,
}

impl Liar {
    pub(crate) fn instances(lie: Lie) -> Instances {
        let shared = Arc::new(Shared::default());
        [true, false].map(|is_first| -> Arc<dyn storage_conformance::SharedStore> {
            Arc::new(Self { lie, is_first, shared: Arc::clone(&shared) })
        })
    }

    /// Makes the change, and lists its digests.
    async fn change<T>(&self, change: impl Future<Output = T>) -> T {
        let beginning = self.shared.listed.lock().await.len();
        if self.lie == Lie::OrdersByTheBeginning {
            // Some transactions take longer than others, and readers come in between.
            let begun = self.shared.begun.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(STATEMENT_DURATION * (begun % 10)).await;
        }
        let mut listed = self.shared.listed.lock().await;
        let before = self.made().await.len();
        let answer = change.await;
        let new = self.made().await.split_off(before);
        if self.lie == Lie::ListsAfterItChanges {
            drop(listed);
            tokio::time::sleep(STATEMENT_DURATION).await;
            listed = self.shared.listed.lock().await;
        }
        if self.lie == Lie::ListsAfterItAnswers && !new.is_empty() {
            self.shared.is_late.store(true, Ordering::SeqCst);
        }
        let times = if self.lie == Lie::ListsTwice { 2 } else { 1 };
        let at = if self.lie == Lie::OrdersByTheBeginning { beginning } else { listed.len() };
        let is_repetition = |digest: &CredentialDigest| listed.iter().any(|(other, _)| other == digest);
        let kept = |digest: &CredentialDigest| self.lie != Lie::LeavesOutRepetitions || !is_repetition(digest);
        let new: Vec<CredentialDigest> = new.into_iter().filter(kept).collect();
        listed.splice(at..at, new.into_iter().flat_map(|digest| [(digest, self.is_first)].repeat(times)));
        answer
    }

    /// The changes that were really made.
    async fn made(&self) -> Vec<CredentialDigest> {
        match self.shared.store.changes_since(Some(&FeedPosition::new("0")), u32::MAX).await.map(|read| read.changes) {
            Ok(CredentialChanges::Of(changed)) => changed,
            other => panic!("the store in memory lists all changes: {other:?}"),
        }
    }

    /// The time by the store's clock.
    async fn time(&self) -> Result<Timestamp, StoreError> {
        let at = self.shared.store.changes_since(None, 0).await?.at;
        Ok(match self.lie {
            Lie::TellsItsOwnTime if self.is_first => at.plus(Duration::from_secs(45)),
            Lie::TellsAnOldTime => Timestamp::MIN,
            _ => at,
        })
    }

    async fn list_falsely(&self, digest: CredentialDigest) {
        self.shared.listed.lock().await.push((digest, self.is_first));
    }
}

#[async_trait]
impl ChangeFeed for Liar {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        let at = self.time().await?;
        let listed = self.shared.listed.lock().await;
        let is_late = self.shared.is_late.swap(false, Ordering::SeqCst);
        let end = listed.len() - usize::from(is_late && !listed.is_empty());
        let position = FeedPosition::new(end.to_string());
        let Some(start) = since.and_then(|since| since.as_str().parse::<usize>().ok()) else {
            return Ok(FeedRead { changes: CredentialChanges::OfAny, position, at });
        };
        let is_mine = |first: bool| self.lie != Lie::ListsOnlyItsOwn || first == self.is_first;
        let new = listed.iter().take(end).skip(start).filter(|(_, first)| is_mine(*first));
        let mut changed: Vec<CredentialDigest> = new.map(|(digest, _)| *digest).collect();
        if self.lie == Lie::CutsAtTheMax {
            changed.truncate(max as usize);
        }
        let all = changed.len() <= max as usize;
        Ok(FeedRead {
            changes: if all { CredentialChanges::Of(changed) } else { CredentialChanges::OfAny },
            position,
            at,
        })
    }

    async fn hint(&self) {
        std::future::pending::<()>().await;
    }

    async fn forget_changes(&self, _: &FeedPosition) -> Result<(), StoreError> {
        if self.lie == Lie::ForgetsWhatCameAfter {
            self.shared.listed.lock().await.clear();
        }
        Ok(())
    }
}

#[async_trait]
impl KeyStore for Liar {
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError> {
        self.shared.store.insert_within(request).await
    }

    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError> {
        self.shared.store.list(owner, view).await
    }

    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError> {
        let revocation = self.change(self.shared.store.revoke(request)).await?;
        if self.lie == Lie::ListsRefusals && !matches!(revocation, Revocation::Revoked { .. }) {
            self.list_falsely(CredentialDigest::from_bytes([0; 32])).await;
        }
        Ok(revocation)
    }

    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError> {
        let rotate = self.shared.store.rotate(request);
        // The store in memory lists it, but this feed does not.
        if self.lie == Lie::LeavesOutRotations { rotate.await } else { self.change(rotate).await }
    }

    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError> {
        self.change(self.shared.store.change(request)).await
    }

    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
        let RevokeDigestsRequest { digests, .. } = request;
        if self.lie == Lie::ListsBeforeItChanges {
            for digest in digests {
                self.list_falsely(*digest).await;
            }
            tokio::time::sleep(STATEMENT_DURATION).await;
        }
        self.change(self.shared.store.revoke_by_digests(request)).await
    }

    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError> {
        let revoke = self.shared.store.revoke_user_keys(request);
        if self.lie == Lie::LeavesOutAllKeysOfUsers { revoke.await } else { self.change(revoke).await }
    }

    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError> {
        self.shared.store.list_expiring(request).await
    }
}

#[async_trait]
impl CredentialStore<ApiKey> for Liar {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<ApiKey> {
        self.shared.store.find_by_digests(digests).await
    }

    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError> {
        self.shared.store.record_uses(uses).await
    }
}

#[async_trait]
impl KeyUsageStore for Liar {
    async fn add_usage(&self, usage: &[KeyUsage]) -> Result<(), StoreError> {
        self.shared.store.add_usage(usage).await
    }

    async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError> {
        self.shared.store.usage(request).await
    }
}

#[async_trait]
impl Retention for Liar {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        self.shared.store.purge(what, before, max).await
    }
}
