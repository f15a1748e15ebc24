use std::cmp::Reverse;

use diesel::prelude::*;
use diesel_mapping::schema::{webhook_attempts, webhook_deliveries, webhook_due, webhook_events};
use diesel_mapping::values_of;
use diesel_mapping::webhooks::{DueRow, EndedRow, LoggedAttemptRow};
use domain::ports::{DeliveryPage, ListDeliveriesRequest, LoggedAttempt};
use domain::webhooks::{AttemptRecord, Delivery, DeliveryFilter, DeliveryStateKind, ListedDelivery};
use domain::{DeliveryId, SubscriptionId};

use super::find_delivery::subscriptions_of;
use crate::undo::Undo;

/// How many deliveries are read for one page; the filter may keep only a few.
const READ_MAX: usize = 2_000;

/// Ids from `from`, included, to `below`, excluded.
#[derive(Clone, Copy)]
struct Ids {
    from: DeliveryId,
    below: DeliveryId,
}

/// See [`DeliveryLog::list`](domain::ports::DeliveryLog::list).
pub(super) fn list_deliveries(
    connection: &mut SqliteConnection,
    request: &ListDeliveriesRequest,
) -> Result<DeliveryPage, Undo> {
    let &ListDeliveriesRequest { ref owner, ref filter, before, max } = request;
    let mut subscriptions = subscriptions_of(connection, owner)?;
    subscriptions.retain(|id| filter.subscription.is_none_or(|wanted| wanted == *id));
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    let is_selective = filter.event_type.is_some() || filter.state.is_some();
    let read_max = if is_selective { max.max(READ_MAX) } else { max };
    // One more than needed shows whether there is another page.
    let mut read = newest(connection, &subscriptions, filter, before, read_max.saturating_add(1))?;
    let has_more = read.len() > read_max;
    read.truncate(read_max);
    let (deliveries, next) = page(read, filter, max, has_more);
    let listed = deliveries.into_iter().map(|delivery| listed(connection, delivery));
    Ok(DeliveryPage { deliveries: listed.collect::<Result<_, _>>()?, next })
}

/// The delivery with its last attempt.
fn listed(connection: &mut SqliteConnection, delivery: Delivery) -> Result<ListedDelivery, Undo> {
    let last: Option<LoggedAttemptRow> = webhook_attempts::table
        .filter(webhook_attempts::subscription_id.eq(delivery.subscription_id.as_bytes().as_slice()))
        .filter(webhook_attempts::delivery_id.eq(delivery.id.as_bytes().as_slice()))
        .order(webhook_attempts::number.desc())
        .select(LoggedAttemptRow::as_select())
        .first(connection)
        .optional()?;
    let last_attempt: Option<AttemptRecord> =
        last.map(LoggedAttempt::try_from).transpose()?.map(|logged| logged.attempt);
    Ok(ListedDelivery { delivery, last_attempt })
}

/// The first `max` deliveries that pass the filter, and where the next page begins.
fn page(
    read: Vec<Delivery>,
    filter: &DeliveryFilter,
    max: usize,
    has_more: bool,
) -> (Vec<Delivery>, Option<DeliveryId>) {
    let mut read = read.into_iter();
    let (mut deliveries, mut last) = (Vec::new(), None);
    while deliveries.len() < max
        && let Some(delivery) = read.next()
    {
        last = Some(delivery.id);
        if filter.matches(&delivery) {
            deliveries.push(delivery);
        }
    }
    let has_more = has_more || read.len() > 0;
    (deliveries, last.filter(|_| has_more))
}

/// The newest deliveries of these subscriptions, at most `max`. Does not read deliveries that the filter excludes by table
/// or time.
fn newest(
    connection: &mut SqliteConnection,
    subscriptions: &[SubscriptionId],
    filter: &DeliveryFilter,
    before: Option<DeliveryId>,
    max: usize,
) -> Result<Vec<Delivery>, Undo> {
    let is_open = |state| matches!(state, DeliveryStateKind::Waiting | DeliveryStateKind::Sending);
    let reads_due = filter.state.is_none_or(is_open);
    let reads_ended = !filter.state.is_some_and(is_open);
    let until = filter.until.map(DeliveryId::first_at);
    let from = filter.since.map_or(DeliveryId::from_bytes([0; 16]), DeliveryId::first_at);
    let below = before.into_iter().chain(until).min().unwrap_or(DeliveryId::from_bytes([0xFF; 16]));
    let mut ids = Ids { from, below };
    let mut newest: Vec<Delivery> = Vec::new();
    for subscription in subscriptions {
        if reads_due {
            newest.append(&mut due(connection, *subscription, ids, max)?);
        }
        if reads_ended {
            newest.append(&mut ended(connection, *subscription, ids, max)?);
        }
        newest.sort_unstable_by_key(|delivery| Reverse(delivery.id));
        newest.truncate(max);
        // With enough deliveries, older ones of the other subscriptions are not needed.
        if newest.len() == max {
            ids.from = newest.last().map_or(ids.from, |oldest| oldest.id);
        }
    }
    Ok(newest)
}

fn due(
    connection: &mut SqliteConnection,
    subscription: SubscriptionId,
    ids: Ids,
    max: usize,
) -> Result<Vec<Delivery>, Undo> {
    let rows: Vec<(DueRow, String)> = webhook_due::table
        .inner_join(webhook_events::table.on(webhook_events::id.eq(webhook_due::event_id)))
        .filter(webhook_due::subscription_id.eq(subscription.as_bytes().as_slice()))
        .filter(webhook_due::delivery_id.lt(ids.below.as_bytes().as_slice()))
        .filter(webhook_due::delivery_id.ge(ids.from.as_bytes().as_slice()))
        .order(webhook_due::delivery_id.desc())
        .limit(i64::try_from(max).unwrap_or(i64::MAX))
        .select((DueRow::as_select(), webhook_events::event_type))
        .load(connection)?;
    Ok(rows.into_iter().map(|(row, event_type)| row.delivery(&event_type)).collect::<Result<_, _>>()?)
}

fn ended(
    connection: &mut SqliteConnection,
    subscription: SubscriptionId,
    ids: Ids,
    max: usize,
) -> Result<Vec<Delivery>, Undo> {
    let rows: Vec<EndedRow> = webhook_deliveries::table
        .filter(webhook_deliveries::subscription_id.eq(subscription.as_bytes().as_slice()))
        .filter(webhook_deliveries::id.lt(ids.below.as_bytes().as_slice()))
        .filter(webhook_deliveries::id.ge(ids.from.as_bytes().as_slice()))
        .order(webhook_deliveries::id.desc())
        .limit(i64::try_from(max).unwrap_or(i64::MAX))
        .select(EndedRow::as_select())
        .load(connection)?;
    Ok(values_of(rows)?)
}
