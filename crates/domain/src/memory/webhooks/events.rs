use std::collections::{BTreeMap, HashMap, HashSet};

use async_trait::async_trait;

use super::{Lane, MemoryWebhookStore, StoredDelivery, StoredEvent, Tables};
use crate::ports::{Accepted, EventStore, Publication, StoreError};
use crate::webhooks::{
    Delivery, DeliveryEnd, DirectClaim, Event, FilteredPayload, NewEvent, Payload, QueuedDelivery, Subscription,
};
use crate::{DeliveryId, EventId, SubscriptionId};

impl Tables {
    /// The index of the first event with a publisher id that belongs to another event, stored or earlier in the same
    /// call. `Err` if an event that is not a repetition has the id of another event.
    fn conflict(&self, events: &[NewEvent]) -> Result<Option<usize>, StoreError> {
        let (mut named, mut ids) = (HashMap::new(), HashSet::new());
        for (index, new) in events.iter().enumerate() {
            if let Some(publication) = &new.publication {
                let key = (&new.event.owner, &publication.id);
                let stored = self.publications.get(&(key.0.clone(), key.1.clone())).map(|(content, _)| *content);
                match stored.or_else(|| named.insert(key, publication.content)) {
                    Some(content) if content != publication.content => return Ok(Some(index)),
                    Some(_) => continue,
                    None => {}
                }
            }
            if self.events.contains_key(&new.event.id) || !ids.insert(new.event.id) {
                return Err(StoreError::Duplicate { what: "id" });
            }
        }
        Ok(None)
    }

    /// The event that was published under the same key.
    fn published(&self, new: &NewEvent) -> Option<Accepted> {
        let key = (new.event.owner.clone(), new.publication.as_ref()?.id.clone());
        let (_, first) = self.publications.get(&key)?;
        let stored = self.events.get(first)?;
        Some(Accepted { event: stored.event.clone(), deliveries: stored.deliveries, is_duplicate: true })
    }

    /// The subscriptions that receive the event, and the disabled ones that miss it.
    fn receivers(&self, new: &NewEvent) -> (Vec<SubscriptionId>, Vec<SubscriptionId>) {
        let subscriptions = self.lanes.values().filter(|lane| lane.belongs_to(&new.event.owner));
        let payload = FilteredPayload::new(&new.event.payload);
        let asks = |one: &Subscription| match new.only {
            Some(only) => only == one.id,
            None => one.events.matches(&new.event.event_type) && payload.passes(one.filter.as_ref()),
        };
        let counts = |one: &&Subscription| one.status.is_enabled() || (new.is_missed() && !one.url.is_pull());
        let asking = subscriptions.map(|lane| &lane.subscription).filter(counts).filter(|one| asks(one));
        let (open, closed): (Vec<&Subscription>, _) = asking.partition(|one| one.status.is_enabled());
        [open, closed].map(|those| those.into_iter().map(|one| one.id).collect()).into()
    }

    /// Adds the event to the log of the subscription; `false` if it has none.
    fn log(&mut self, subscription: SubscriptionId, event: EventId) -> bool {
        let Some(lane) = self.lanes.get_mut(&subscription).filter(|lane| lane.is_pulled()) else { return false };
        let number = lane.count_up();
        self.logs.entry(subscription).or_default().events.insert(number, event);
        true
    }

    fn accept(&mut self, new: &NewEvent, claim: &mut Option<DirectClaim>) -> Accepted {
        if let Some(published) = self.published(new) {
            return published;
        }
        let event = new.event.clone();
        let (receivers, missing) = self.receivers(new);
        let has_none = receivers.is_empty() && missing.is_empty();
        if has_none && !new.is_stored_without_deliveries() {
            return Accepted { event, deliveries: 0, is_duplicate: false };
        }
        for subscription in &receivers {
            if self.log(*subscription, event.id) {
                continue;
            }
            let is_suspended = self.owners.is_suspended(&new.event.owner);
            let sequence = self.lanes.get_mut(subscription).and_then(Lane::next_sequence);
            let lane = self.lanes.get(subscription).filter(|_| !is_suspended);
            let lane = lane.and_then(|lane| lane.to_claim(Vec::new()));
            let queued = match claim.as_mut().zip(lane) {
                Some((claim, lane)) => claim.publish(new, &lane),
                None => QueuedDelivery::published(event.created_at),
            };
            let stored = StoredDelivery::first(new, *subscription, queued.numbered(sequence));
            self.deliveries.insert(stored.delivery.id, stored);
        }
        for subscription in missing {
            let mut stored = StoredDelivery::first(new, subscription, QueuedDelivery::published(event.created_at));
            stored.end(DeliveryEnd::Missed, event.created_at);
            self.deliveries.insert(stored.delivery.id, stored);
        }
        let deliveries = u32::try_from(receivers.len()).unwrap_or(u32::MAX);
        let payload = if has_none { Payload::from_bytes(Vec::new()) } else { event.payload.clone() };
        let stored = StoredEvent { event: Event { payload, ..event.clone() }, deliveries, trace: new.trace };
        self.events.insert(event.id, stored);
        if let Some(key) = &new.publication {
            self.publications.insert((event.owner.clone(), key.id.clone()), (key.content, event.id));
        }
        Accepted { event, deliveries, is_duplicate: false }
    }
}

impl StoredDelivery {
    fn first(new: &NewEvent, subscription: SubscriptionId, queued: QueuedDelivery) -> Self {
        let event = &new.event;
        let delivery = Delivery {
            id: DeliveryId::of(event.id, subscription),
            event_id: event.id,
            event_type: event.event_type.clone(),
            subscription_id: subscription,
            state: queued.state(),
            attempts: queued.attempts,
            created_at: event.created_at,
        };
        Self { delivery, queued: Some(queued), attempts: BTreeMap::new() }
    }
}

#[async_trait]
impl EventStore for MemoryWebhookStore {
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let mut tables = self.tables();
        if let Some(index) = tables.conflict(events)? {
            return Ok(Publication::Conflict { index });
        }
        let mut claim = events.first().and_then(|new| self.claims.begin(new.event.created_at));
        let accepted = events.iter().map(|new| tables.accept(new, &mut claim)).collect();
        if let Some(claim) = claim {
            claim.stored();
        }
        Ok(Publication::Accepted(accepted))
    }
}
