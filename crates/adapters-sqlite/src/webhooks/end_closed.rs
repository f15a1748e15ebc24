use diesel::prelude::*;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::{webhook_lanes, webhook_subscriptions};
use domain::Timestamp;
use domain::webhooks::DeliveryEnd;

use super::close_lane::{delete_lane, end_waiting};
use super::lane::{Lane, LaneRow};
use crate::undo::Undo;

/// The most deliveries that end in one transaction, so that other writes do not wait long.
pub(super) const CHUNK: u32 = 500;

/// Ends at most `max` waiting deliveries of closed lanes, and returns how many. See
/// [`DeliveryQueue::end_closed`](domain::ports::DeliveryQueue::end_closed).
pub(super) fn end_closed(connection: &mut SqliteConnection, at: Timestamp, max: u32) -> Result<u32, Undo> {
    let mut ended = 0;
    while ended < max {
        let Some((before, end)) = next_closed(connection, at)? else { break };
        ended += end_waiting(connection, before.id, end, at, max - ended)?;
        let mut lane = before.clone();
        // The remaining deliveries are under a claim that still holds, or were over the maximum.
        lane.ready_at = lane.next_service(connection, at)?;
        lane.write(connection, &before)?;
    }
    Ok(ended)
}

/// A closed lane with deliveries to end, and how they end.
fn next_closed(connection: &mut SqliteConnection, at: Timestamp) -> Result<Option<(Lane, DeliveryEnd)>, Undo> {
    let closed = webhook_lanes::table
        .left_join(webhook_subscriptions::table.on(webhook_subscriptions::id.eq(webhook_lanes::subscription_id)))
        .filter(webhook_lanes::is_open.eq(false))
        .filter(webhook_lanes::ready_at.le(Some(StoredInstant::from(at))))
        .order(webhook_lanes::ready_at)
        .limit(1)
        .select((LaneRow::as_select(), webhook_subscriptions::deleted_at.nullable().is_not_null()));
    loop {
        let found: Option<(LaneRow, bool)> = closed.first(connection).optional()?;
        let Some((row, is_deleted)) = found else { return Ok(None) };
        let end = if is_deleted { DeliveryEnd::SubscriptionDeleted } else { DeliveryEnd::SubscriptionDisabled };
        let id = row.subscription_id.clone();
        match Lane::try_from(row) {
            Ok(lane) => return Ok(Some((lane, end))),
            Err(_) => delete_lane(connection, &id)?,
        }
    }
}
