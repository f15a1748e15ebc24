use diesel::prelude::*;
use diesel_mapping::schema::{webhook_deliveries, webhook_due};
use domain::ports::{RetryByHand, RetryDeliveryRequest};
use domain::webhooks::{Delivery, DeliveryState, QueuedDelivery};
use domain::{SubscriptionId, Timestamp};

use super::find_delivery::find_in;
use super::lane::Lane;
use super::queued_row::QueuedRow;
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`DeliveryCommands::retry`](domain::ports::DeliveryCommands::retry).
pub(super) fn retry_delivery(
    connection: &mut SqliteConnection,
    subscription: SubscriptionId,
    request: &RetryDeliveryRequest,
) -> Result<RetryByHand, Undo> {
    let &RetryDeliveryRequest { ref owner, id, retry, ref cause } = request;
    let Some(delivery) = find_in(connection, subscription, id)? else { return Ok(RetryByHand::NotFound) };
    let lane = Lane::find(connection, subscription)?;
    let Some(before) = lane.filter(|lane| lane.is_open) else { return Ok(RetryByHand::LaneClosed) };
    if delivery.created_at < retry.published_since {
        return Ok(RetryByHand::TooOld);
    }
    if matches!(delivery.state, DeliveryState::Sending(until) if until > retry.at) {
        return Ok(RetryByHand::Due(delivery));
    }
    let sequence = number_of(connection, &delivery)?;
    let delivery = replay(connection, delivery, retry.at, sequence)?;
    let mut lane = before.clone();
    lane.bring_forward(retry.at);
    lane.write(connection, &before)?;
    write_events(connection, [&cause.delivery_retried(&delivery, owner)])?;
    Ok(RetryByHand::Due(delivery))
}

/// The number of a delivery in the order of its lane; `None` if it has none, or has ended.
pub(super) fn number_of(connection: &mut SqliteConnection, delivery: &Delivery) -> QueryResult<Option<u64>> {
    let key = (delivery.subscription_id.as_bytes().as_slice(), delivery.id.as_bytes().as_slice());
    let found = webhook_due::table.find(key).select(webhook_due::sequence);
    let found: Option<Option<i64>> = found.get_result(connection).optional()?;
    Ok(found.flatten().and_then(|stored| u64::try_from(stored).ok()))
}

/// Makes a delivery due at `at`, as the start of a new run of its schedule, with this number. The caller updates the lane.
pub(super) fn replay(
    connection: &mut SqliteConnection,
    delivery: Delivery,
    at: Timestamp,
    sequence: Option<u64>,
) -> QueryResult<Delivery> {
    let key = (delivery.subscription_id.as_bytes().as_slice(), delivery.id.as_bytes().as_slice());
    if matches!(delivery.state, DeliveryState::Ended { .. }) {
        diesel::delete(webhook_deliveries::table.find(key)).execute(connection)?;
    }
    let queued = QueuedDelivery::replayed(delivery.attempts, at, sequence);
    let row = QueuedRow::new(delivery.subscription_id, delivery.id, delivery.event_id, &queued);
    diesel::replace_into(webhook_due::table).values(row).execute(connection)?;
    Ok(Delivery { state: queued.state(), ..delivery })
}
