use diesel::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{IdRow, Kept, StoredInstant, statement};
use domain::ports::ClaimedLane;
use domain::{SubscriptionId, Timestamp};
use futures_util::future::{OptionFuture, join};

/// Locks the lanes that no other transaction has locked.
const LOCK: &str = "SELECT subscription_id AS id FROM webhook_lanes WHERE is_open AND subscription_id = ANY($1)
    ORDER BY subscription_id FOR NO KEY UPDATE SKIP LOCKED";

/// Sets for each lane of the claim when it next needs service: at once while a delivery is due, which puts it behind
/// all lanes that have waited longer; otherwise when a delivery becomes due or a claim ends; never when it is empty.
/// Sets `due_from` to the time of the first delivery. A lane from which the claim took deliveries at a rate rests first.
///
/// - The lanes were locked by an earlier statement: this one sees all earlier commits.
/// - Leaves the lane ready if it was written since the claim saw it (`wakes`).
/// - A lane that may only probe waits for the end of its open claim.
/// - Claims are taken from the front of each kind, so the first thousand rows of each kind contain all open claims.
const SETTLE_OPEN: &str = "UPDATE webhook_lanes AS lane
    SET wakes = lane.wakes + 1, due_from = LEAST(seen.due_from, $4),
        rests_until = COALESCE(seen.rests_until, lane.rests_until),
        ready_at = CASE WHEN seen.ready_at IS NOT NULL
            THEN GREATEST(seen.ready_at, lane.paused_until, seen.rests_until, lane.rests_until) END
    FROM (
        SELECT lane.subscription_id, seen.rests_until, first.due_at AS due_from, CASE
            WHEN next.due_at <= $4 AND NOT (seen.may_probe AND claims.first_end IS NOT NULL) THEN $4
            WHEN seen.may_probe THEN COALESCE(claims.first_end, next.due_at)
            ELSE LEAST(next.due_at, claims.first_end) END AS ready_at
        FROM unnest($1, $2, $3, $5) AS seen (subscription_id, wakes, may_probe, rests_until)
        JOIN webhook_lanes AS lane ON lane.subscription_id = seen.subscription_id AND lane.wakes = seen.wakes
            AND lane.subscription_id = ANY($1)
        CROSS JOIN LATERAL (
            SELECT min(first.due_at) AS due_at FROM (VALUES (0::smallint), (1), (2)) AS phases (phase)
            CROSS JOIN LATERAL (
                SELECT due_at FROM webhook_due
                WHERE subscription_id = seen.subscription_id AND phase = phases.phase AND phase >= 0
                    AND due_at >= lane.due_from
                ORDER BY due_at LIMIT 1
            ) AS first
        ) AS first
        CROSS JOIN LATERAL (
            SELECT min(first.due_at) AS due_at FROM (VALUES (0::smallint), (1), (2)) AS phases (phase)
            CROSS JOIN LATERAL (
                SELECT due_at FROM webhook_due
                WHERE subscription_id = seen.subscription_id AND phase = phases.phase AND phase >= 0
                    AND due_at >= first.due_at AND (claimed_until IS NULL OR claimed_until <= $4)
                ORDER BY due_at LIMIT 1
            ) AS first
        ) AS next
        CROSS JOIN LATERAL (
            SELECT min(first.claimed_until) AS first_end FROM (VALUES (0::smallint), (1), (2)) AS phases (phase)
            CROSS JOIN LATERAL (
                SELECT claimed_until FROM webhook_due
                WHERE subscription_id = seen.subscription_id AND phase = phases.phase AND phase >= 0
                    AND due_at >= first.due_at AND due_at <= $4 + INTERVAL '1 minute'
                    AND (seen.may_probe OR next.due_at IS NULL OR next.due_at > $4)
                ORDER BY due_at LIMIT 1000
            ) AS first WHERE first.claimed_until > $4
        ) AS claims
        WHERE lane.is_open
    ) AS seen
    WHERE lane.subscription_id = seen.subscription_id AND lane.subscription_id = ANY($1)";

/// [`SETTLE_OPEN`] does not see deliveries with a number. The lane needs service when the one with the lowest number is due, or
/// its claim ends.
const SETTLE_NUMBERED: &str = "UPDATE webhook_lanes AS lane
    SET ready_at = LEAST(lane.ready_at, GREATEST(first.ready_at, $2, lane.paused_until, lane.rests_until))
    FROM unnest($1) AS seen (subscription_id)
    CROSS JOIN LATERAL (
        SELECT CASE WHEN claimed_until > $2 THEN claimed_until ELSE due_at END AS ready_at FROM webhook_due
        WHERE subscription_id = seen.subscription_id AND sequence IS NOT NULL ORDER BY sequence LIMIT 1
    ) AS first
    WHERE lane.subscription_id = seen.subscription_id AND lane.subscription_id = ANY($1) AND lane.is_open";

/// A lane of the claim.
pub(super) struct SeenLane {
    pub(super) id: SubscriptionId,
    /// Its count of wakes at the time of the claim.
    pub(super) wakes: i64,
    /// Whether its breaker allowed only a probe.
    pub(super) may_probe: bool,
    /// Whether its deliveries leave one after the other.
    pub(super) is_ordered: bool,
}

/// Locks the lanes that are free, if there are any to settle. Returns them.
pub(super) fn lock_lanes<'a>(
    connection: &'a AsyncPgConnection,
    lanes: &[SeenLane],
) -> Option<impl Future<Output = QueryResult<Vec<IdRow>>> + use<'a>> {
    let query = statement(LOCK)
        .bind::<Array<Binary>, Vec<Vec<u8>>>(lanes.iter().map(|lane| lane.id.as_bytes().to_vec()).collect());
    (!lanes.is_empty()).then(|| Kept(query).load(&mut &*connection))
}

/// Settles the locked ones of the lanes, as the last statement of the transaction. `claimed` are those with deliveries.
pub(super) fn settle_lanes<'a>(
    connection: &'a AsyncPgConnection,
    lanes: &[SeenLane],
    locked: &[IdRow],
    claimed: &[ClaimedLane],
    at: Timestamp,
) -> Option<impl Future<Output = QueryResult<usize>> + use<'a>> {
    let is_locked = |lane: &&SeenLane| locked.iter().any(|row| row.id == lane.id.as_bytes());
    let lanes: Vec<&SeenLane> = lanes.iter().filter(is_locked).collect();
    let claimed = |lane: &SeenLane| claimed.iter().find(|claimed| claimed.subscription == lane.id);
    let rests = |lane: &&SeenLane| claimed(lane)?.rests_until.map(StoredInstant::from);
    let update = statement(SETTLE_OPEN)
        .bind::<Array<Binary>, Vec<Vec<u8>>>(lanes.iter().map(|lane| lane.id.as_bytes().to_vec()).collect())
        .bind::<Array<BigInt>, Vec<i64>>(lanes.iter().map(|lane| lane.wakes).collect())
        .bind::<Array<Bool>, Vec<bool>>(lanes.iter().map(|lane| lane.may_probe).collect())
        .bind::<Instant, StoredInstant>(at.into())
        .bind::<Array<Nullable<Instant>>, Vec<Option<StoredInstant>>>(lanes.iter().map(rests).collect());
    let ordered = lanes.iter().filter(|lane| lane.is_ordered).map(|lane| lane.id.as_bytes().to_vec());
    let ordered: Vec<Vec<u8>> = ordered.collect();
    let numbered = (!ordered.is_empty()).then(|| {
        let update =
            statement(SETTLE_NUMBERED).bind::<Array<Binary>, _>(ordered).bind::<Instant, StoredInstant>(at.into());
        Kept(update).execute(&mut &*connection)
    });
    (!lanes.is_empty()).then_some(async move {
        let settled = join(Kept(update).execute(&mut &*connection), OptionFuture::from(numbered)).await;
        settled.0.and(settled.1.unwrap_or(Ok(0)))
    })
}
