use std::collections::HashSet;

use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::webhook_lanes;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::delivery_id;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::SubscriptionId;
use domain::ports::{RecoverRequest, Recovered};
use futures_util::future::join;

use super::change_subscription::{lock_subscription, open_lane, write_change};
use super::retry_delivery::{replay_ended, wake_lane};
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Commit, rolled_back, settle};

/// The oldest deliveries that a recovery looks at, of all event types: if `$5`, failed deliveries and deliveries that wait for
/// a retry; if `$6`, missed ones.
const LOST: &str = "SELECT * FROM (
        SELECT * FROM (
            SELECT id AS delivery_id, event_id, event_type, TRUE AS has_ended FROM webhook_deliveries
            WHERE subscription_id = $1 AND id > $2 AND ended IN ('schedule_spent', 'subscription_disabled', 'unreadable')
                AND $5
            ORDER BY id LIMIT $4 FOR UPDATE SKIP LOCKED
        ) AS failed
        UNION ALL SELECT * FROM (
            SELECT id, event_id, event_type, TRUE FROM webhook_deliveries
            WHERE subscription_id = $1 AND id > $2 AND ended = 'missed' AND $6
            ORDER BY id LIMIT $4 FOR UPDATE SKIP LOCKED
        ) AS missed
        UNION ALL SELECT * FROM (
            SELECT delivery_id, event_id, event_type, FALSE
            FROM webhook_due AS due JOIN webhook_events AS event ON event.id = due.event_id
            WHERE subscription_id = $1 AND delivery_id > $2 AND claim IS NULL AND due_at > $3 AND $5
            ORDER BY delivery_id LIMIT $4 FOR UPDATE OF due SKIP LOCKED
        ) AS waiting
    ) AS lost ORDER BY delivery_id LIMIT $4";

/// Makes deliveries that wait for a retry due now. Finds each row by its key: see [the module](super) about the array of one
/// id.
const HURRY: &str = "UPDATE webhook_due AS due
    SET phase = GREATEST(due.phase, 2), due_at = $3, attempts_before_run = due.attempts, run_started_at = $3
    FROM unnest($1, $2) AS waiting (subscription_id, delivery_id)
    WHERE due.subscription_id = ANY(ARRAY[waiting.subscription_id]) AND due.delivery_id = waiting.delivery_id";

/// Retries failed and waiting deliveries of a subscription, which the call may enable first.
impl Work for RecoverRequest {
    type Answer = Option<Recovered>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Option<Recovered>, Failure> {
        let found = lock_subscription(connection, &self.owner, self.subscription).await?;
        let Some(before) = found.filter(|found| self.enables || found.status.is_enabled()) else {
            return rolled_back(connection, None).await;
        };
        let (at, mut after) = (self.retry.at, before.clone());
        if self.enables {
            after = before.enabled_at(at);
            write_change(connection, &before, &after, at).await?;
            open_lane(connection, self.subscription, at).await?;
        }
        let recovered = bring_back(self, connection).await?;
        if self.enables || recovered.deliveries > 0 {
            wake_lane(connection, self.subscription, at).await?;
            write_events(connection, &[self.cause.subscription_recovered(&before, &after, recovered.deliveries)])
                .await?;
        }
        settle(Ok(Some(recovered)), Commit.execute(&mut &*connection).await)
    }
}

async fn bring_back(request: &RecoverRequest, connection: &AsyncPgConnection) -> QueryResult<Recovered> {
    let (lane, at, place) = (request.subscription.as_bytes().as_slice(), request.retry.at, request.place());
    let last_sequence = webhook_lanes::table.find(lane).select(webhook_lanes::last_sequence);
    let last_sequence: Option<i64> = last_sequence.first(&mut &*connection).await?;
    let is_ordered = last_sequence.is_some();
    let lost = statement(LOST)
        .bind::<Binary, _>(lane)
        .bind::<Binary, _>(place.as_bytes().as_slice())
        .bind::<Instant, StoredInstant>(at.into())
        .bind::<BigInt, i64>(request.wanted(is_ordered).into())
        .bind::<Bool, _>(request.filter.what.has_failed())
        .bind::<Bool, _>(request.filter.what.has_missed());
    let mut lost: Vec<LostRow> = Kept(lost).load(&mut &*connection).await?;
    request.cut(&mut lost, is_ordered, |row| &row.delivery_id);
    let newest = lost.last().and_then(|row| delivery_id("webhook_deliveries", "id", &row.delivery_id).ok());
    let rest = request.rest(lost.len(), newest);
    lost.retain(|row| request.filter.has_type_named(&row.event_type));
    if lost.is_empty() {
        return Ok(Recovered { deliveries: 0, rest });
    }
    let (ended, waiting): (Vec<&LostRow>, Vec<&LostRow>) = lost.iter().partition(|row| row.has_ended);
    let ended = numbered(connection, request.subscription, last_sequence, ended).await?;
    let waiting: Vec<&[u8]> = waiting.into_iter().map(|row| row.delivery_id.as_slice()).collect();
    let hurry = statement(HURRY)
        .bind::<Array<Binary>, _>(vec![lane; waiting.len()])
        .bind::<Array<Binary>, _>(waiting)
        .bind::<Instant, StoredInstant>(at.into());
    let (replayed, hurried) =
        join(replay_ended(connection, request.subscription, &ended, at), Kept(hurry).execute(&mut &*connection)).await;
    replayed.and(hurried)?;
    // A delivery that an older version has stored twice counts once.
    let lost: HashSet<Vec<u8>> = lost.into_iter().map(|row| row.delivery_id).collect();
    Ok(Recovered { deliveries: u32::try_from(lost.len()).unwrap_or(request.max), rest })
}

/// The ended deliveries of the locked lane, with the next numbers if it has an order, by their events.
async fn numbered<'a>(
    connection: &AsyncPgConnection,
    lane: SubscriptionId,
    last: Option<i64>,
    mut ended: Vec<&'a LostRow>,
) -> QueryResult<Vec<(&'a [u8], Option<i64>)>> {
    ended.sort_unstable_by_key(|row| &row.event_id);
    let ids = ended.into_iter().map(|row| row.delivery_id.as_slice());
    let Some(last) = last else { return Ok(ids.map(|id| (id, None)).collect()) };
    let numbered: Vec<_> = (last + 1..).zip(ids).map(|(number, id)| (id, Some(number))).collect();
    if let Some((_, last)) = numbered.last() {
        let lane = webhook_lanes::table.find(lane.as_bytes().as_slice());
        diesel::update(lane).set(webhook_lanes::last_sequence.eq(last)).execute(&mut &*connection).await?;
    }
    Ok(numbered)
}

#[derive(QueryableByName)]
struct LostRow {
    #[diesel(sql_type = Binary)]
    delivery_id: Vec<u8>,
    #[diesel(sql_type = Binary)]
    event_id: Vec<u8>,
    #[diesel(sql_type = Text)]
    event_type: String,
    #[diesel(sql_type = Bool)]
    has_ended: bool,
}
