use diesel::QueryResult;
use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Nullable, SmallInt};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::{webhook_due, webhook_lanes};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::phase_number;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::ports::{RetryByHand, RetryDeliveryRequest};
use domain::webhooks::{Delivery, DeliveryState, Phase};
use domain::{SubscriptionId, Timestamp};
use futures_util::future::join;

use super::locate_delivery::lock;
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Commit, rolled_back, settle};

const WAKE_LANE: &str = "UPDATE webhook_lanes
    SET wakes = wakes + 1, ready_at = LEAST(ready_at, GREATEST($2, paused_until, rests_until)),
        due_from = LEAST(due_from, $2)
    WHERE subscription_id = $1";

/// A delivery in both tables stays in the queue (decision 105).
const REPLAY: &str = "INSERT INTO webhook_due
        (subscription_id, delivery_id, event_id, phase, due_at, attempts, attempts_before_run, run_started_at, sequence)
    SELECT ended.subscription_id, ended.id, ended.event_id, CASE WHEN replayed.sequence IS NULL THEN 2 ELSE 3 END, $4,
        ended.attempts, ended.attempts, $4, replayed.sequence
    FROM unnest($1, $2, $3) AS replayed (subscription_id, id, sequence)
    CROSS JOIN LATERAL (
        SELECT * FROM webhook_deliveries WHERE subscription_id = replayed.subscription_id AND id = replayed.id OFFSET 0
    ) AS ended
    ON CONFLICT DO NOTHING";

/// Finds each row by its key: see [the module](super) about the array of one id.
const DELETE_ENDED: &str =
    "DELETE FROM webhook_deliveries AS ended USING unnest($1, $2) AS replayed (subscription_id, id)
    WHERE ended.subscription_id = ANY(ARRAY[replayed.subscription_id]) AND ended.id = replayed.id";

/// Makes a delivery due now. A few round trips, because a retry by hand need not be fast.
impl Work for RetryDeliveryRequest {
    type Answer = RetryByHand;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<RetryByHand, Failure> {
        let answer = match lock(connection, &self.owner, self.id).await? {
            None => RetryByHand::NotFound,
            Some(delivery) => retry(self, connection, delivery).await?,
        };
        match answer {
            RetryByHand::Due(_) => settle(Ok(answer), Commit.execute(&mut &*connection).await),
            refused => rolled_back(connection, refused).await,
        }
    }
}

async fn retry(
    request: &RetryDeliveryRequest,
    connection: &AsyncPgConnection,
    delivery: Delivery,
) -> QueryResult<RetryByHand> {
    let at = request.retry.at;
    let lane = webhook_lanes::table.find(delivery.subscription_id.as_bytes().as_slice());
    let lane = lane.select(webhook_lanes::is_open).for_no_key_update();
    if !lane.get_result::<bool>(&mut &*connection).await? {
        return Ok(RetryByHand::LaneClosed);
    }
    if delivery.created_at < request.retry.published_since {
        return Ok(RetryByHand::TooOld);
    }
    match delivery.state {
        DeliveryState::Sending(until) if at < until => return Ok(RetryByHand::Due(delivery)),
        DeliveryState::Waiting(_) | DeliveryState::Sending(_) => replay_due(connection, &delivery, at).await?,
        DeliveryState::Ended { .. } => {
            replay_ended(connection, delivery.subscription_id, &[(delivery.id.as_bytes(), None)], at).await?;
        }
    }
    wake_lane(connection, delivery.subscription_id, at).await?;
    write_events(connection, &[request.cause.delivery_retried(&delivery, &request.owner)]).await?;
    Ok(RetryByHand::Due(Delivery { state: DeliveryState::Waiting(at), ..delivery }))
}

async fn replay_due(connection: &AsyncPgConnection, delivery: &Delivery, at: Timestamp) -> QueryResult<()> {
    let row =
        webhook_due::table.find((delivery.subscription_id.as_bytes().as_slice(), delivery.id.as_bytes().as_slice()));
    let [replay, numbered] = [Phase::Replay, Phase::Numbered].map(|phase| phase_number(phase).into_sql::<SmallInt>());
    let phase = case_when(webhook_due::sequence.is_not_null(), numbered).otherwise(replay);
    let replay = (
        webhook_due::phase.eq(phase),
        webhook_due::due_at.eq(StoredInstant::from(at)),
        webhook_due::claim.eq(None::<i64>),
        webhook_due::claimed_until.eq(None::<StoredInstant>),
        webhook_due::attempts_before_run.eq(webhook_due::attempts),
        webhook_due::run_started_at.eq(StoredInstant::from(at)),
    );
    diesel::update(row).set(replay).execute(&mut &*connection).await.map(drop)
}

/// Moves ended deliveries of this lane, which are locked, back to the queue, each with its number if it gets one.
pub(super) async fn replay_ended(
    connection: &AsyncPgConnection,
    lane: SubscriptionId,
    ended: &[(&[u8], Option<i64>)],
    at: Timestamp,
) -> QueryResult<()> {
    let lanes = vec![lane.as_bytes().as_slice(); ended.len()];
    let (ids, numbers): (Vec<&[u8]>, Vec<Option<i64>>) = ended.iter().copied().unzip();
    let replay = statement(REPLAY)
        .bind::<Array<Binary>, _>(&lanes)
        .bind::<Array<Binary>, _>(&ids)
        .bind::<Array<Nullable<BigInt>>, _>(numbers)
        .bind::<Instant, StoredInstant>(at.into());
    let delete = statement(DELETE_ENDED).bind::<Array<Binary>, _>(&lanes).bind::<Array<Binary>, _>(&ids);
    let (replayed, deleted) =
        join(Kept(replay).execute(&mut &*connection), Kept(delete).execute(&mut &*connection)).await;
    replayed.and(deleted).map(drop)
}

/// Makes the locked lane ready for a delivery that is due at `at`, as soon as its pause and its rest
/// allow.
pub(super) async fn wake_lane(connection: &AsyncPgConnection, lane: SubscriptionId, at: Timestamp) -> QueryResult<()> {
    let update =
        statement(WAKE_LANE).bind::<Binary, _>(lane.as_bytes().as_slice()).bind::<Instant, StoredInstant>(at.into());
    Kept(update).execute(&mut &*connection).await.map(drop)
}
