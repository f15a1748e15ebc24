use diesel::SqliteConnection;
use domain::audit::Cause;
use domain::webhooks::{Delivery, DeliveryEnd, DeliveryState};
use domain::{DeliveryId, SubscriptionId, Timestamp, UserId};

use super::close_lane::end;
use super::find_delivery::find_in;
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`DeliveryCommands::cancel`](domain::ports::DeliveryCommands::cancel).
pub(super) fn cancel_delivery(
    connection: &mut SqliteConnection,
    owner: &UserId,
    (subscription, id): (SubscriptionId, DeliveryId),
    at: Timestamp,
    cause: &Cause,
) -> Result<Option<Delivery>, Undo> {
    let Some(delivery) = find_in(connection, subscription, id)? else { return Ok(None) };
    if matches!(delivery.state, DeliveryState::Ended { .. }) {
        return Ok(Some(delivery));
    }
    end(connection, &delivery, DeliveryEnd::Cancelled, at)?;
    write_events(connection, [&cause.delivery_cancelled(&delivery, owner)])?;
    Ok(Some(Delivery { state: DeliveryState::Ended { end: DeliveryEnd::Cancelled, at }, ..delivery }))
}
