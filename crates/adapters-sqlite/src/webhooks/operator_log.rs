use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_mapping::schema::webhook_events;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{
    EventQuery, EventRow, FIND_FAILING, FailingRow, ListedEventRow, failing_after, logged_event,
};
use diesel_mapping::{Kept, bound, statement};
use domain::ports::{
    EventPage, FailingPlace, FailingSubscription, ListEventsRequest, LoggedEvent, OperatorLog, StoreError,
};
use domain::webhooks::Subscription;
use domain::{EventId, SubscriptionId};

use super::find_subscription::{last_attempt, list_all};
use crate::SqliteStore;
use crate::undo::Undo;

#[async_trait]
impl OperatorLog for SqliteStore {
    async fn subscriptions(&self, after: Option<SubscriptionId>, max: u32) -> Result<Vec<Subscription>, StoreError> {
        self.readers.read(move |connection| list_all(connection, after, max)).await
    }

    async fn failing(&self, after: Option<FailingPlace>, max: u32) -> Result<Vec<FailingSubscription>, StoreError> {
        // One transaction, so that a lane and its last attempt are from the same instant.
        self.readers.read_at_once(move |connection| failing(connection, after, max)).await
    }

    async fn list_events(&self, request: &ListEventsRequest) -> Result<EventPage, StoreError> {
        let query = EventQuery::new(request);
        self.readers.read(move |connection| list_events(connection, &query)).await
    }

    async fn find_event(&self, id: EventId) -> Result<Option<LoggedEvent>, StoreError> {
        self.readers.read(move |connection| find_event(connection, id)).await
    }
}

pub(super) fn list_events(connection: &mut SqliteConnection, query: &EventQuery) -> Result<EventPage, Undo> {
    let rows: Vec<ListedEventRow> = bound(query.statement("X''")).load(connection)?;
    Ok(query.page(rows)?)
}

pub(super) fn find_event(connection: &mut SqliteConnection, id: EventId) -> Result<Option<LoggedEvent>, Undo> {
    let found = webhook_events::table.find(id.as_bytes().as_slice());
    let found = found.select((EventRow::as_select(), webhook_events::deliveries));
    let row: Option<(EventRow, i64)> = found.first(connection).optional()?;
    Ok(row.map(|(row, deliveries)| logged_event(row, deliveries)).transpose()?)
}

pub(super) fn failing(
    connection: &mut SqliteConnection,
    after: Option<FailingPlace>,
    max: u32,
) -> Result<Vec<FailingSubscription>, Undo> {
    let (since, id) = failing_after(after);
    let query = statement(FIND_FAILING).bind::<Instant, _>(since).bind::<Binary, _>(id).bind::<BigInt, i64>(max.into());
    let rows: Vec<FailingRow> = Kept(query).load(connection)?;
    let mut failing = Vec::with_capacity(rows.len());
    for row in rows {
        let mut one = FailingSubscription::try_from(row)?;
        one.last_attempt = last_attempt(connection, one.subscription.id)?;
        failing.push(one);
    }
    Ok(failing)
}
