use std::collections::HashMap;

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::subscription_id;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::ports::StoreError;
use domain::webhooks::DeliveryEnd;
use domain::{SubscriptionId, Timestamp};
use futures_util::future::join;

use super::ends::{self, Duplicate, Ended, Held, OutRow};
use super::periods::load;
use super::unreadable::delete_lanes;
use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, settle};

const CLOSED_LANES: &str = "SELECT subscription_id, wakes FROM webhook_lanes
    WHERE NOT is_open AND ready_at <= $1 AND subscription_id <> ALL($2) ORDER BY ready_at LIMIT $3";

/// Locks waiting deliveries of these lanes, if the lanes are still closed. Skips deliveries that another transaction has
/// locked, because that transaction may wait for the lane.
const PICK: &str =
    "SELECT due.subscription_id, due.delivery_id, due.claim, subscription.deleted_at IS NULL AS is_disabled
    FROM unnest($1) AS asked (subscription_id)
    JOIN webhook_lanes AS lane ON lane.subscription_id = asked.subscription_id AND NOT lane.is_open
        AND lane.subscription_id = ANY($1)
    LEFT JOIN webhook_subscriptions AS subscription ON subscription.id = asked.subscription_id
    CROSS JOIN LATERAL (
        SELECT subscription_id, delivery_id, claim FROM webhook_due
        WHERE subscription_id = asked.subscription_id AND (claimed_until IS NULL OR claimed_until <= $2)
        LIMIT 10000 FOR UPDATE SKIP LOCKED
    ) AS due
    LIMIT $3";

/// Sets for each lane when it next has a delivery to end: at once while deliveries wait, otherwise when a claim ends.
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

/// Ends waiting deliveries of some closed lanes. Four round trips.
pub(super) struct EndClosed<'a> {
    pub(super) at: Timestamp,
    pub(super) max: u32,
    /// Lanes that earlier transactions have processed.
    pub(super) skipped: &'a [SubscriptionId],
}

/// The number of ended deliveries, and the lanes.
pub(super) struct EndedOfClosed {
    pub(super) count: u32,
    /// Every lane that the transaction has processed.
    pub(super) seen: Vec<SubscriptionId>,
}

impl Work for EndClosed<'_> {
    type Answer = EndedOfClosed;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<EndedOfClosed, Failure> {
        let query = statement(CLOSED_LANES)
            .bind::<Instant, StoredInstant>(self.at.into())
            .bind::<Array<Binary>, Vec<&[u8]>>(self.skipped.iter().map(|id| id.as_bytes().as_slice()).collect())
            .bind::<BigInt, _>(LANES_MAX);
        let rows: Vec<ClosedLaneRow> = Kept(query).load(&mut &*connection).await?;
        let (rows, damaged): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.id().is_ok());
        let damaged: Vec<Vec<u8>> = damaged.into_iter().map(|row| row.subscription_id).collect();
        delete_lanes(connection, &damaged).await?;
        if rows.is_empty() {
            return Ok(EndedOfClosed { count: 0, seen: Vec::new() });
        }
        let ids: Vec<&[u8]> = rows.iter().map(|row| row.subscription_id.as_slice()).collect();
        let settle_closed = statement(SETTLE_CLOSED)
            .bind::<Array<Binary>, _>(ids.clone())
            .bind::<Array<BigInt>, Vec<i64>>(rows.iter().map(|row| row.wakes).collect())
            .bind::<Instant, StoredInstant>(self.at.into());
        let (begun, waiting) =
            join(Begin.execute(&mut &*connection), pick(connection, &ids, self.at, self.max.min(ENDED_MAX))).await;
        let waiting = begun.and(waiting)?;
        end(connection, &waiting, self.at).await?;
        let (settled, committed) =
            join(Kept(settle_closed).execute(&mut &*connection), Commit.execute(&mut &*connection)).await;
        settle(settled, committed)?;
        let seen: Result<Vec<SubscriptionId>, _> = rows.iter().map(ClosedLaneRow::id).collect();
        Ok(EndedOfClosed { count: u32::try_from(waiting.len()).unwrap_or(self.max), seen: seen? })
    }
}

/// Locks up to `max` waiting deliveries of these lanes.
pub(super) async fn pick(
    connection: &AsyncPgConnection,
    lanes: &[&[u8]],
    at: Timestamp,
    max: u32,
) -> QueryResult<Vec<WaitingRow>> {
    let query = statement(PICK)
        .bind::<Array<Binary>, _>(lanes)
        .bind::<Instant, StoredInstant>(at.into())
        .bind::<BigInt, i64>(max.into());
    Kept(query).load(&mut &*connection).await
}

/// Ends these locked deliveries.
pub(super) async fn end(connection: &AsyncPgConnection, waiting: &[WaitingRow], at: Timestamp) -> QueryResult<()> {
    let held: Vec<Held<'_>> = waiting.iter().map(WaitingRow::held).collect();
    let (periods, out) = join(load(connection), ends::take_out(connection, &held)).await;
    let (periods, out) = (periods?, out?);
    let is_disabled: HashMap<&[u8], bool> =
        waiting.iter().map(|row| (row.subscription_id.as_slice(), row.is_disabled)).collect();
    let end = |row: &OutRow| match is_disabled.get(row.subscription_id.as_slice()) {
        Some(true) => DeliveryEnd::SubscriptionDisabled,
        _ => DeliveryEnd::SubscriptionDeleted,
    };
    let shown = out.iter().filter(|row| row.has_place(&periods));
    let ended: Vec<Ended<'_>> = shown.map(|row| (row, end(row), at)).collect();
    ends::insert(connection, &ended, Duplicate::Kept).await.map(drop)
}

/// A waiting delivery of a closed lane.
#[derive(QueryableByName)]
pub(super) struct WaitingRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(sql_type = Binary)]
    delivery_id: Vec<u8>,
    #[diesel(sql_type = Nullable<BigInt>)]
    claim: Option<i64>,
    #[diesel(sql_type = Bool)]
    is_disabled: bool,
}

#[derive(QueryableByName)]
struct ClosedLaneRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    wakes: i64,
}

impl WaitingRow {
    fn held(&self) -> Held<'_> {
        Held { subscription: &self.subscription_id, delivery: &self.delivery_id, claim: self.claim }
    }
}

impl ClosedLaneRow {
    fn id(&self) -> Result<SubscriptionId, StoreError> {
        subscription_id("webhook_lanes", "subscription_id", &self.subscription_id)
    }
}
