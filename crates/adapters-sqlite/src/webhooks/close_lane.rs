use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Text};
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::{webhook_deliveries, webhook_due, webhook_events, webhook_lanes, webhook_subscriptions};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::statement;
use diesel_mapping::webhooks::{NewEndedRow, UNKNOWN_EVENT_TYPE, status_code};
use domain::webhooks::{Delivery, DeliveryEnd, DisableReason, SubscriptionStatus};
use domain::{OwnerId, SubscriptionId, Timestamp};

use super::lane::Lane;
use super::queued_row::QueuedRow;
use crate::undo::Undo;

/// How many deliveries end in the transaction that closes a lane.
const ENDED_AT_CLOSING: u32 = 1_000;

/// The deliveries of a lane that wait or have an expired claim. Both statements use the order of ids, so that they
/// select the same rows. The plus signs make SQLite search by the primary key.
const END_WAITING: &str = "INSERT INTO webhook_deliveries
        (subscription_id, id, event_id, event_type, ended, ended_at, attempts)
    SELECT due.subscription_id, due.delivery_id, due.event_id, event.event_type, ?4, ?2, due.attempts
    FROM webhook_due AS due CROSS JOIN webhook_events AS event ON event.id = due.event_id
    WHERE due.subscription_id = ?1 AND (+due.claim IS NULL OR +due.due_at <= ?2)
    ORDER BY due.delivery_id LIMIT ?3";
const DELETE_WAITING: &str = "DELETE FROM webhook_due
    WHERE subscription_id = ?1 AND delivery_id IN (
        SELECT delivery_id FROM webhook_due
        WHERE subscription_id = ?1 AND (+claim IS NULL OR +due_at <= ?2)
        ORDER BY delivery_id LIMIT ?3)";

/// Ends a queued delivery.
pub(super) fn end(
    connection: &mut SqliteConnection,
    delivery: &Delivery,
    end: DeliveryEnd,
    at: Timestamp,
) -> QueryResult<()> {
    let key = (delivery.subscription_id.as_bytes().as_slice(), delivery.id.as_bytes().as_slice());
    diesel::delete(webhook_due::table.find(key)).execute(connection)?;
    let row = NewEndedRow::new(delivery, end, at);
    diesel::insert_into(webhook_deliveries::table).values(row).execute(connection)?;
    Ok(())
}

/// Ends the delivery of a queued row. `event_type` is the type of its event.
pub(super) fn end_queued(
    connection: &mut SqliteConnection,
    row: &QueuedRow,
    event_type: &str,
    end: DeliveryEnd,
    at: Timestamp,
) -> QueryResult<()> {
    diesel::delete(webhook_due::table.find(row.key())).execute(connection)?;
    diesel::insert_into(webhook_deliveries::table).values(row.ended(event_type, end, at)).execute(connection)?;
    Ok(())
}

/// Ends a damaged delivery: its row, its event or its subscription is unreadable. See decision 55.
pub(super) fn end_unreadable(connection: &mut SqliteConnection, row: &QueuedRow, at: Timestamp) -> Result<(), Undo> {
    diesel::delete(webhook_due::table.find(row.key())).execute(connection)?;
    let Ok(event) = row.ids() else {
        tracing::error!("deleted a queued delivery whose id is damaged");
        return Ok(());
    };
    let known = webhook_events::table.find(event.as_bytes().as_slice()).select(webhook_events::event_type);
    let event_type: Option<String> = known.get_result(connection).optional()?;
    let event_type = event_type.as_deref().unwrap_or(UNKNOWN_EVENT_TYPE);
    let mut ended = row.ended(event_type, DeliveryEnd::Unreadable, at);
    ended.attempts = ended.attempts.clamp(0, u32::MAX.into());
    diesel::insert_or_ignore_into(webhook_deliveries::table).values(ended).execute(connection)?;
    tracing::error!(%event, "ended a delivery of this event: the delivery, its event or its subscription is damaged");
    Ok(())
}

/// Deletes a lane with a damaged id, given as it is stored, and its deliveries. See decision 55.
pub(super) fn delete_lane(connection: &mut SqliteConnection, id: &[u8]) -> QueryResult<()> {
    diesel::delete(webhook_due::table.filter(webhook_due::subscription_id.eq(id))).execute(connection)?;
    diesel::delete(webhook_lanes::table.find(id)).execute(connection)?;
    tracing::error!("deleted a lane whose id is damaged, with its deliveries");
    Ok(())
}

/// Ends at most `max` waiting deliveries of a lane, oldest first. Returns how many.
pub(super) fn end_waiting(
    connection: &mut SqliteConnection,
    lane: SubscriptionId,
    end: DeliveryEnd,
    at: Timestamp,
    max: u32,
) -> Result<u32, Undo> {
    let insertion = statement(END_WAITING)
        .bind::<Binary, _>(lane.as_bytes().as_slice())
        .bind::<Instant, StoredInstant>(at.into())
        .bind::<BigInt, i64>(max.into())
        .bind::<Text, _>(end.code());
    let ended = insertion.execute(connection)?;
    let deletion = statement(DELETE_WAITING)
        .bind::<Binary, _>(lane.as_bytes().as_slice())
        .bind::<Instant, StoredInstant>(at.into())
        .bind::<BigInt, i64>(max.into());
    deletion.execute(connection)?;
    Ok(u32::try_from(ended).unwrap_or(max))
}

/// Closes the lane of a subscription that was disabled or deleted at `at`, and ends some of its deliveries.
/// [`end_closed`](super::end_closed::end_closed) ends the rest.
pub(super) fn close(
    connection: &mut SqliteConnection,
    subscription: SubscriptionId,
    end: DeliveryEnd,
    at: Timestamp,
) -> Result<(), Undo> {
    let Some(before) = Lane::find(connection, subscription)? else { return Ok(()) };
    end_waiting(connection, subscription, end, at, ENDED_AT_CLOSING)?;
    let mut lane = Lane { is_open: false, ..before.clone() };
    lane.ready_at = lane.next_service(connection, at)?;
    lane.write(connection, &before)
}

/// Disables the subscription if it is enabled, and closes its lane. Returns the owner of the subscription if it was
/// enabled.
pub(super) fn disable(
    connection: &mut SqliteConnection,
    subscription: SubscriptionId,
    reason: DisableReason,
    at: Timestamp,
) -> Result<Option<OwnerId>, Undo> {
    let enabled = webhook_subscriptions::table
        .filter(webhook_subscriptions::id.eq(subscription.as_bytes().as_slice()))
        .filter(webhook_subscriptions::status.eq(status_code(SubscriptionStatus::Enabled)))
        .filter(webhook_subscriptions::deleted_at.is_null());
    let owner = enabled.select((webhook_subscriptions::owner_issuer, webhook_subscriptions::owner_subject));
    let Some((issuer, subject)) = owner.get_result::<(String, String)>(connection).optional()? else { return Ok(None) };
    let change = (
        webhook_subscriptions::status.eq(status_code(SubscriptionStatus::DisabledByService(reason))),
        webhook_subscriptions::updated_at.eq(StoredInstant::from(at)),
    );
    diesel::update(enabled).set(change).execute(connection)?;
    close(connection, subscription, DeliveryEnd::SubscriptionDisabled, at)?;
    // A damaged owner must not keep the subscription enabled.
    Ok(OwnerId::new(issuer, subject).ok())
}
