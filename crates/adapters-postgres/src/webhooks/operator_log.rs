use std::collections::HashMap;

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::{webhook_events, webhook_subscriptions};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{
    EventQuery, EventRow, FIND_FAILING, FailingRow, ListedEventRow, LoggedAttemptRow, SubscriptionRow, failing_after,
    logged_event,
};
use diesel_mapping::{Kept, bound, statement, values_of};
use domain::ports::{
    EventPage, FailingPlace, FailingSubscription, ListEventsRequest, LoggedAttempt, LoggedEvent, OperatorLog,
    StoreError,
};
use domain::webhooks::{AttemptRecord, Subscription};
use domain::{EventId, SubscriptionId};

use crate::PostgresStore;
use crate::attempt::{Failure, Work};

/// The last ended attempt of each of the subscriptions `$1`.
const LAST_ATTEMPTS: &str = "SELECT attempt.* FROM unnest($1) AS lane (id)
    CROSS JOIN LATERAL (
        SELECT subscription_id, delivery_id, event_id, number, started_at, ended_at, failure, status
        FROM webhook_attempts WHERE subscription_id = lane.id ORDER BY ended_at DESC LIMIT 1
    ) AS attempt";

#[async_trait]
impl OperatorLog for PostgresStore {
    async fn subscriptions(&self, after: Option<SubscriptionId>, max: u32) -> Result<Vec<Subscription>, StoreError> {
        self.run(&ListAll { after, max }).await
    }

    async fn failing(&self, after: Option<FailingPlace>, max: u32) -> Result<Vec<FailingSubscription>, StoreError> {
        self.run(&FindFailing { after, max }).await
    }

    async fn list_events(&self, request: &ListEventsRequest) -> Result<EventPage, StoreError> {
        self.run(&ListEvents(EventQuery::new(request))).await
    }

    async fn find_event(&self, id: EventId) -> Result<Option<LoggedEvent>, StoreError> {
        self.run(&FindEvent(id)).await
    }
}

/// A page of the subscriptions of all owners, without damaged ones.
struct ListAll {
    after: Option<SubscriptionId>,
    max: u32,
}

impl Work for ListAll {
    type Answer = Vec<Subscription>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<Subscription>, Failure> {
        let after = self.after.as_ref().map_or(&[][..], |after| after.as_bytes().as_slice());
        let rows: Vec<SubscriptionRow> = webhook_subscriptions::table
            .filter(webhook_subscriptions::deleted_at.is_null())
            .filter(webhook_subscriptions::id.gt(after))
            .order(webhook_subscriptions::id)
            .limit(self.max.into())
            .select(SubscriptionRow::as_select())
            .load(&mut &*connection)
            .await?;
        Ok(rows.into_iter().filter_map(|row| Subscription::try_from(row).ok()).collect())
    }
}

/// Finds failing subscriptions and the last attempt of each. Two statements that see different moments: the attempt may
/// be newer than the breaker.
struct FindFailing {
    after: Option<FailingPlace>,
    max: u32,
}

impl Work for FindFailing {
    type Answer = Vec<FailingSubscription>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let (since, id) = failing_after(self.after);
        let query = statement(FIND_FAILING)
            .bind::<Instant, _>(since)
            .bind::<Binary, _>(id)
            .bind::<BigInt, i64>(self.max.into());
        let rows: Vec<FailingRow> = Kept(query).load(&mut &*connection).await?;
        let mut failing: Vec<FailingSubscription> = values_of(rows)?;
        let mut attempts = last_attempts(connection, failing.iter().map(|one| &one.subscription.id)).await?;
        for one in &mut failing {
            one.last_attempt = attempts.remove(&one.subscription.id);
        }
        Ok(failing)
    }
}

/// The last ended attempt of each of the subscriptions.
pub(super) async fn last_attempts(
    connection: &AsyncPgConnection,
    ids: impl Iterator<Item = &SubscriptionId>,
) -> Result<HashMap<SubscriptionId, AttemptRecord>, Failure> {
    let ids: Vec<&[u8]> = ids.map(|id| id.as_bytes().as_slice()).collect();
    let query = statement(LAST_ATTEMPTS).bind::<Array<Binary>, _>(ids);
    let rows: Vec<LoggedAttemptRow> = Kept(query).load(&mut &*connection).await?;
    let logged: Vec<LoggedAttempt> = values_of(rows)?;
    Ok(logged.into_iter().map(|one| (one.subscription, one.attempt)).collect())
}

/// A page of events. One statement.
struct ListEvents(EventQuery);

impl Work for ListEvents {
    type Answer = EventPage;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<EventPage, Failure> {
        let rows = bound(self.0.statement("''::bytea")).load::<ListedEventRow>(&mut &*connection).await?;
        Ok(self.0.page(rows)?)
    }
}

/// One event. One statement.
struct FindEvent(EventId);

impl Work for FindEvent {
    type Answer = Option<LoggedEvent>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Option<LoggedEvent>, Failure> {
        let found = webhook_events::table.find(self.0.as_bytes().as_slice());
        let found = found.select((EventRow::as_select(), webhook_events::deliveries));
        let row: Option<(EventRow, i64)> = found.first(&mut &*connection).await.optional()?;
        Ok(row.map(|(row, deliveries)| logged_event(row, deliveries)).transpose()?)
    }
}
