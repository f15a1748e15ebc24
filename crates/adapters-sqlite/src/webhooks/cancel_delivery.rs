use diesel::SqliteConnection;
use domain::SubscriptionId;
use domain::ports::CancelDeliveryRequest;
use domain::webhooks::{Delivery, DeliveryEnd, DeliveryState};

use super::close_lane::end;
use super::find_delivery::find_in;
use super::lane::Lane;
use crate::audit::write_events;
use crate::undo::Undo;

/// See [`DeliveryCommands::cancel`](domain::ports::DeliveryCommands::cancel).
pub(super) fn cancel_delivery(
    connection: &mut SqliteConnection,
    subscription: SubscriptionId,
    request: &CancelDeliveryRequest,
) -> Result<Option<Delivery>, Undo> {
    let &CancelDeliveryRequest { ref owner, id, at, ref cause } = request;
    let Some(delivery) = find_in(connection, subscription, id)? else { return Ok(None) };
    if matches!(delivery.state, DeliveryState::Ended { .. }) {
        return Ok(Some(delivery));
    }
    end(connection, &delivery, DeliveryEnd::Cancelled, at)?;
    // The next one in an order may have waited for this delivery.
    if let Some(before) = Lane::find(connection, subscription)?.filter(Lane::is_ordered) {
        let mut lane = before.clone();
        lane.bring_forward(at);
        lane.write(connection, &before)?;
    }
    write_events(connection, [&cause.delivery_cancelled(&delivery, owner)])?;
    Ok(Some(Delivery { state: DeliveryState::Ended { end: DeliveryEnd::Cancelled, at }, ..delivery }))
}
