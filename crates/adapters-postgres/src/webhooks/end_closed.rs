use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::subscription_id;
use diesel_mapping::{Kept, StoredInstant};
use domain::ports::StoreError;
use domain::webhooks::DeliveryEnd;
use domain::{SubscriptionId, Timestamp};
use futures_util::future::{join, join3};

use super::left_out::delete_lanes;
use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, settle};

const CLOSED_LANES: &str = "SELECT subscription_id, wakes FROM webhook_lanes
    WHERE NOT is_open AND ready_at <= $1 AND subscription_id <> ALL($2) ORDER BY ready_at LIMIT $3";

/// Ends the waiting deliveries of these lanes, if the lanes are still closed. Deletes the rows by their places: see
/// [`super::claim`]. A row that has just moved is left for the next time.
const END: &str = "WITH picked AS MATERIALIZED (
        SELECT due.place FROM unnest($1) AS asked (subscription_id)
        JOIN webhook_lanes AS lane ON lane.subscription_id = asked.subscription_id AND NOT lane.is_open
            AND lane.subscription_id = ANY($1)
        CROSS JOIN LATERAL (
            SELECT ctid AS place FROM webhook_due
            WHERE subscription_id = asked.subscription_id AND (claimed_until IS NULL OR claimed_until <= $2)
            LIMIT 10000 FOR UPDATE SKIP LOCKED
        ) AS due
        LIMIT $3
    ), ended AS (
        DELETE FROM webhook_due WHERE ctid = ANY(ARRAY(SELECT place FROM picked))
        RETURNING subscription_id, delivery_id, event_id, attempts
    )
    INSERT INTO webhook_deliveries (subscription_id, id, event_id, event_type, ended, ended_at, attempts)
    SELECT ended.subscription_id, ended.delivery_id, ended.event_id, event.event_type,
        CASE WHEN subscription.deleted_at IS NULL THEN $4 ELSE $5 END, $2, ended.attempts
    FROM ended
    JOIN webhook_events AS event ON event.id = ended.event_id
    JOIN webhook_subscriptions AS subscription ON subscription.id = ended.subscription_id
    ON CONFLICT DO NOTHING";

/// Sets for each lane when it next has something to end: at once while deliveries wait, otherwise when a claim ends.
const SETTLE_CLOSED: &str = "UPDATE webhook_lanes AS lane SET wakes = lane.wakes + 1, ready_at = seen.ready_at
    FROM (
        SELECT lane.subscription_id, (
            SELECT min(COALESCE(left_over.claimed_until, $3)) FROM (
                SELECT claimed_until FROM webhook_due WHERE subscription_id = seen.subscription_id LIMIT 1000
            ) AS left_over
        ) AS ready_at
        FROM unnest($1, $2) AS seen (subscription_id, wakes)
        JOIN webhook_lanes AS lane ON lane.subscription_id = seen.subscription_id AND lane.wakes = seen.wakes
            AND lane.subscription_id = ANY($1)
        WHERE NOT lane.is_open
        ORDER BY lane.subscription_id FOR NO KEY UPDATE OF lane SKIP LOCKED
    ) AS seen
    WHERE lane.subscription_id = seen.subscription_id AND lane.subscription_id = ANY($1)";

/// The most lanes in one transaction.
const LANES_MAX: i64 = 64;
/// The most deliveries that end in one transaction, which takes about 300 ms.
const ENDED_MAX: u32 = 10_000;

/// Ends waiting deliveries of some closed lanes. Two round trips.
pub(super) struct EndClosed<'a> {
    pub(super) at: Timestamp,
    pub(super) max: u32,
    /// Lanes that earlier transactions have processed.
    pub(super) skipped: &'a [SubscriptionId],
}

/// The number of ended deliveries, and the lanes.
pub(super) struct Ended {
    pub(super) count: u32,
    /// Every lane that the transaction has processed.
    pub(super) seen: Vec<SubscriptionId>,
}

impl Work for EndClosed<'_> {
    type Answer = Ended;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Ended, Failure> {
        let query = diesel::sql_query(CLOSED_LANES)
            .bind::<Instant, StoredInstant>(self.at.into())
            .bind::<Array<Binary>, Vec<&[u8]>>(self.skipped.iter().map(|id| id.as_bytes().as_slice()).collect())
            .bind::<BigInt, _>(LANES_MAX);
        let rows: Vec<ClosedLaneRow> = Kept(query).load(&mut &*connection).await?;
        let (rows, damaged): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.id().is_ok());
        let damaged: Vec<Vec<u8>> = damaged.into_iter().map(|row| row.subscription_id).collect();
        delete_lanes(connection, &damaged).await?;
        if rows.is_empty() {
            return Ok(Ended { count: 0, seen: Vec::new() });
        }
        let ids: Vec<&[u8]> = rows.iter().map(|row| row.subscription_id.as_slice()).collect();
        let end = diesel::sql_query(END)
            .bind::<Array<Binary>, _>(ids.clone())
            .bind::<Instant, StoredInstant>(self.at.into())
            .bind::<BigInt, i64>(self.max.min(ENDED_MAX).into())
            .bind::<Text, _>(DeliveryEnd::SubscriptionDisabled.code())
            .bind::<Text, _>(DeliveryEnd::SubscriptionDeleted.code());
        let settle_closed = diesel::sql_query(SETTLE_CLOSED)
            .bind::<Array<Binary>, _>(ids)
            .bind::<Array<BigInt>, Vec<i64>>(rows.iter().map(|row| row.wakes).collect())
            .bind::<Instant, StoredInstant>(self.at.into());
        let (begun, (ended, settled), committed) = join3(
            Begin.execute(&mut &*connection),
            join(Kept(end).execute(&mut &*connection), Kept(settle_closed).execute(&mut &*connection)),
            Commit.execute(&mut &*connection),
        )
        .await;
        let count = settle(begun.and(ended).and_then(|count| settled.map(|_| count)), committed)?;
        let seen: Result<Vec<SubscriptionId>, _> = rows.iter().map(ClosedLaneRow::id).collect();
        Ok(Ended { count: u32::try_from(count).unwrap_or(self.max), seen: seen? })
    }
}

#[derive(QueryableByName)]
struct ClosedLaneRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    wakes: i64,
}

impl ClosedLaneRow {
    fn id(&self) -> Result<SubscriptionId, StoreError> {
        subscription_id("webhook_lanes", "subscription_id", &self.subscription_id)
    }
}
