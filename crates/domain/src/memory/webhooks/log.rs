use std::collections::HashSet;

use async_trait::async_trait;

use super::{Lane, MemoryWebhookStore, StoredDelivery, Tables};
use crate::ports::{AttemptCursor, DeliveryLog, DeliveryPage, LoggedAttempt, RetryByHand, RetryRequest, StoreError};
use crate::webhooks::{
    AttemptRecord, Breaker, Delivery, DeliveryEnd, DeliveryFilter, DeliveryHistory, DeliveryState, DeliveryStateKind,
    SubscriptionChange,
};
use crate::{DeliveryId, EventId, SubscriptionId, Timestamp, UserId};

/// Whether `recover` brings the delivery back.
fn is_recovered(delivery: &Delivery, request: RetryRequest) -> bool {
    let is_old = delivery.created_at < request.published_since;
    !is_old
        && match delivery.state {
            DeliveryState::Waiting(due_at) => due_at > request.at,
            state => state.kind() == DeliveryStateKind::Failed,
        }
}

impl Tables {
    fn purge_deliveries(&mut self, before: Timestamp, max: u32) -> usize {
        let is_past =
            |delivery: &Delivery| delivery.created_at < before && matches!(delivery.state, DeliveryState::Ended { .. });
        let past = self.deliveries.values().filter(|stored| is_past(&stored.delivery));
        let past: HashSet<DeliveryId> = past.map(|stored| stored.delivery.id).take(max as usize).collect();
        self.deliveries.retain(|id, _| !past.contains(id));
        past.len()
    }

    fn purge_events(&mut self, before: Timestamp, max: u32) -> usize {
        let needed: HashSet<EventId> = self.deliveries.values().map(|stored| stored.delivery.event_id).collect();
        let past = self.events.values().filter(|stored| stored.event.created_at < before);
        let past = past.map(|stored| stored.event.id).filter(|id| !needed.contains(id));
        let past: HashSet<EventId> = past.take(max as usize).collect();
        self.events.retain(|id, _| !past.contains(id));
        self.publications.retain(|_, (_, id)| !past.contains(id));
        past.len()
    }

    fn purge_subscriptions(&mut self, max: u32) -> usize {
        let deleted = self.lanes.iter().filter(|(_, lane)| lane.secrets.is_none());
        let unused = deleted.map(|(id, _)| *id).filter(|id| self.deliveries_to(*id).next().is_none());
        let unused: HashSet<SubscriptionId> = unused.take(max as usize).collect();
        self.lanes.retain(|id, _| !unused.contains(id));
        unused.len()
    }
}

#[async_trait]
impl DeliveryLog for MemoryWebhookStore {
    async fn list(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError> {
        let tables = self.tables();
        let newest_first = tables.deliveries_of(owner).rev().map(|stored| &stored.delivery);
        let older = newest_first.filter(|delivery| before.is_none_or(|before| delivery.id < before));
        let mut wanted = older.filter(|delivery| filter.matches(delivery)).cloned();
        let deliveries: Vec<Delivery> = wanted.by_ref().take(max as usize).collect();
        let next = deliveries.last().map(|delivery| delivery.id).filter(|_| wanted.next().is_some());
        Ok(DeliveryPage { deliveries, next })
    }

    async fn find(&self, owner: &UserId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        let mut tables = self.tables();
        let Some(stored) = tables.delivery_of(owner, id) else { return Ok(None) };
        let (delivery, attempts) = (stored.delivery.clone(), stored.attempts.values().cloned().collect());
        let event = tables.events.get(&delivery.event_id).map(|stored| stored.event.clone());
        Ok(event.map(|event| DeliveryHistory { delivery, event, attempts }))
    }

    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError> {
        let mut tables = self.tables();
        let Some(delivery) = tables.delivery_of(owner, id).map(|stored| stored.delivery.clone()) else {
            return Ok(RetryByHand::NotFound);
        };
        if !tables.lanes.get(&delivery.subscription_id).is_some_and(Lane::is_open) {
            return Ok(RetryByHand::LaneClosed);
        }
        if delivery.created_at < request.published_since {
            return Ok(RetryByHand::TooOld);
        }
        let Some(stored) = tables.deliveries.get_mut(&id) else { return Ok(RetryByHand::NotFound) };
        if !stored.is_out(request.at) {
            stored.replay(request.at);
        }
        Ok(RetryByHand::Due(stored.delivery.clone()))
    }

    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError> {
        let mut tables = self.tables();
        let Some(stored) = tables.delivery_of(owner, id) else { return Ok(None) };
        if stored.due_at().is_some() {
            stored.end(DeliveryEnd::Cancelled, at);
        }
        Ok(Some(stored.delivery.clone()))
    }

    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError> {
        let mut tables = self.tables();
        let enable = SubscriptionChange { enabled: Some(true), ..SubscriptionChange::default() };
        if tables.change(owner, subscription, &enable, request.at).is_none() {
            return Ok(None);
        }
        if let Some(lane) = tables.lanes.get_mut(&subscription) {
            lane.breaker = Breaker::default();
        }
        let to_it = |stored: &&mut StoredDelivery| stored.delivery.subscription_id == subscription;
        let lost = tables.deliveries.values_mut().filter(to_it).filter(|one| is_recovered(&one.delivery, request));
        let recovered = lost.take(max as usize).map(|stored| stored.replay(request.at)).count();
        Ok(Some(u32::try_from(recovered).unwrap_or(max)))
    }

    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError> {
        let tables = self.tables();
        let mut logged = Vec::new();
        for stored in tables.deliveries_of(owner) {
            let Delivery { id, event_id, subscription_id, .. } = stored.delivery;
            for attempt in stored.attempts.values() {
                let cursor = AttemptCursor { ended_at: attempt.ended_at(), delivery: id, number: attempt.number };
                let attempt = AttemptRecord { excerpt: Vec::new(), ..attempt.clone() };
                let entry = LoggedAttempt { subscription: subscription_id, delivery: id, event: event_id, attempt };
                logged.push((cursor, entry));
            }
        }
        logged.retain(|(cursor, one)| *cursor > after && subscription.is_none_or(|wanted| wanted == one.subscription));
        logged.sort_unstable_by_key(|(cursor, _)| *cursor);
        Ok(logged.into_iter().take(max as usize).map(|(_, attempt)| attempt).collect())
    }

    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let mut tables = self.tables();
        let purged =
            tables.purge_deliveries(before, max) + tables.purge_events(before, max) + tables.purge_subscriptions(max);
        Ok(u32::try_from(purged).unwrap_or(u32::MAX))
    }
}
