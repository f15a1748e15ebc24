//! The four ports of webhooks on maps.

mod delivery_commands;
mod delivery_log;
mod events;
mod queue;
mod subscriptions;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::webhooks::{
    AttemptRecord, Breaker, ContentDigest, Delivery, DeliveryEnd, DeliveryState, Event, PublisherId, QueuedDelivery,
    SealedSecrets, Subscription,
};
use crate::{DeliveryId, EventId, SubscriptionId, Timestamp, UserId};

/// Subscriptions, events and deliveries in maps, behind one lock: each method is atomic because it holds it. It looks
/// at every delivery to find those that are due, so it suits some thousands of them.
#[derive(Debug, Default)]
pub struct MemoryWebhookStore(Mutex<Tables>);

impl MemoryWebhookStore {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
struct Tables {
    lanes: BTreeMap<SubscriptionId, Lane>,
    events: BTreeMap<EventId, StoredEvent>,
    publications: HashMap<(UserId, PublisherId), (ContentDigest, EventId)>,
    deliveries: BTreeMap<DeliveryId, StoredDelivery>,
    /// How often a lane was served.
    turns: u64,
}

/// A subscription and its lane. A deleted one stays as long as there are deliveries to it.
#[derive(Debug)]
struct Lane {
    subscription: Subscription,
    /// `None` once it is deleted.
    secrets: Option<SealedSecrets>,
    breaker: Breaker,
    /// When it was served last, and in which turn.
    served: Option<(Timestamp, u64)>,
}

#[derive(Debug)]
struct StoredEvent {
    event: Event,
    /// How many deliveries it was fanned out to.
    deliveries: u32,
}

#[derive(Debug)]
struct StoredDelivery {
    /// As its owner sees it.
    delivery: Delivery,
    /// As the queue sees it; `None` once it has ended.
    queued: Option<QueuedDelivery>,
    attempts: BTreeMap<u32, AttemptRecord>,
}

impl Lane {
    fn is_open(&self) -> bool {
        self.secrets.is_some() && self.subscription.status.is_enabled()
    }

    /// What ends the deliveries of the lane, once it is closed.
    fn end(&self) -> DeliveryEnd {
        if self.secrets.is_some() { DeliveryEnd::SubscriptionDisabled } else { DeliveryEnd::SubscriptionDeleted }
    }

    /// Whether it is the owner's, and not deleted.
    fn belongs_to(&self, owner: &UserId) -> bool {
        self.secrets.is_some() && self.subscription.owner == *owner
    }
}

impl StoredDelivery {
    /// Whether a claim holds it.
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

    /// Starts a new run of the schedule.
    fn replay(&mut self, at: Timestamp) {
        self.queue(QueuedDelivery::replayed(self.delivery.attempts, at));
    }
}

impl Tables {
    /// The owner's subscription.
    fn lane_of(&mut self, owner: &UserId, id: SubscriptionId) -> Option<&mut Lane> {
        self.lanes.get_mut(&id).filter(|lane| lane.belongs_to(owner))
    }

    /// The owner's delivery.
    fn delivery_of(&mut self, owner: &UserId, id: DeliveryId) -> Option<&mut StoredDelivery> {
        let stored = self.deliveries.get_mut(&id)?;
        self.events.get(&stored.delivery.event_id).is_some_and(|stored| stored.event.owner == *owner).then_some(stored)
    }

    /// The owner's deliveries, the oldest first.
    fn deliveries_of(&self, owner: &UserId) -> impl DoubleEndedIterator<Item = &StoredDelivery> {
        let is_theirs = move |event| self.events.get(event).is_some_and(|stored| stored.event.owner == *owner);
        self.deliveries.values().filter(move |stored| is_theirs(&stored.delivery.event_id))
    }

    /// Deliveries to this subscription, the oldest first.
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
