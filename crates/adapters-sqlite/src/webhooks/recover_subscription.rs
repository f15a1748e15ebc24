use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel_mapping::schema::{webhook_due, webhook_events};
use diesel_mapping::webhooks::{DueRow, EndedRow};
use diesel_mapping::{StoredInstant, statement, values_of};
use domain::ports::{RecoverRequest, Recovered};
use domain::webhooks::{Breaker, Delivery, DeliveryState};

use super::change_subscription::write_change;
use super::find_subscription::find_subscription;
use super::lane::Lane;
use super::retry_delivery::{number_of, replay};
use crate::audit::write_events;
use crate::undo::Undo;

/// [`DeliveryStateKind::Failed`](domain::webhooks::DeliveryStateKind::Failed), in the same SQL as its index.
pub(super) const FAILED: &str = "(ended = 'schedule_spent' OR ended = 'subscription_disabled' OR ended = 'unreadable')";

/// [`DeliveryEnd::Missed`](domain::webhooks::DeliveryEnd::Missed), in the same SQL as its index.
pub(super) const MISSED: &str = "ended = 'missed'";

/// See [`DeliveryCommands::recover`](domain::ports::DeliveryCommands::recover).
pub(super) fn recover_subscription(
    connection: &mut SqliteConnection,
    request: &RecoverRequest,
) -> Result<Option<Recovered>, Undo> {
    let &RecoverRequest { ref owner, subscription, retry, enables, ref cause, .. } = request;
    let found = find_subscription(connection, owner, subscription)?;
    let Some(before) = found.filter(|found| enables || found.status.is_enabled()) else { return Ok(None) };
    let after = if enables { before.enabled_at(retry.at) } else { before.clone() };
    write_change(connection, &before, &after, retry.at)?;
    let Some(lane_before) = Lane::find(connection, subscription)? else { return Ok(None) };
    let mut lane = lane_before.clone();
    let recovered = bring_back(connection, &mut lane, request)?;
    if enables {
        lane.breaker = Breaker::default();
        lane.ready_at = lane.next_service(connection, retry.at)?;
    } else if recovered.deliveries > 0 {
        lane.bring_forward(retry.at);
    } else {
        return Ok(Some(recovered));
    }
    lane.write(connection, &lane_before)?;
    write_events(connection, [&cause.subscription_recovered(&before, &after, recovered.deliveries)])?;
    Ok(Some(recovered))
}

/// In an order, the deliveries that have ended get the next numbers, by their events.
fn bring_back(connection: &mut SqliteConnection, lane: &mut Lane, request: &RecoverRequest) -> Result<Recovered, Undo> {
    let mut deliveries = lost(connection, request, lane.is_ordered())?;
    let rest = request.rest(deliveries.len(), deliveries.last().map(|delivery| delivery.id));
    deliveries.retain(|delivery| request.filter.has_type(&delivery.event_type));
    deliveries.sort_unstable_by_key(|delivery| delivery.event_id);
    let recovered = Recovered { deliveries: u32::try_from(deliveries.len()).unwrap_or(request.max), rest };
    for delivery in deliveries {
        let has_ended = matches!(delivery.state, DeliveryState::Ended { .. });
        let sequence = if has_ended { lane.next_sequence() } else { number_of(connection, &delivery)? };
        replay(connection, delivery, request.retry.at, sequence)?;
    }
    Ok(recovered)
}

/// The oldest deliveries that the request looks at, of all event types.
fn lost(connection: &mut SqliteConnection, request: &RecoverRequest, is_ordered: bool) -> Result<Vec<Delivery>, Undo> {
    let filter = &request.filter;
    let max = request.wanted(is_ordered);
    let mut deliveries = Vec::new();
    if filter.what.has_failed() {
        deliveries.append(&mut ended(connection, request, ("webhook_deliveries_failed", FAILED), max)?);
        deliveries.append(&mut waiting(connection, request, max)?);
    }
    if filter.what.has_missed() {
        deliveries.append(&mut ended(connection, request, ("webhook_deliveries_missed", MISSED), max)?);
    }
    deliveries.sort_unstable_by_key(|delivery| delivery.id);
    request.cut(&mut deliveries, is_ordered, |delivery| delivery.id.as_bytes());
    Ok(deliveries)
}

/// The oldest deliveries of an index with this condition. SQLite would read all ended ones by the primary key.
fn ended(
    connection: &mut SqliteConnection,
    request: &RecoverRequest,
    (index, condition): (&str, &str),
    max: u32,
) -> Result<Vec<Delivery>, Undo> {
    let ended = statement(format!(
        "SELECT * FROM webhook_deliveries INDEXED BY {index}
        WHERE subscription_id = ?1 AND id > ?2 AND {condition} ORDER BY id LIMIT ?3"
    ));
    let rows: Vec<EndedRow> = ended
        .bind::<Binary, _>(request.subscription.as_bytes().as_slice())
        .bind::<Binary, _>(request.place().as_bytes().as_slice())
        .bind::<BigInt, i64>(max.into())
        .load(connection)?;
    Ok(values_of(rows)?)
}

fn waiting(connection: &mut SqliteConnection, request: &RecoverRequest, max: u32) -> Result<Vec<Delivery>, Undo> {
    let rows: Vec<(DueRow, String)> = webhook_due::table
        .inner_join(webhook_events::table.on(webhook_events::id.eq(webhook_due::event_id)))
        .filter(webhook_due::subscription_id.eq(request.subscription.as_bytes().as_slice()))
        .filter(webhook_due::delivery_id.gt(request.place().as_bytes().as_slice()))
        .filter(webhook_due::claim.is_null())
        .filter(webhook_due::due_at.gt(StoredInstant::from(request.retry.at)))
        .order(webhook_due::delivery_id)
        .limit(max.into())
        .select((DueRow::as_select(), webhook_events::event_type))
        .load(connection)?;
    Ok(rows.into_iter().map(|(row, event_type)| row.delivery(&event_type)).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use domain::webhooks::{DeliveryEnd, DeliveryStateKind};

    use super::*;

    #[test]
    fn the_indexes_are_of_what_failed_and_of_what_was_missed() {
        for end in DeliveryEnd::ALL {
            let is_failed = end.kind() == DeliveryStateKind::Failed;
            assert_eq!(FAILED.contains(&format!("'{}'", end.code())), is_failed, "{end:?}");
        }
        assert!(MISSED.contains(&format!("'{}'", DeliveryEnd::Missed.code())));
    }
}
