use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_mapping::schema::{
    webhook_attempts, webhook_deliveries, webhook_due, webhook_events, webhook_subscriptions,
};
use diesel_mapping::webhooks::{AttemptRow, DueRow, EndedRow, EventRow, subscription_id};
use domain::webhooks::{Delivery, DeliveryHistory, Event, SHOWN_ATTEMPTS_MAX};
use domain::{DeliveryId, OwnerId, SubscriptionId};

use crate::undo::Undo;

/// See [`DeliveryLog::find`](domain::ports::DeliveryLog::find).
pub(super) fn find_history(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
    id: DeliveryId,
) -> Result<Option<DeliveryHistory>, Undo> {
    let Some(delivery) = find_delivery(connection, owner, id)? else { return Ok(None) };
    let event = webhook_events::table.find(delivery.event_id.as_bytes().as_slice()).select(EventRow::as_select());
    let event: Option<EventRow> = event.first(connection).optional()?;
    let attempts: Vec<AttemptRow> = webhook_attempts::table
        .filter(webhook_attempts::subscription_id.eq(delivery.subscription_id.as_bytes().as_slice()))
        .filter(webhook_attempts::delivery_id.eq(id.as_bytes().as_slice()))
        .order(webhook_attempts::number.desc())
        .limit(SHOWN_ATTEMPTS_MAX.into())
        .select(AttemptRow::as_select())
        .load(connection)?;
    let attempts = attempts.into_iter().rev().map(|row| row.record(id)).collect::<Result<_, _>>()?;
    let event = event.map_or_else(|| Ok(delivery.lost_event(owner)), Event::try_from)?;
    Ok(Some(DeliveryHistory { delivery, event, attempts }))
}

/// The owner's delivery with this id. Searches each of the owner's subscriptions, because the key of the table begins with
/// the subscription. These may be thousands, so the writer calls [`find_in`] instead.
pub(super) fn find_delivery(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
    id: DeliveryId,
) -> Result<Option<Delivery>, Undo> {
    for subscription in subscriptions_of(connection, owner)? {
        if let Some(delivery) = find_in(connection, subscription, id)? {
            return Ok(Some(delivery));
        }
    }
    Ok(None)
}

/// The delivery with this id to this subscription.
pub(super) fn find_in(
    connection: &mut SqliteConnection,
    subscription: SubscriptionId,
    id: DeliveryId,
) -> Result<Option<Delivery>, Undo> {
    let key = (subscription.as_bytes().as_slice(), id.as_bytes().as_slice());
    let due = webhook_due::table
        .find(key)
        .inner_join(webhook_events::table.on(webhook_events::id.eq(webhook_due::event_id)))
        .select((DueRow::as_select(), webhook_events::event_type));
    let due: Option<(DueRow, String)> = due.first(connection).optional()?;
    if let Some((row, event_type)) = due {
        return Ok(Some(row.delivery(&event_type)?));
    }
    let ended = webhook_deliveries::table.find(key).select(EndedRow::as_select());
    let ended: Option<EndedRow> = ended.first(connection).optional()?;
    Ok(ended.map(Delivery::try_from).transpose()?)
}

/// The owner's subscriptions, including deleted ones that have deliveries.
pub(super) fn subscriptions_of(
    connection: &mut SqliteConnection,
    owner: &OwnerId,
) -> Result<Vec<SubscriptionId>, Undo> {
    let due = webhook_due::table
        .filter(webhook_due::subscription_id.eq(webhook_subscriptions::id))
        .select(webhook_due::delivery_id);
    let ended = webhook_deliveries::table
        .filter(webhook_deliveries::subscription_id.eq(webhook_subscriptions::id))
        .select(webhook_deliveries::id);
    let ids: Vec<Vec<u8>> = webhook_subscriptions::table
        .filter(webhook_subscriptions::owner_issuer.eq(owner.issuer()))
        .filter(webhook_subscriptions::owner_subject.eq(owner.subject()))
        .filter(webhook_subscriptions::deleted_at.is_null().or(exists(due)).or(exists(ended)))
        .order(webhook_subscriptions::id.desc())
        .select(webhook_subscriptions::id)
        .load(connection)?;
    Ok(ids.iter().map(|id| subscription_id("webhook_subscriptions", "id", id)).collect::<Result<_, _>>()?)
}
