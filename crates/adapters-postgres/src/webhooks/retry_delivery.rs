use diesel::QueryResult;
use diesel::prelude::*;
use diesel::sql_types::Binary;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::{webhook_deliveries, webhook_due, webhook_lanes};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{NewDueRow, phase_number};
use diesel_mapping::{Kept, StoredInstant};
use domain::audit::Cause;
use domain::ports::{RetryByHand, RetryRequest};
use domain::webhooks::{Delivery, DeliveryState, Phase, QueuedDelivery};
use domain::{DeliveryId, SubscriptionId, Timestamp, UserId};

use super::locate_delivery::lock;
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Commit, Rollback, settle};

const WAKE_LANE: &str = "UPDATE webhook_lanes
    SET wakes = wakes + 1, ready_at = LEAST(ready_at, GREATEST($2, paused_until)), due_from = LEAST(due_from, $2)
    WHERE subscription_id = $1";

/// Makes a delivery due now. A few round trips, because a retry by hand need not be fast.
pub(super) struct RetryDelivery<'a> {
    pub(super) owner: &'a UserId,
    pub(super) id: DeliveryId,
    pub(super) request: RetryRequest,
    pub(super) cause: &'a Cause,
}

impl Work for RetryDelivery<'_> {
    type Answer = RetryByHand;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<RetryByHand, Failure> {
        let answer = match lock(connection, self.owner, self.id).await? {
            None => RetryByHand::NotFound,
            Some(delivery) => self.retry(connection, delivery).await?,
        };
        if let RetryByHand::Due(_) = answer {
            settle(Ok(()), Commit.execute(&mut &*connection).await)?;
        } else {
            Rollback.execute(&mut &*connection).await?;
        }
        Ok(answer)
    }
}

impl RetryDelivery<'_> {
    async fn retry(&self, connection: &AsyncPgConnection, delivery: Delivery) -> QueryResult<RetryByHand> {
        let at = self.request.at;
        let lane = webhook_lanes::table.find(delivery.subscription_id.as_bytes().as_slice());
        let lane = lane.select(webhook_lanes::is_open).for_no_key_update();
        if !lane.get_result::<bool>(&mut &*connection).await? {
            return Ok(RetryByHand::LaneClosed);
        }
        if delivery.created_at < self.request.published_since {
            return Ok(RetryByHand::TooOld);
        }
        match delivery.state {
            DeliveryState::Sending(until) if at < until => return Ok(RetryByHand::Due(delivery)),
            DeliveryState::Waiting(_) | DeliveryState::Sending(_) => replay_due(connection, &delivery, at).await?,
            DeliveryState::Ended { .. } => replay_ended(connection, &delivery, at).await?,
        }
        wake_lane(connection, delivery.subscription_id, at).await?;
        write_events(connection, &[self.cause.delivery_retried(&delivery, self.owner)]).await?;
        Ok(RetryByHand::Due(Delivery { state: DeliveryState::Waiting(at), ..delivery }))
    }
}

async fn replay_due(connection: &AsyncPgConnection, delivery: &Delivery, at: Timestamp) -> QueryResult<()> {
    let row =
        webhook_due::table.find((delivery.subscription_id.as_bytes().as_slice(), delivery.id.as_bytes().as_slice()));
    let replay = (
        webhook_due::phase.eq(phase_number(Phase::Replay)),
        webhook_due::due_at.eq(StoredInstant::from(at)),
        webhook_due::claim.eq(None::<i64>),
        webhook_due::claimed_until.eq(None::<StoredInstant>),
        webhook_due::attempts_before_run.eq(webhook_due::attempts),
        webhook_due::run_started_at.eq(StoredInstant::from(at)),
    );
    diesel::update(row).set(replay).execute(&mut &*connection).await.map(drop)
}

async fn replay_ended(connection: &AsyncPgConnection, delivery: &Delivery, at: Timestamp) -> QueryResult<()> {
    let row = webhook_deliveries::table
        .find((delivery.subscription_id.as_bytes().as_slice(), delivery.id.as_bytes().as_slice()));
    diesel::delete(row).execute(&mut &*connection).await?;
    let queued = QueuedDelivery::replayed(delivery.attempts, at);
    let due = NewDueRow::new(&delivery.id, &delivery.event_id, &delivery.subscription_id, &queued);
    diesel::insert_into(webhook_due::table).values(due).execute(&mut &*connection).await.map(drop)
}

/// Makes the lane, which is locked, ready for a delivery that is due at `at`, as soon as its pause allows.
pub(super) async fn wake_lane(connection: &AsyncPgConnection, lane: SubscriptionId, at: Timestamp) -> QueryResult<()> {
    let update = diesel::sql_query(WAKE_LANE)
        .bind::<Binary, _>(lane.as_bytes().as_slice())
        .bind::<Instant, StoredInstant>(at.into());
    Kept(update).execute(&mut &*connection).await.map(drop)
}
