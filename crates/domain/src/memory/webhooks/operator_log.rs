use std::ops::Bound;

use async_trait::async_trait;

use super::{Lane, MemoryWebhookStore, StoredEvent};
use crate::ports::{
    EventPage, FailingPlace, FailingSubscription, ListEventsRequest, LoggedEvent, OperatorLog, StoreError,
};
use crate::webhooks::{Event, Payload, Subscription};
use crate::{EventId, SubscriptionId};

#[async_trait]
impl OperatorLog for MemoryWebhookStore {
    async fn subscriptions(&self, after: Option<SubscriptionId>, max: u32) -> Result<Vec<Subscription>, StoreError> {
        let tables = self.tables();
        let above = tables.lanes.range((after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded));
        let stored = above.filter(|(_, lane)| lane.deleted_at.is_none());
        Ok(stored.take(max as usize).map(|(_, lane)| lane.subscription.clone()).collect())
    }

    async fn failing(&self, after: Option<FailingPlace>, max: u32) -> Result<Vec<FailingSubscription>, StoreError> {
        let tables = self.tables();
        let failing = |lane: &Lane| FailingSubscription {
            subscription: lane.subscription.clone(),
            breaker: lane.breaker,
            last_attempt: tables.health(lane).last_attempt,
        };
        let open = tables.lanes.values().filter(|lane| lane.is_open()).map(failing);
        let mut failing: Vec<_> = open.filter(|one| one.place().is_some_and(|place| Some(place) > after)).collect();
        failing.sort_by_key(FailingSubscription::place);
        failing.truncate(max as usize);
        Ok(failing)
    }

    async fn list_events(&self, request: &ListEventsRequest) -> Result<EventPage, StoreError> {
        let ListEventsRequest { filter, before, max } = request;
        let tables = self.tables();
        let newest_first = tables.events.values().rev();
        let older = newest_first.filter(|stored| before.is_none_or(|before| stored.event.id < before));
        let mut wanted = older.filter(|stored| filter.matches(&stored.event));
        let events: Vec<LoggedEvent> = wanted.by_ref().take(*max as usize).map(without_payload).collect();
        let next = events.last().map(|logged| logged.event.id).filter(|_| wanted.next().is_some());
        Ok(EventPage { events, next })
    }

    async fn find_event(&self, id: EventId) -> Result<Option<LoggedEvent>, StoreError> {
        let found = |stored: &StoredEvent| LoggedEvent { event: stored.event.clone(), deliveries: stored.deliveries };
        Ok(self.tables().events.get(&id).map(found))
    }
}

fn without_payload(stored: &StoredEvent) -> LoggedEvent {
    let event = Event { payload: Payload::from_bytes(Vec::new()), ..stored.event.clone() };
    LoggedEvent { event, deliveries: stored.deliveries }
}
