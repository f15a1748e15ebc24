//! Stores with a feed of changes that has one fault.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{
    ChangeFeed, CredentialChanges, CredentialStore, FeedPosition, FeedRead, Found, Retained, Retention, StoreError,
    StoredCredential,
};
use domain::{CredentialDigest, CredentialUse, SessionId, Timestamp};
use tokio::sync::Mutex;

/// The time between two steps of a store that asks a database.
pub(crate) const STATEMENT_DURATION: Duration = Duration::from_millis(1);

/// The fault of a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    None,
    ListsOnlyItsOwn,
    LeavesOutRotations,
    LeavesOutAllKeysOfUsers,
    LeavesOutRepetitions,
    LeavesOutTheSurplus,
    LeavesOutEndsOfAll,
    ListsTwice,
    ListsRefusals,
    ListsOpenings,
    ListsPurges,
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
pub(crate) struct Liar<Store> {
    pub(crate) lie: Lie,
    is_first: bool,
    shared: Arc<Shared<Store>>,
}

#[derive(Default)]
struct Shared<Store> {
    store: Store,
    /// The feed, and whether the first instance made the change. Held while a change is made.
    listed: Mutex<Vec<(CredentialDigest, bool)>>,
    /// The digests of opened sessions.
    opened: Mutex<HashMap<SessionId, CredentialDigest>>,
    is_late: AtomicBool,
    /// How many changes have begun.
    begun: AtomicU32,
}

impl<Store: Default> Liar<Store> {
    pub(crate) fn instances(lie: Lie) -> [Arc<Self>; 2] {
        let shared = Arc::<Shared<Store>>::default();
        [true, false].map(|is_first| Arc::new(Self { lie, is_first, shared: Arc::clone(&shared) }))
    }
}

impl<Store> Liar<Store> {
    pub(crate) fn store(&self) -> &Store {
        &self.shared.store
    }

    pub(crate) fn opened(&self) -> &Mutex<HashMap<SessionId, CredentialDigest>> {
        &self.shared.opened
    }

    pub(crate) async fn list_falsely(&self, digests: &[CredentialDigest]) {
        let mut listed = self.shared.listed.lock().await;
        listed.extend(digests.iter().map(|digest| (*digest, self.is_first)));
    }
}

impl<Store: ChangeFeed> Liar<Store> {
    /// Makes the change, and lists its digests.
    pub(crate) async fn change<T>(&self, change: impl Future<Output = T>) -> T {
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
}

#[async_trait]
impl<Store: ChangeFeed> ChangeFeed for Liar<Store> {
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

    async fn forget_changes(&self, _: &FeedPosition) -> Result<(), StoreError> {
        if self.lie == Lie::ForgetsWhatCameAfter {
            self.shared.listed.lock().await.clear();
        }
        Ok(())
    }
}

#[async_trait]
impl<Stored: StoredCredential, Store: CredentialStore<Stored>> CredentialStore<Stored> for Liar<Store> {
    async fn find_by_digests(&self, digests: &[CredentialDigest]) -> Found<Stored> {
        self.shared.store.find_by_digests(digests).await
    }

    async fn record_uses(&self, uses: &[CredentialUse<Stored::Id>]) -> Result<(), StoreError> {
        self.shared.store.record_uses(uses).await
    }
}

#[async_trait]
impl<Store: Retention> Retention for Liar<Store> {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let purged = self.shared.store.purge(what, before, max).await?;
        if self.lie == Lie::ListsPurges && purged > 0 {
            self.list_falsely(&[CredentialDigest::from_bytes([0; 32])]).await;
        }
        Ok(purged)
    }
}
