use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::pending;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::memory::{MemoryWebhookStore, unique_cause};
use domain::ports::{
    Accepted, ChangeSubscriptionRequest, ClaimId, ClaimRequest, ClaimedLane, DeliveryCommands, DeliveryLog, HandedOver,
    ListDeliveriesRequest, ListSubscriptionsRequest, RecoverRequest, ReplaceSecretsRequest, RetryRequest,
    SealedSecretStore, StoreError, SubscriptionStore,
};
use domain::webhooks::{
    AttemptRecord, Breaker, DeliveryFilter, ListedDelivery, PublisherId, Recoverable, SealedOptions, SealedSecrets,
    Subscription, SubscriptionChange, SubscriptionHealth,
};
use domain::{DeliveryId, KeyId, OwnerId, SubscriptionId, Timestamp};
use tokio::task::yield_now;

use super::fault::Fault;

/// The time between two statements of a store on a database.
const STATEMENT_DURATION: Duration = Duration::from_millis(1);

/// The reference adapter with one fault: the fault changes a call or an answer on the way.
pub(crate) struct Saboteur {
    pub(crate) fault: Fault,
    pub(crate) inner: MemoryWebhookStore,
    memo: Mutex<Memo>,
    pub(super) alone: tokio::sync::Mutex<()>,
}

/// The memory of a fault.
#[derive(Default)]
pub(crate) struct Memo {
    /// Set while a call holds the lock of [`Fault::LeavesItsLockBehind`].
    pub(crate) held: bool,
    /// The owners of all subscriptions that ever existed.
    pub(crate) owners: BTreeMap<SubscriptionId, OwnerId>,
    pub(crate) secrets: BTreeMap<SubscriptionId, SealedSecrets>,
    pub(crate) deleted: HashSet<SubscriptionId>,
    pub(crate) without_secrets: HashSet<SubscriptionId>,
    pub(crate) breakers: HashMap<SubscriptionId, Breaker>,
    pub(crate) pauses: HashMap<SubscriptionId, Timestamp>,
    pub(crate) rests: HashMap<SubscriptionId, Timestamp>,
    pub(crate) asleep: HashSet<SubscriptionId>,
    /// The time of the last empty claim.
    pub(crate) looked_until: Option<Timestamp>,
    pub(crate) gone: HashSet<SubscriptionId>,
    pub(crate) last_attempts: HashMap<SubscriptionId, AttemptRecord>,
    /// The claim that holds a delivery, and its end.
    pub(crate) claims: HashMap<DeliveryId, (ClaimId, Timestamp)>,
    pub(crate) last_claim: Vec<ClaimedLane>,
    pub(crate) offered: Option<ClaimRequest>,
    /// The deliveries that are handed over next, and the last ones.
    pub(crate) handed_over: Vec<HandedOver>,
    pub(crate) came_out: Vec<HandedOver>,
    pub(crate) published: HashMap<(OwnerId, PublisherId), Accepted>,
    pub(crate) attempts_are_gone: bool,
}

impl Saboteur {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            fault,
            inner: MemoryWebhookStore::default(),
            memo: Mutex::default(),
            alone: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    pub(crate) fn memo(&self) -> MutexGuard<'_, Memo> {
        self.memo.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits without end for a lock that a dropped call has left behind.
    pub(crate) async fn enter(&self) {
        if self.memo().held {
            pending::<()>().await;
        }
    }

    /// A point at which the call may be dropped, which leaves the lock behind if this is the fault.
    pub(crate) async fn suspend(&self) {
        if self.is(Fault::LeavesItsLockBehind) {
            self.memo().held = true;
            yield_now().await;
            self.memo().held = false;
        }
    }

    /// Lets other calls run between two steps that belong together.
    pub(crate) async fn gap(&self) {
        tokio::time::sleep(STATEMENT_DURATION).await;
    }

    /// Fails during other calls, if this is the fault.
    pub(crate) async fn alone(&self) -> Result<Option<tokio::sync::MutexGuard<'_, ()>>, StoreError> {
        if !self.is(Fault::FailsInRaces) {
            return Ok(None);
        }
        let alone = self.alone.try_lock().map_err(|_| failure())?;
        self.gap().await;
        Ok(Some(alone))
    }

    /// The owner that the store takes the user for.
    pub(crate) fn as_known(&self, owner: &OwnerId) -> OwnerId {
        if !self.is(Fault::IgnoresCaseOfOwners) {
            return owner.clone();
        }
        OwnerId::new(owner.issuer(), owner.subject().to_lowercase()).expect("a user in lower case is one")
    }

    pub(crate) fn as_known_in(&self, request: &ListSubscriptionsRequest) -> ListSubscriptionsRequest {
        ListSubscriptionsRequest { owner: self.as_known(&request.owner), ..request.clone() }
    }

    /// All of the owner's subscriptions.
    pub(crate) async fn every_subscription_of(&self, owner: &OwnerId) -> Vec<Subscription> {
        let request = ListSubscriptionsRequest { owner: owner.clone(), before: None, max: u32::MAX };
        SubscriptionStore::list(&self.inner, &request).await.expect("the reference never fails")
    }

    /// The owner's deliveries that pass the filter.
    pub(crate) async fn deliveries_of(&self, owner: &OwnerId, filter: DeliveryFilter) -> Vec<ListedDelivery> {
        let request = ListDeliveriesRequest { owner: owner.clone(), filter, before: None, max: u32::MAX };
        DeliveryLog::list(&self.inner, &request).await.expect("the reference never fails").deliveries
    }

    pub(crate) fn as_written(&self, at: Timestamp) -> Timestamp {
        if self.is(Fault::LosesMilliseconds) { whole_second(at) } else { at }
    }

    pub(crate) fn known(&self) -> Vec<(SubscriptionId, OwnerId)> {
        self.memo().owners.iter().map(|(id, owner)| (*id, owner.clone())).collect()
    }

    pub(crate) async fn stored(&self, id: SubscriptionId) -> Option<(Subscription, SubscriptionHealth)> {
        let owner = self.memo().owners.get(&id).cloned()?;
        SubscriptionStore::find(&self.inner, &owner, id).await.ok()?
    }

    /// The keys that have set the URLs of enabled subscriptions.
    pub(crate) async fn keys_of_enabled(&self) -> Vec<KeyId> {
        let ids: Vec<SubscriptionId> = self.memo().owners.keys().copied().collect();
        let mut keys = Vec::new();
        for id in ids {
            let enabled = self.stored(id).await.filter(|(one, _)| one.status.is_enabled());
            keys.extend(enabled.and_then(|(one, _)| one.url_set_by));
        }
        keys
    }

    /// Stores other options behind its owner's back.
    pub(crate) async fn put_options(&self, id: SubscriptionId, options: SealedOptions) {
        let stored = self.inner.find_secrets(id).await.expect("the reference never fails");
        if let Some(from) = stored {
            let to = SealedSecrets { options, ..from.clone() };
            let request = ReplaceSecretsRequest { id, from, to };
            self.inner.replace_secrets(&request).await.expect("the reference never fails");
        }
    }

    /// Changes the subscription behind its owner's back.
    pub(crate) async fn put_change(&self, id: SubscriptionId, change: SubscriptionChange, at: Timestamp) {
        let Some(owner) = self.memo().owners.get(&id).cloned() else { return };
        let request = ChangeSubscriptionRequest { owner, id, change, at, cause: unique_cause() };
        self.inner.update(&request).await.expect("the reference never fails");
    }

    /// Enables the subscription with a breaker as new, and makes at most `max` of its deliveries due.
    pub(crate) async fn recover_all(&self, owner: OwnerId, id: SubscriptionId, retry: RetryRequest, max: u32) {
        let (filter, cause) = (Recoverable::All.into(), unique_cause());
        let request = RecoverRequest { owner, subscription: id, retry, filter, after: None, max, cause, enables: true };
        self.inner.recover(&request).await.expect("the reference never fails");
    }
}

pub(crate) fn whole_second(at: Timestamp) -> Timestamp {
    let millis = at.unix_millis();
    Timestamp::from_unix_millis(millis - millis.rem_euclid(1_000)).unwrap_or(at)
}

pub(crate) fn failure() -> StoreError {
    StoreError::Unavailable("sabotage".into())
}
