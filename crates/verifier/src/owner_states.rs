use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use domain::ports::{
    ChangeOwnerRequest, ChangedOwner, ListOwnersRequest, OwnerStore, SetOwnerStateRequest, StoreError,
};
use domain::webhooks::OwnerNumber;
use domain::{OwnerId, OwnerPage, OwnerRecord};
use quick_cache::sync::Cache;
use tokio::time::Instant;

use crate::OWNER_STATE_TTL;
use crate::answers::Remembered;
use crate::evicting_store::to_the_end;

/// The most owners whose state the cache remembers.
const OWNERS_CACHED_MAX: usize = 10_000;

/// The records of owners, and the states of those who called with an ID token a moment ago. Keys and sessions do not ask
/// here: a key or session of a suspended owner is not good.
pub struct OwnerStates {
    store: Arc<dyn OwnerStore>,
    /// What is cached of keys and of sessions.
    answers: [Arc<dyn Remembered>; 2],
    states: Cache<OwnerId, Known>,
    /// How many states this process has changed. A state that was read before the last change is not used.
    changes: Arc<AtomicU64>,
}

/// A state that a read of the store found.
#[derive(Clone, Copy)]
struct Known {
    is_suspended: bool,
    until: Instant,
    /// How many states this process had changed when the read began.
    changes: u64,
}

impl OwnerStates {
    pub(crate) fn new(store: Arc<dyn OwnerStore>, answers: [Arc<dyn Remembered>; 2]) -> Self {
        Self { store, answers, states: Cache::new(OWNERS_CACHED_MAX), changes: Arc::default() }
    }

    /// Whether the owner is suspended. The answer is at most [`OWNER_STATE_TTL`] old, and knows every change that this
    /// process has made. Of several concurrent calls for one owner, one reads the store.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn is_suspended(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        if let Some(known) = self.states.get(owner) {
            if self.is_fresh(known) {
                return Ok(known.is_suspended);
            }
            self.states.remove_if(owner, |stored| !self.is_fresh(*stored));
        }
        let known = self.states.get_or_insert_async(owner, self.read(owner)).await?;
        // Another call may have begun to read before the last change.
        if self.is_fresh(known) { Ok(known.is_suspended) } else { Ok(self.read(owner).await?.is_suspended) }
    }

    async fn read(&self, owner: &OwnerId) -> Result<Known, StoreError> {
        let (changes, until) = (self.changes.load(Ordering::Acquire), Instant::now() + OWNER_STATE_TTL);
        let record = self.store.find(owner).await?;
        Ok(Known { is_suspended: record.suspension.is_some(), until, changes })
    }

    fn is_fresh(&self, known: Known) -> bool {
        Instant::now() < known.until && known.changes == self.changes.load(Ordering::Acquire)
    }
}

#[async_trait]
impl OwnerStore for OwnerStates {
    async fn find(&self, owner: &OwnerId) -> Result<OwnerRecord, StoreError> {
        self.store.find(owner).await
    }

    async fn change(&self, request: &ChangeOwnerRequest) -> Result<ChangedOwner, StoreError> {
        self.store.change(request).await
    }

    async fn set_state(&self, request: &SetOwnerStateRequest) -> Result<OwnerRecord, StoreError> {
        let (store, answers, request) = (Arc::clone(&self.store), self.answers.clone(), request.clone());
        let changes = Arc::clone(&self.changes);
        to_the_end(async move {
            let record = store.set_state(&request).await;
            // Also after an error: the state may be changed all the same.
            let owners = [OwnerNumber::of(&request.owner)].into();
            for kind in &answers {
                kind.evict_owners(&owners);
            }
            changes.fetch_add(1, Ordering::AcqRel);
            record
        })
        .await
    }

    async fn list(&self, request: &ListOwnersRequest) -> Result<OwnerPage, StoreError> {
        self.store.list(request).await
    }
}
