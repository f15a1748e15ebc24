use std::collections::HashSet;

use async_trait::async_trait;

use super::{Lane, MemoryWebhookStore, StoredDelivery, Tables};
use crate::ports::{
    CancelDeliveryRequest, DeliveryCommands, RecoverRequest, Recovered, Retained, Retention, RetryByHand,
    RetryDeliveryRequest, RetryFailedRequest, RetryOfFailed, RetryRequest, StoreError,
};
use crate::webhooks::{Breaker, Delivery, DeliveryEnd, DeliveryState, DeliveryStateKind, Recoverable};
use crate::{EventId, Hour, SubscriptionId, Timestamp};

/// Whether a recovery reads the delivery.
pub(super) fn is_lost(delivery: &Delivery, request: RetryRequest, what: Recoverable) -> bool {
    let is_old = delivery.created_at < request.published_since;
    !is_old
        && match delivery.state {
            DeliveryState::Waiting(due_at) => what.has_failed() && due_at > request.at,
            state if state.kind() == DeliveryStateKind::Failed => what.has_failed(),
            state => what.has_missed() && state.kind() == DeliveryStateKind::Missed,
        }
}

impl Tables {
    fn bring_back(&mut self, subscription: SubscriptionId, request: &RecoverRequest) -> Recovered {
        let &RecoverRequest { retry, ref filter, max, .. } = request;
        let is_ordered = self.lanes.get(&subscription).is_some_and(|lane| lane.subscription.options.order.is_some());
        let to_it = |stored: &&mut StoredDelivery| stored.delivery.subscription_id == subscription;
        let lost = self.deliveries.values_mut().filter(to_it).filter(|one| is_lost(&one.delivery, retry, filter.what));
        let lost = lost.filter(|one| request.after.is_none_or(|after| one.delivery.id > after));
        let mut lane = self.lanes.get_mut(&subscription);
        let mut bring_back = |stored: &mut StoredDelivery| {
            let sequence = match stored.queued {
                Some(queued) => queued.sequence,
                None => lane.as_mut().and_then(|lane| lane.next_sequence()),
            };
            stored.replay(retry.at, sequence);
        };
        let mut lost: Vec<&mut StoredDelivery> = lost.collect();
        request.cut(&mut lost, is_ordered, |stored| stored.delivery.id.as_bytes());
        let rest = request.rest(lost.len(), lost.last().map(|stored| stored.delivery.id));
        lost.retain(|stored| filter.has_type(&stored.delivery.event_type));
        lost.sort_unstable_by_key(|stored| stored.delivery.event_id);
        let deliveries = lost.into_iter().map(&mut bring_back).count();
        Recovered { deliveries: u32::try_from(deliveries).unwrap_or(max), rest }
    }

    fn purge_deliveries(&mut self, before: Timestamp, max: u32) -> usize {
        let is_past = |one: &Delivery| one.created_at < before && matches!(one.state, DeliveryState::Ended { .. });
        self.deliveries.extract_if(.., |_, stored| is_past(&stored.delivery)).take(max as usize).count()
    }

    fn purge_events(&mut self, before: Timestamp, max: u32) -> usize {
        let needed: HashSet<EventId> = self.deliveries.values().map(|stored| stored.delivery.event_id).collect();
        let past = self.events.values().filter(|stored| stored.event.created_at < before);
        let past = past.map(|stored| stored.event.id).filter(|id| !needed.contains(id));
        let past: HashSet<EventId> = past.take(max as usize).collect();
        self.events.retain(|id, _| !past.contains(id));
        self.publications.retain(|_, (_, id)| !past.contains(id));
        for log in self.logs.values_mut() {
            log.events.retain(|_, event| *event >= EventId::first_at(before));
        }
        past.len()
    }

    fn purge_subscriptions(&mut self, before: Timestamp, max: u32) -> usize {
        let deleted = self.lanes.iter().filter(|(_, lane)| lane.deleted_at.is_some_and(|at| at < before));
        let unused = deleted.map(|(id, _)| *id).filter(|id| self.deliveries_to(*id).next().is_none());
        let unused: HashSet<SubscriptionId> = unused.take(max as usize).collect();
        self.lanes.retain(|id, _| !unused.contains(id));
        self.logs.retain(|id, _| !unused.contains(id));
        unused.len()
    }
}

#[async_trait]
impl DeliveryCommands for MemoryWebhookStore {
    async fn retry(&self, request: &RetryDeliveryRequest) -> Result<RetryByHand, StoreError> {
        let &RetryDeliveryRequest { ref owner, id, retry, ref cause } = request;
        let mut tables = self.tables();
        let Some(delivery) = tables.delivery_of(owner, id).map(|stored| stored.delivery.clone()) else {
            return Ok(RetryByHand::NotFound);
        };
        if !tables.lanes.get(&delivery.subscription_id).is_some_and(Lane::is_open) {
            return Ok(RetryByHand::LaneClosed);
        }
        if delivery.created_at < retry.published_since {
            return Ok(RetryByHand::TooOld);
        }
        let Some(stored) = tables.deliveries.get_mut(&id) else { return Ok(RetryByHand::NotFound) };
        if !stored.is_out(retry.at) {
            stored.replay(retry.at, stored.queued.and_then(|queued| queued.sequence));
            self.audit.write([cause.delivery_retried(&stored.delivery, owner)]);
        }
        Ok(RetryByHand::Due(stored.delivery.clone()))
    }

    async fn cancel(&self, request: &CancelDeliveryRequest) -> Result<Option<Delivery>, StoreError> {
        let &CancelDeliveryRequest { ref owner, id, at, ref cause } = request;
        let mut tables = self.tables();
        let Some(stored) = tables.delivery_of(owner, id) else { return Ok(None) };
        if stored.queued.is_some() {
            stored.end(DeliveryEnd::Cancelled, at);
            self.audit.write([cause.delivery_cancelled(&stored.delivery, owner)]);
        }
        Ok(Some(stored.delivery.clone()))
    }

    async fn retry_failed(&self, request: &RetryFailedRequest) -> Result<RetryOfFailed, StoreError> {
        let &RetryFailedRequest { ref owner, subscription, ref ids, retry, ref cause } = request;
        let mut tables = self.tables();
        let Some(lane) = tables.lane_of(owner, subscription) else { return Ok(RetryOfFailed::NotFound) };
        if !lane.is_open() {
            return Ok(RetryOfFailed::LaneClosed);
        }
        let mut retried = Vec::new();
        for id in ids {
            let found = tables.deliveries.get_mut(id).filter(|one| {
                one.delivery.subscription_id == subscription
                    && one.delivery.created_at >= retry.published_since
                    && one.delivery.state.kind() == DeliveryStateKind::Failed
            });
            if let Some(stored) = found {
                stored.replay(retry.at, None);
                retried.push(*id);
            }
        }
        let due = u32::try_from(retried.len()).unwrap_or(u32::MAX);
        self.audit.write(cause.deliveries_retried(owner, retried));
        Ok(RetryOfFailed::Due(due))
    }

    async fn recover(&self, request: &RecoverRequest) -> Result<Option<Recovered>, StoreError> {
        let &RecoverRequest { ref owner, subscription, retry, enables, ref cause, .. } = request;
        let mut tables = self.tables();
        let lane = tables.lane_of(owner, subscription).filter(|lane| enables || lane.is_open());
        let Some(before) = lane.map(|lane| lane.subscription.clone()) else { return Ok(None) };
        let mut after = before.clone();
        if enables {
            after = before.enabled_at(retry.at);
            tables.change_to(&after, retry.at);
            if let Some(lane) = tables.lanes.get_mut(&subscription) {
                lane.breaker = Breaker::default();
            }
        }
        let recovered = tables.bring_back(subscription, request);
        if enables || recovered.deliveries > 0 {
            self.audit.write([cause.subscription_recovered(&before, &after, recovered.deliveries)]);
        }
        Ok(Some(recovered))
    }
}

#[async_trait]
impl Retention for MemoryWebhookStore {
    async fn purge(&self, what: Retained, before: Timestamp, max: u32) -> Result<u32, StoreError> {
        let mut tables = self.tables();
        let purged = match what {
            Retained::Webhooks => {
                tables.purge_deliveries(before, max)
                    + tables.purge_events(before, max)
                    + tables.purge_subscriptions(before, max)
            }
            Retained::Outcomes => tables.outcomes.purge(Hour::of(before), max) as usize,
            _ => 0,
        };
        Ok(u32::try_from(purged).unwrap_or(u32::MAX))
    }
}
