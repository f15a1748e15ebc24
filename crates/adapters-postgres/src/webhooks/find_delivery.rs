use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::{webhook_attempts, webhook_events};
use diesel_mapping::webhooks::{AttemptRow, EventRow};
use domain::ports::StoreError;
use domain::webhooks::{AttemptRecord, DeliveryHistory, Event, SHOWN_ATTEMPTS_MAX};
use domain::{DeliveryId, OwnerId};
use futures_util::future::join3;

use super::locate_delivery::find;
use crate::attempt::{Failure, Work};
use crate::transaction::{Commit, rolled_back};

/// Finds a delivery with its event and its attempts. Two round trips.
pub(super) struct FindDelivery<'a> {
    pub(super) owner: &'a OwnerId,
    pub(super) id: DeliveryId,
}

impl Work for FindDelivery<'_> {
    type Answer = Option<DeliveryHistory>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Option<DeliveryHistory>, Failure> {
        let Some(delivery) = find(connection, self.owner, self.id).await? else {
            return rolled_back(connection, None).await;
        };
        let (lane, id) = (delivery.subscription_id.as_bytes().as_slice(), delivery.id.as_bytes().as_slice());
        let event = webhook_events::table.find(delivery.event_id.as_bytes().as_slice()).select(EventRow::as_select());
        let attempts = webhook_attempts::table
            .filter(webhook_attempts::subscription_id.eq(lane).and(webhook_attempts::delivery_id.eq(id)))
            .order(webhook_attempts::number.desc())
            .limit(SHOWN_ATTEMPTS_MAX.into())
            .select(AttemptRow::as_select());
        let (event, attempts, committed) = join3(
            event.get_result(&mut &*connection),
            attempts.load(&mut &*connection),
            Commit.execute(&mut &*connection),
        )
        .await;
        let (event, attempts): (Option<EventRow>, Vec<AttemptRow>) = (event.optional()?, attempts?);
        committed?;
        let attempts = attempts.into_iter().rev().map(|row| row.record(delivery.id));
        let attempts: Result<Vec<AttemptRecord>, StoreError> = attempts.collect();
        let event = event.map_or_else(|| Ok(delivery.lost_event(self.owner)), Event::try_from)?;
        Ok(Some(DeliveryHistory { event, attempts: attempts?, delivery }))
    }
}
