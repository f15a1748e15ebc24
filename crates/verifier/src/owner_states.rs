use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::audit::Cause;
use domain::ports::{
    ChangeOwnerRequest, ChangedOwner, ListOwnersRequest, OwnerStore, SetOwnerStateRequest, StoreError,
};
use domain::webhooks::OwnerNumber;
use domain::{OwnerChange, OwnerId, OwnerPage, OwnerRecord, RateLimit, Timestamp};
use quick_cache::sync::Cache;
use tokio::time::Instant;

use crate::OWNER_STATE_TTL;
use crate::answers::Remembered;
use crate::evicting_store::to_the_end;

/// The most owners whose state the cache remembers.
const OWNERS_CACHED_MAX: usize = 10_000;
/// The shortest time between two recorded sign-ins of a user.
const SEEN_AGAIN: Duration = Duration::from_hours(24);

/// The records of owners, and the states and limits of the owners who called with an ID token a moment ago. Keys and sessions
/// do not ask here: a key or session of a suspended owner is not good, and has the limits of its owner.
pub struct OwnerStates {
    store: Arc<dyn OwnerStore>,
    /// What is cached of keys and of sessions.
    answers: [Arc<dyn Remembered>; 2],
    states: Cache<OwnerId, Known>,
    /// How many states and limits this process has changed. A state that was read before the last change is not used.
    changes: Arc<AtomicU64>,
}

/// A state that a read of the store found.
#[derive(Clone, Copy)]
struct Known {
    is_suspended: bool,
    request_rate_limit: Option<RateLimit>,
    seen_at: Option<Timestamp>,
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
        Ok(self.known(owner).await?.is_suspended)
    }

    /// How often the owner may call, if the owner's record says it. See [`OwnerStates::is_suspended`], which reads the same.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn request_rate_limit(&self, owner: &OwnerId) -> Result<Option<RateLimit>, StoreError> {
        Ok(self.known(owner).await?.request_rate_limit)
    }

    /// Records a sign-in of the user at this time, unless the record has one of the 24 hours before.
    ///
    /// # Errors
    ///
    /// When the store fails. The next call tries again.
    pub async fn see(&self, user: &OwnerId, at: Timestamp, cause: Cause) -> Result<(), StoreError> {
        let known = self.known(user).await?;
        if known.is_suspended || known.seen_at.is_some_and(|seen_at| at < seen_at.plus(SEEN_AGAIN)) {
            return Ok(());
        }
        // One of several concurrent calls writes.
        self.states.insert(user.clone(), Known { seen_at: Some(at), ..known });
        let change = OwnerChange { seen_at: Some(at), ..OwnerChange::default() };
        let noted = self.store.change(&ChangeOwnerRequest { owner: user.clone(), change, cause }).await;
        if noted.is_err() {
            self.states.remove(user);
        }
        noted.map(drop)
    }

    async fn known(&self, owner: &OwnerId) -> Result<Known, StoreError> {
        if let Some(known) = self.states.get(owner) {
            if self.is_fresh(known) {
                return Ok(known);
            }
            self.states.remove_if(owner, |stored| !self.is_fresh(*stored));
        }
        let known = self.states.get_or_insert_async(owner, self.read(owner)).await?;
        // Another call may have begun to read before the last change.
        if self.is_fresh(known) { Ok(known) } else { self.read(owner).await }
    }

    async fn read(&self, owner: &OwnerId) -> Result<Known, StoreError> {
        let (changes, until) = (self.changes.load(Ordering::Acquire), Instant::now() + OWNER_STATE_TTL);
        let record = self.store.find(owner).await?;
        let (is_suspended, seen_at) = (record.suspension.is_some(), record.seen_at);
        Ok(Known { is_suspended, request_rate_limit: record.rates.request_rate_limit, seen_at, until, changes })
    }

    /// Makes a change that keys and sessions in the cache must see, and evicts those of the owner.
    async fn write<Answer: Send + 'static>(
        &self,
        owner: &OwnerId,
        change: impl Future<Output = Result<Answer, StoreError>> + Send + 'static,
    ) -> Result<Answer, StoreError> {
        let (answers, changes, owner) = (self.answers.clone(), Arc::clone(&self.changes), OwnerNumber::of(owner));
        to_the_end(async move {
            let answer = change.await;
            // Also after an error: the record may be changed all the same.
            for kind in &answers {
                kind.evict_owners(&[owner].into());
            }
            changes.fetch_add(1, Ordering::AcqRel);
            answer
        })
        .await
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
        if !request.change.has_rates() {
            return self.store.change(request).await;
        }
        let (store, change) = (Arc::clone(&self.store), request.clone());
        self.write(&request.owner, async move { store.change(&change).await }).await
    }

    async fn set_state(&self, request: &SetOwnerStateRequest) -> Result<OwnerRecord, StoreError> {
        let (store, change) = (Arc::clone(&self.store), request.clone());
        self.write(&request.owner, async move { store.set_state(&change).await }).await
    }

    async fn list(&self, request: &ListOwnersRequest) -> Result<OwnerPage, StoreError> {
        self.store.list(request).await
    }
}
