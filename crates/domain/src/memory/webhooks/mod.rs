//! The storage ports of webhooks on maps.

mod delivery_commands;
mod delivery_log;
mod events;
mod operator_log;
mod pulled_events;
mod queue;
mod store_figures;
mod subscriptions;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use super::audit::MemoryAuditLog;
use super::by_hour::MemoryCounts;
use super::lock;
use super::owners::MemoryOwners;
use crate::webhooks::{
    AttemptRecord, Breaker, ContentDigest, Delivery, DeliveryEnd, DeliveryState, DirectClaims, Event, FailedDelivery,
    FailureCause, ListedDelivery, OutcomeCounts, PublisherId, QueuedDelivery, SealedSecret, SealedSecrets,
    Subscription,
};
use crate::{DeliveryId, EventId, OwnerId, SubscriptionId, Timestamp, TraceContext};
use pulled_events::StoredLog;

/// Subscriptions, events and deliveries in maps behind one lock. Each method holds the lock, and is therefore atomic. A
/// claim reads every delivery to find the due ones, which is fast enough for some thousands of deliveries.
#[derive(Debug, Default)]
pub struct MemoryWebhookStore {
    tables: Arc<Mutex<Tables>>,
    audit: MemoryAuditLog,
    claims: Arc<DirectClaims>,
}

impl MemoryWebhookStore {
    /// The store, which writes to this audit log from now on.
    #[must_use]
    pub fn writing_to(self, audit: MemoryAuditLog) -> Self {
        Self { audit, ..self }
    }

    /// The store with publications that claim for the dispatcher that offers its room here.
    #[must_use]
    pub fn claiming_for(self, claims: Arc<DirectClaims>) -> Self {
        Self { claims, ..self }
    }

    /// The same store in another process, which has its own dispatcher.
    #[must_use]
    pub fn in_another_process(&self) -> Self {
        Self { tables: Arc::clone(&self.tables), audit: self.audit.clone(), claims: Arc::default() }
    }

    /// The store, which obeys these records from now on.
    #[must_use]
    pub fn obeying(self, owners: MemoryOwners) -> Self {
        self.tables().owners = owners;
        self
    }

    /// The lanes, which rest while their owner is suspended.
    pub(super) fn lanes(&self) -> Arc<Mutex<Tables>> {
        Arc::clone(&self.tables)
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        lock(&self.tables)
    }

    /// Destroys a stored event, as a damaged database would. Its deliveries cannot be read any more.
    pub fn damage(&self, event: EventId) {
        self.tables().events.remove(&event);
    }

    /// Ends all claims, as a store does when the processes of the claims have ended.
    pub fn end_claims(&self, at: Timestamp) -> Vec<DeliveryId> {
        let mut tables = self.tables();
        let out = tables.deliveries.values_mut().filter(|stored| stored.is_out(at));
        out.filter_map(|stored| {
            stored.queue(stored.queued?.left(at));
            Some(stored.delivery.id)
        })
        .collect()
    }
}

#[derive(Debug, Default)]
pub(super) struct Tables {
    owners: MemoryOwners,
    /// See [`SealedSecretStore::keep_check`](crate::ports::SealedSecretStore::keep_check).
    check: Option<SealedSecret>,
    lanes: BTreeMap<SubscriptionId, Lane>,
    events: BTreeMap<EventId, StoredEvent>,
    publications: HashMap<(OwnerId, PublisherId), (ContentDigest, EventId)>,
    deliveries: BTreeMap<DeliveryId, StoredDelivery>,
    /// The logs of the subscriptions whose events are pulled.
    logs: BTreeMap<SubscriptionId, StoredLog>,
    outcomes: MemoryCounts<SubscriptionId, OutcomeCounts>,
    /// How many times a claim has taken deliveries of a lane.
    turns: u64,
}

/// A subscription and its lane. A deleted subscription stays while there are deliveries to it.
#[derive(Debug)]
struct Lane {
    subscription: Subscription,
    /// `None` if the subscription is deleted. Its options are those of the subscription: see [`Lane::sealed`].
    secrets: Option<SealedSecrets>,
    deleted_at: Option<Timestamp>,
    breaker: Breaker,
    /// Until when it rests, because of its rate.
    rests_until: Option<Timestamp>,
    /// The number of its last delivery in order, or of the last event in its log.
    last_sequence: u64,
    /// When a claim last took deliveries of it, and in which turn.
    served: Option<(Timestamp, u64)>,
}

#[derive(Debug)]
struct StoredEvent {
    event: Event,
    /// The number of its deliveries.
    deliveries: u32,
    /// The span of the publication.
    trace: Option<TraceContext>,
}

#[derive(Debug)]
struct StoredDelivery {
    /// The delivery as its owner sees it.
    delivery: Delivery,
    /// The delivery as the queue sees it; `None` if it has ended.
    queued: Option<QueuedDelivery>,
    attempts: BTreeMap<u32, AttemptRecord>,
}

impl Lane {
    fn is_open(&self) -> bool {
        self.secrets.is_some() && self.subscription.status.is_enabled()
    }

    /// The number of the next delivery; `None` without an order.
    fn next_sequence(&mut self) -> Option<u64> {
        self.subscription.options.order?;
        Some(self.count_up())
    }

    /// The next number.
    fn count_up(&mut self) -> u64 {
        self.last_sequence += 1;
        self.last_sequence
    }

    /// The secrets with the options.
    fn sealed(&self) -> Option<SealedSecrets> {
        let options = self.subscription.options.clone();
        self.secrets.clone().map(|secrets| SealedSecrets { options, ..secrets })
    }

    /// Keeps these secrets, with what the subscription shows of them.
    fn keep(&mut self, sealed: SealedSecrets) {
        self.subscription.signing = sealed.signing();
        self.subscription.options = sealed.options;
        self.secrets = Some(SealedSecrets { previous: sealed.previous, ..SealedSecrets::of(sealed.current) });
    }

    /// How the deliveries of the lane end if it is closed.
    fn end(&self) -> DeliveryEnd {
        if self.secrets.is_some() { DeliveryEnd::SubscriptionDisabled } else { DeliveryEnd::SubscriptionDeleted }
    }

    /// Whether it belongs to `owner` and is not deleted.
    fn belongs_to(&self, owner: &OwnerId) -> bool {
        self.secrets.is_some() && self.subscription.owner == *owner
    }
}

impl StoredDelivery {
    /// Whether a claim holds the delivery at `at`.
    fn is_out(&self, at: Timestamp) -> bool {
        self.queued.is_some_and(|queued| queued.is_out(at))
    }

    fn queue(&mut self, queued: QueuedDelivery) {
        (self.delivery.state, self.delivery.attempts) = (queued.state(), queued.attempts);
        self.queued = Some(queued);
    }

    fn end(&mut self, end: DeliveryEnd, at: Timestamp) {
        self.delivery.state = DeliveryState::Ended { end, at };
        self.queued = None;
    }

    /// The delivery with its last attempt.
    fn listed(&self) -> ListedDelivery {
        let last_attempt = self.attempts.last_key_value().map(|(_, attempt)| attempt.clone().brief());
        ListedDelivery { delivery: self.delivery.clone(), last_attempt }
    }

    /// The delivery, which has failed, with the end of its last attempt.
    fn failed(&self) -> FailedDelivery {
        let last = self.attempts.last_key_value().map(|(_, attempt)| attempt);
        let (failure, status) = (last.and_then(|last| last.failure), last.and_then(|last| last.status));
        FailedDelivery {
            id: self.delivery.id,
            cause: FailureCause::new(self.delivery.subscription_id, failure, status),
        }
    }

    /// Starts a new run of the schedule, with this number in the order of the lane.
    fn replay(&mut self, at: Timestamp, sequence: Option<u64>) {
        self.queue(QueuedDelivery::replayed(self.delivery.attempts, at, sequence));
    }
}

impl Tables {
    /// The owner was suspended from `since` until `until`.
    pub(super) fn rest(&mut self, owner: &OwnerId, since: Timestamp, until: Timestamp) {
        for lane in self.lanes.values_mut().filter(|lane| lane.subscription.owner == *owner) {
            lane.breaker = lane.breaker.rested(since, until);
        }
    }

    /// Deletes the owner's subscriptions, their deliveries, and the rows of subscriptions that were deleted before `settled`.
    /// Returns the number of rows.
    pub(super) fn erase(&mut self, owner: &OwnerId, at: Timestamp, settled: Timestamp) -> usize {
        let mut erased = 0;
        for lane in self.lanes.values_mut().filter(|lane| lane.belongs_to(owner)) {
            (lane.secrets, lane.deleted_at) = (None, Some(at));
            erased += 1;
        }
        let is_theirs = |lane: &Lane| lane.subscription.owner == *owner;
        let (lanes, events) = (&self.lanes, &mut self.events);
        erased += self
            .deliveries
            .extract_if(.., |_, one| lanes.get(&one.delivery.subscription_id).is_some_and(is_theirs))
            .map(|(_, one)| drop(events.remove(&one.delivery.event_id)))
            .count();
        erased += self
            .publications
            .extract_if(|(of, _), (_, event)| {
                let is_theirs = of == owner;
                if is_theirs {
                    events.remove(event);
                }
                is_theirs
            })
            .count();
        self.logs.retain(|id, _| !lanes.get(id).is_some_and(is_theirs));
        let is_settled = |lane: &Lane| lane.deleted_at.is_some_and(|deleted_at| deleted_at < settled);
        erased + self.lanes.extract_if(.., |_, lane| is_theirs(lane) && is_settled(lane)).count()
    }

    /// Whether the owner has subscriptions, also deleted ones.
    pub(super) fn knows(&self, owner: &OwnerId) -> bool {
        self.lanes.values().any(|lane| lane.subscription.owner == *owner)
    }

    /// The owners of all subscriptions.
    pub(super) fn subscribers(&self) -> impl Iterator<Item = &OwnerId> {
        self.lanes.values().map(|lane| &lane.subscription.owner)
    }

    /// How many subscriptions of the owner are enabled, and how many of these fail.
    pub(super) fn count_enabled(&self, owner: &OwnerId) -> (usize, usize) {
        let enabled = || self.lanes.values().filter(|lane| lane.subscription.owner == *owner && lane.is_open());
        (enabled().count(), enabled().filter(|lane| lane.breaker.failing_since.is_some()).count())
    }

    /// The owner's subscription.
    fn lane_of(&mut self, owner: &OwnerId, id: SubscriptionId) -> Option<&mut Lane> {
        self.lanes.get_mut(&id).filter(|lane| lane.belongs_to(owner))
    }

    /// The owner's delivery.
    fn delivery_of(&mut self, owner: &OwnerId, id: DeliveryId) -> Option<&mut StoredDelivery> {
        let stored = self.deliveries.get_mut(&id)?;
        self.events.get(&stored.delivery.event_id).is_some_and(|stored| stored.event.owner == *owner).then_some(stored)
    }

    /// The owner's deliveries, oldest first.
    fn deliveries_of(&self, owner: &OwnerId) -> impl DoubleEndedIterator<Item = &StoredDelivery> {
        let is_theirs = move |lane| self.lanes.get(lane).is_some_and(|lane| lane.subscription.owner == *owner);
        self.deliveries.values().filter(move |stored| is_theirs(&stored.delivery.subscription_id))
    }

    /// The deliveries to this subscription, oldest first.
    fn deliveries_to(&self, id: SubscriptionId) -> impl Iterator<Item = &StoredDelivery> {
        self.deliveries.values().filter(move |stored| stored.delivery.subscription_id == id)
    }

    /// Ends at most `max` deliveries of closed lanes that are not being sent.
    fn end_closed(&mut self, at: Timestamp, max: u32) -> u32 {
        let mut ended = 0;
        for stored in self.deliveries.values_mut().filter(|stored| stored.queued.is_some() && !stored.is_out(at)) {
            let lane = self.lanes.get(&stored.delivery.subscription_id).filter(|lane| !lane.is_open());
            if let Some(lane) = lane.filter(|_| ended < max) {
                stored.end(lane.end(), at);
                ended += 1;
            }
        }
        ended
    }
}
