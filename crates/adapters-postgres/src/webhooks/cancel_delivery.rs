use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::{webhook_deliveries, webhook_due};
use diesel_mapping::webhooks::NewEndedRow;
use domain::ports::CancelDeliveryRequest;
use domain::webhooks::{Delivery, DeliveryEnd, DeliveryState};

use super::locate_delivery::lock;
use super::retry_delivery::wake_lane;
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Commit, rolled_back, settle};

/// Ends a delivery for its owner. Wakes its lane, which may have waited for this delivery.
impl Work for CancelDeliveryRequest {
    type Answer = Option<Delivery>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Option<Delivery>, Failure> {
        let found = lock(connection, &self.owner, self.id).await?;
        let waiting = |delivery: &Delivery| !matches!(delivery.state, DeliveryState::Ended { .. });
        let Some(delivery) = found.clone().filter(waiting) else {
            return rolled_back(connection, found).await;
        };
        let row = webhook_due::table
            .find((delivery.subscription_id.as_bytes().as_slice(), delivery.id.as_bytes().as_slice()));
        diesel::delete(row).execute(&mut &*connection).await?;
        let ended = NewEndedRow::new(&delivery, DeliveryEnd::Cancelled, self.at);
        let store = diesel::insert_into(webhook_deliveries::table).values(ended).on_conflict_do_nothing();
        store.execute(&mut &*connection).await?;
        wake_lane(connection, delivery.subscription_id, self.at).await?;
        write_events(connection, &[self.cause.delivery_cancelled(&delivery, &self.owner)]).await?;
        let state = DeliveryState::Ended { end: DeliveryEnd::Cancelled, at: self.at };
        settle(Ok(Some(Delivery { state, ..delivery })), Commit.execute(&mut &*connection).await)
    }
}
