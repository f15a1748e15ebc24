use std::collections::BTreeMap;

use async_trait::async_trait;

use super::delivery_commands::is_lost;
use super::{MemoryWebhookStore, StoredDelivery};
use crate::ports::{
    CountRecoverableRequest, DeliveryLog, DeliveryPage, ListAttemptsRequest, ListDeliveriesRequest, ListFailedRequest,
    LoggedAttempt, OutcomesRequest, StoreError,
};
use crate::webhooks::{
    Delivery, DeliveryHistory, DeliveryStateKind, FailedDelivery, ListedDelivery, OutcomeCounts, SHOWN_ATTEMPTS_MAX,
};
use crate::{DeliveryId, Hour, OwnerId, SubscriptionId};

#[async_trait]
impl DeliveryLog for MemoryWebhookStore {
    async fn list(&self, request: &ListDeliveriesRequest) -> Result<DeliveryPage, StoreError> {
        let ListDeliveriesRequest { owner, filter, before, max } = request;
        let tables = self.tables();
        let newest_first = tables.deliveries_of(owner).rev();
        let older = newest_first.filter(|stored| before.is_none_or(|before| stored.delivery.id < before));
        let mut wanted = older.filter(|stored| filter.matches(&stored.delivery));
        let deliveries: Vec<ListedDelivery> = wanted.by_ref().take(*max as usize).map(StoredDelivery::listed).collect();
        let next = deliveries.last().map(|listed| listed.delivery.id).filter(|_| wanted.next().is_some());
        Ok(DeliveryPage { deliveries, next })
    }

    async fn find(&self, owner: &OwnerId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError> {
        let mut tables = self.tables();
        let Some(stored) = tables.delivery_of(owner, id) else { return Ok(None) };
        let hidden = stored.attempts.len().saturating_sub(SHOWN_ATTEMPTS_MAX as usize);
        let (delivery, attempts) = (stored.delivery.clone(), stored.attempts.values().skip(hidden).cloned().collect());
        let event = tables.events.get(&delivery.event_id).map(|stored| stored.event.clone());
        let event = event.unwrap_or_else(|| delivery.lost_event(owner));
        Ok(Some(DeliveryHistory { delivery, event, attempts }))
    }

    async fn failed(&self, request: &ListFailedRequest) -> Result<Vec<FailedDelivery>, StoreError> {
        let &ListFailedRequest { ref owner, subscription, published_since, max } = request;
        let tables = self.tables();
        let is_meant = |one: &&StoredDelivery| {
            let id = one.delivery.subscription_id;
            subscription.is_none_or(|wanted| wanted == id)
                && tables.lanes.get(&id).is_some_and(|lane| lane.belongs_to(owner))
                && one.delivery.created_at >= published_since
                && one.delivery.state.kind() == DeliveryStateKind::Failed
        };
        let failed = tables.deliveries_of(owner).rev().filter(is_meant).take(max as usize);
        Ok(failed.map(StoredDelivery::failed).collect())
    }

    async fn count_recoverable(&self, request: &CountRecoverableRequest) -> Result<Option<u32>, StoreError> {
        let &CountRecoverableRequest { ref owner, subscription, retry, ref filter, max } = request;
        let mut tables = self.tables();
        if tables.lane_of(owner, subscription).is_none() {
            return Ok(None);
        }
        let lost = tables.deliveries_to(subscription).filter(|one| is_lost(&one.delivery, retry, filter.what));
        let lost = lost.filter(|one| filter.has_type(&one.delivery.event_type));
        Ok(Some(u32::try_from(lost.take(max as usize).count()).unwrap_or(max)))
    }

    async fn attempts_after(&self, request: &ListAttemptsRequest) -> Result<Vec<LoggedAttempt>, StoreError> {
        let &ListAttemptsRequest { ref owner, subscription, after, max } = request;
        let tables = self.tables();
        let mut logged = Vec::new();
        for stored in tables.deliveries_of(owner) {
            let Delivery { id, event_id, subscription_id, .. } = stored.delivery;
            for attempt in stored.attempts.values() {
                let attempt = attempt.clone().brief();
                logged.push(LoggedAttempt { subscription: subscription_id, delivery: id, event: event_id, attempt });
            }
        }
        logged.retain(|one| one.cursor() > after && subscription.is_none_or(|wanted| wanted == one.subscription));
        logged.sort_unstable_by_key(LoggedAttempt::cursor);
        logged.truncate(max as usize);
        Ok(logged)
    }

    async fn outcomes(&self, request: &OutcomesRequest) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError> {
        let &OutcomesRequest { ref owner, subscription, hours } = request;
        let tables = self.tables();
        let is_meant = |id: SubscriptionId| subscription.is_none_or(|wanted| wanted == id);
        let theirs = tables.lanes.iter().filter(|(id, lane)| lane.belongs_to(owner) && is_meant(**id));
        let ids: Vec<SubscriptionId> = theirs.map(|(id, _)| *id).collect();
        let is_known = subscription.is_none() || !ids.is_empty();
        Ok(is_known.then(|| tables.outcomes.of(&ids, hours)))
    }
}
