use async_trait::async_trait;
use domain::ports::{
    EventPage, FailingPlace, FailingSubscription, ListEventsRequest, LoggedEvent, OperatorLog, StoreError,
};
use domain::webhooks::Subscription;
use domain::{EventId, SubscriptionId};

use crate::ShardedStore;
use crate::fan_out::{all, first};
use crate::pages::{in_order, merged};

#[async_trait]
impl OperatorLog for ShardedStore {
    async fn subscriptions(&self, after: Option<SubscriptionId>, max: u32) -> Result<Vec<Subscription>, StoreError> {
        let lists = all(&self.shards, |shard| shard.store.webhooks.operator_log.subscriptions(after, max)).await?;
        Ok(in_order(lists, |subscription| subscription.id, max))
    }

    async fn failing(&self, after: Option<FailingPlace>, max: u32) -> Result<Vec<FailingSubscription>, StoreError> {
        let lists = all(&self.shards, |shard| shard.store.webhooks.operator_log.failing(after, max)).await?;
        Ok(in_order(lists, FailingSubscription::place, max))
    }

    async fn list_events(&self, request: &ListEventsRequest) -> Result<EventPage, StoreError> {
        if let Some(owner) = &request.filter.owner {
            return self.of(owner).store.webhooks.operator_log.list_events(request).await;
        }
        let pages = all(&self.shards, |shard| shard.store.webhooks.operator_log.list_events(request)).await?;
        let pages = pages.into_iter().map(|page| (page.events, page.next));
        let (events, next) = merged(pages, |logged| logged.event.id, request.max);
        Ok(EventPage { events, next })
    }

    async fn find_event(&self, id: EventId) -> Result<Option<LoggedEvent>, StoreError> {
        first(&self.shards, |shard| shard.store.webhooks.operator_log.find_event(id)).await
    }
}
