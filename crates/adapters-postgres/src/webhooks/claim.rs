use diesel::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Integer, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::ports::{ClaimRequest, ClaimedLane};
use domain::webhooks::{Allotment, OwnerNumber};
use domain::{SubscriptionId, Timestamp};
use futures_util::future::{OptionFuture, join, join3, join4};

use super::picked_row::{PickedRow, Read, read};
use super::ready_lane::{READY_LANES, ReadyLane, ReadyLaneRow};
use super::settle_lanes::{SeenLane, lock_lanes, settle_lanes};
use super::unreadable::{Unreadable, delete_lanes, end_unreadable};
use crate::attempt::{Failure, Work};
use crate::claimers::Claimer;
use crate::transaction::{Begin, Commit, NotDurable, Rollback, settle};

/// [`PICK`] for rows that the statement between picks from the lanes in `asked`.
macro_rules! pick {
    ($picked:literal) => {
        concat!(
            "WITH asked AS MATERIALIZED (
        SELECT lane.subscription_id, free.room, lane.due_from FROM unnest($1, $2) AS free (subscription_id, room)
        JOIN webhook_lanes AS lane ON lane.subscription_id = free.subscription_id AND lane.is_open
            AND lane.subscription_id = ANY($1) AND (lane.paused_until IS NULL OR lane.paused_until <= $5)
        UNION ALL
        SELECT subscription_id, room, due_from FROM (
            SELECT lane.subscription_id, alone.room, lane.due_from
            FROM unnest($3, $4, $7, $8) AS alone (subscription_id, wakes, room, may_probe)
            JOIN webhook_lanes AS lane ON lane.subscription_id = alone.subscription_id AND lane.is_open
                AND lane.subscription_id = ANY($3) AND lane.wakes = alone.wakes
            WHERE NOT alone.may_probe OR NOT EXISTS (
                SELECT FROM (VALUES (0::smallint), (1), (2)) AS phases (phase)
                CROSS JOIN LATERAL (
                    SELECT claimed_until FROM webhook_due WHERE subscription_id = lane.subscription_id
                        AND phase = phases.phase AND phase >= 0 AND due_at >= lane.due_from AND due_at <= $5
                    ORDER BY due_at LIMIT 1000
                ) AS first WHERE first.claimed_until > $5
            )
            ORDER BY lane.subscription_id FOR NO KEY UPDATE OF lane SKIP LOCKED
        ) AS alone
    ), picked AS MATERIALIZED (
",
            $picked,
            "    )
    SELECT sized.*, CASE WHEN sized.fits THEN sized.whole_payload END AS payload
    FROM (
        SELECT picked.subscription_id, picked.delivery_id, picked.event_id, picked.attempts + 1 AS attempts,
            picked.attempts_before_run, picked.run_started_at, picked.phase, picked.due_at, picked.sequence, picked.place,
            event.payload AS whole_payload, event.trace, picked.copy > 1 OR row_number() OVER in_order = 1
            OR COALESCE(sum(octet_length(event.payload)) OVER in_order, 0) <= $6 AS fits
        FROM (
            SELECT *, row_number() OVER (PARTITION BY event_id ORDER BY due_at, delivery_id) AS copy FROM picked
        ) AS picked
        LEFT JOIN webhook_events AS event ON event.id = picked.event_id AND picked.copy = 1
        WINDOW in_order AS (ORDER BY picked.sequence, picked.due_at, picked.delivery_id)
    ) AS sized"
        )
    };
}

/// Claims deliveries of each lane as its room allows: first attempts, then retries and first attempts that were claimed
/// and never completed, then replays. Each kind is a range of the index, and is read only if the kind before leaves
/// room. Each range begins at `due_from` of its lane: the index keeps entries of deleted rows until no transaction of
/// the server can see them.
///
/// - The limit of a range is constant, so that the planner knows that it is short. The lane's room cuts it further.
/// - A lane that may only probe or has a rate is locked, and skipped if it was written since the claim saw it (`wakes`). One
///   that may only probe is skipped if it has an open claim. Open claims are searched among the first thousand deliveries
///   of each kind, because claims are taken from there.
/// - The rows are locked, and [`TAKE`] writes them in the same transaction. `attempts` counts the new attempt.
/// - Here and elsewhere, a condition with `ANY` repeats the ids of the lanes for the index, so that no other lanes are
///   read, in whatever order the tables are joined.
/// - Each payload is read once for its event, and only if it fits into the room for payloads.
///
/// No part waits for a lock: a claim skips rows that another claim has locked. See decision 38.
const PICK: &str = pick!(
    "        SELECT due.*, NULL::bigint AS place FROM asked CROSS JOIN LATERAL (
            SELECT * FROM (
                SELECT * FROM (
                    SELECT * FROM webhook_due
                    WHERE subscription_id = asked.subscription_id AND phase = 0
                        AND due_at >= asked.due_from AND due_at <= $5 AND claimed_until IS NULL
                    ORDER BY due_at LIMIT 512 FOR UPDATE SKIP LOCKED
                ) AS first_attempts
                UNION ALL SELECT * FROM (
                    SELECT * FROM webhook_due
                    WHERE subscription_id = asked.subscription_id AND phase = 1
                        AND due_at >= asked.due_from AND due_at <= $5 AND (claimed_until IS NULL OR claimed_until <= $5)
                    ORDER BY due_at LIMIT 512 FOR UPDATE SKIP LOCKED
                ) AS retries
                UNION ALL SELECT * FROM (
                    SELECT * FROM webhook_due
                    WHERE subscription_id = asked.subscription_id AND phase = 0
                        AND due_at >= asked.due_from AND due_at <= $5 AND claimed_until <= $5
                    ORDER BY due_at LIMIT 512 FOR UPDATE SKIP LOCKED
                ) AS never_completed
                UNION ALL SELECT * FROM (
                    SELECT * FROM webhook_due
                    WHERE subscription_id = asked.subscription_id AND phase = 2
                        AND due_at >= asked.due_from AND due_at <= $5 AND (claimed_until IS NULL OR claimed_until <= $5)
                    ORDER BY due_at LIMIT 512 FOR UPDATE SKIP LOCKED
                ) AS replays
            ) AS in_order LIMIT asked.room
        ) AS due
"
);

/// Picks, in each lane with an order, the waiting deliveries with the lowest numbers, up to the first that may not leave. `place`
/// counts the stored numbers of the lane from 1. The statement skips rows that another transaction has locked or changed, and
/// [`read`] drops every row after a missing place. So no delivery leaves before one with a lower number.
const PICK_NUMBERED: &str = pick!(
    "        SELECT due.* FROM asked CROSS JOIN LATERAL (
            SELECT due.*, seen.place FROM (
                SELECT delivery_id, row_number() OVER numbers AS place, bool_and(
                    due_at <= $5 AND (claimed_until IS NULL OR claimed_until <= $5)
                ) OVER numbers AS may_leave
                FROM (
                    SELECT * FROM webhook_due
                    WHERE subscription_id = asked.subscription_id AND sequence IS NOT NULL
                    ORDER BY sequence LIMIT asked.room
                ) AS first
                WINDOW numbers AS (ORDER BY sequence)
            ) AS seen
            JOIN webhook_due AS due
                ON due.subscription_id = asked.subscription_id AND due.delivery_id = seen.delivery_id
                AND due.due_at <= $5 AND (due.claimed_until IS NULL OR due.claimed_until <= $5)
            WHERE seen.may_leave
            FOR UPDATE OF due SKIP LOCKED
        ) AS due
"
);

/// Puts the picked deliveries under the claim. Finds each row by its key: see [the module](super) about the array of one
/// id.
const TAKE: &str =
    "UPDATE webhook_due AS due SET claim = $3, claimed_until = $4, claimer = $5, attempts = due.attempts + 1
    FROM unnest($1, $2) AS picked (subscription_id, delivery_id)
    WHERE due.subscription_id = ANY(ARRAY[picked.subscription_id]) AND due.delivery_id = picked.delivery_id";

/// The most deliveries of one lane in one claim: the constant of [`PICK`].
const ROOM_MAX: u32 = 512;

/// How many times a claim reads lanes. It reads again when some of the lanes have no room, because earlier lanes took
/// the share of their owner. The next claim finds the remaining lanes.
const READS_MAX: u32 = 8;

/// Claims due deliveries. Three round trips, and one more for each time that it reads lanes again.
pub(super) struct Claim<'a> {
    pub(super) request: &'a ClaimRequest,
    /// This process; `None` until it has a number.
    pub(super) by: Option<Claimer>,
    /// Lanes in which earlier rounds found no due delivery.
    pub(super) skipped: &'a [SubscriptionId],
}

/// The result of a claim.
pub(super) struct Claimed {
    pub(super) lanes: Vec<ClaimedLane>,
    /// Every lane in which the claim searched for deliveries.
    pub(super) seen: Vec<SubscriptionId>,
}

impl Work for Claim<'_> {
    type Answer = Claimed;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Claimed, Failure> {
        let request = self.request;
        let Admitted { lanes, is_short } = self.admitted_lanes(connection).await?;
        if lanes.is_empty() {
            return Ok(Claimed { lanes: Vec::new(), seen: Vec::new() });
        }
        let seen = lanes.iter().map(|lane| lane.id).collect();
        let to_settle = lanes.iter().filter(|lane| is_short || !lane.may_linger(request.at));
        let to_settle: Vec<SeenLane> = to_settle.map(|lane| lane.seen(request.at)).collect();
        let begun = join(Begin.execute(&mut &*connection), NotDurable.execute(&mut &*connection));
        let numbered: Vec<&ReadyLane> = lanes.iter().filter(|lane| lane.is_ordered).collect();
        let (begun, rows, numbered_rows, locked) = join4(
            begun,
            self.pick(connection, PICK, lanes.iter()),
            OptionFuture::from(
                (!numbered.is_empty()).then(|| self.pick(connection, PICK_NUMBERED, numbered.into_iter())),
            ),
            OptionFuture::from(lock_lanes(connection, &to_settle)),
        )
        .await;
        let mut rows = begun.0.and(begun.1).and(rows)?;
        rows.extend(fitting(&rows, numbered_rows.transpose()?.unwrap_or_default(), request.payload_bytes_max));
        let locked = locked.transpose()?.unwrap_or_default();
        let Read { lanes, unreadable } = read(lanes, rows, request.at);
        let (taken, settled, committed) = join3(
            OptionFuture::from(self.take(connection, &lanes, &unreadable)),
            OptionFuture::from(settle_lanes(connection, &to_settle, &locked, &lanes, request.at)),
            Commit.execute(&mut &*connection),
        )
        .await;
        settle(taken.transpose().and(settled.transpose()), committed)?;
        if !unreadable.is_empty() {
            // If this fails, the rows are claimed again when this claim has expired, and end then.
            let ended = end_unreadable(connection, request, &unreadable).await;
            if ended.is_err() {
                Rollback.execute(&mut &*connection).await?;
            }
            let error = ended.as_ref().err().map(|error| error as &dyn std::error::Error);
            tracing::error!(count = unreadable.len(), error, "claimed deliveries are damaged, and end");
        }
        Ok(Claimed { lanes, seen })
    }
}

/// The lanes of a claim.
struct Admitted {
    lanes: Vec<ReadyLane>,
    /// Other lanes or deliveries may wait for which the claim has no room.
    is_short: bool,
}

impl Claim<'_> {
    /// The lanes that have waited longest and have room.
    async fn admitted_lanes(&self, connection: &AsyncPgConnection) -> Result<Admitted, Failure> {
        let mut allotment = Allotment::new(self.request);
        let mut skipped: Vec<SubscriptionId> = allotment.full_lanes().chain(self.skipped.iter().copied()).collect();
        let (mut admitted, mut from) = (Vec::new(), StoredInstant::from(Timestamp::MIN));
        for reads in 1.. {
            let lanes_max = allotment.lanes_left();
            let rows = self.ready_lanes(connection, &allotment, &skipped, from).await?;
            let is_last = rows.len() < lanes_max as usize;
            from = rows.last().map_or(from, |row| row.ready_at);
            for mut lane in self.intact(connection, rows).await? {
                skipped.push(lane.id);
                lane.room = allotment.admit(lane.id, lane.owner, ROOM_MAX);
                if lane.room > 0 {
                    admitted.push(lane);
                }
            }
            if is_last || allotment.lanes_left() == 0 || (reads >= READS_MAX && !admitted.is_empty()) {
                break;
            }
        }
        let is_short = allotment.lanes_left() == 0 || allotment.full_owners().next().is_some();
        Ok(Admitted { lanes: admitted, is_short })
    }

    /// The lanes that need service, up to the limit of the claim. Lanes and owners without room are left out.
    async fn ready_lanes(
        &self,
        connection: &AsyncPgConnection,
        allotment: &Allotment,
        skipped: &[SubscriptionId],
        from: StoredInstant,
    ) -> QueryResult<Vec<ReadyLaneRow>> {
        if allotment.lanes_left() == 0 {
            return Ok(Vec::new());
        }
        let query = statement(READY_LANES)
            .bind::<Instant, StoredInstant>(self.request.at.into())
            .bind::<Array<Binary>, Vec<&[u8]>>(skipped.iter().map(|lane| lane.as_bytes().as_slice()).collect())
            .bind::<Array<BigInt>, Vec<i64>>(allotment.full_owners().map(OwnerNumber::number).collect())
            .bind::<Instant, StoredInstant>(from)
            .bind::<BigInt, i64>(allotment.lanes_left().into());
        Kept(query).load(&mut &*connection).await
    }

    /// The lanes with intact ids. Deletes the others, so that no claim finds them again.
    async fn intact(&self, connection: &AsyncPgConnection, rows: Vec<ReadyLaneRow>) -> QueryResult<Vec<ReadyLane>> {
        let (mut lanes, mut damaged) = (Vec::new(), Vec::new());
        for row in rows {
            match row.lane() {
                Ok(lane) => lanes.push(lane),
                Err(id) => damaged.push(id),
            }
        }
        delete_lanes(connection, &damaged).await?;
        Ok(lanes)
    }

    async fn pick(
        &self,
        connection: &AsyncPgConnection,
        pick: &str,
        lanes: impl Iterator<Item = &ReadyLane> + Clone,
    ) -> QueryResult<Vec<PickedRow>> {
        let request = self.request;
        let free = || lanes.clone().filter(|lane| lane.is_free(request.at));
        let alone = || lanes.clone().filter_map(|lane| Some((lane, lane.room_alone(request.at)?)));
        let query = statement(pick)
            .bind::<Array<Binary>, Vec<&[u8]>>(free().map(|lane| lane.id.as_bytes().as_slice()).collect())
            .bind::<Array<BigInt>, Vec<i64>>(free().map(|lane| lane.room.into()).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(alone().map(|(lane, _)| lane.id.as_bytes().as_slice()).collect())
            .bind::<Array<BigInt>, Vec<i64>>(alone().map(|(lane, _)| lane.wakes).collect())
            .bind::<Instant, StoredInstant>(request.at.into())
            .bind::<BigInt, i64>(i64::try_from(request.payload_bytes_max).unwrap_or(i64::MAX))
            .bind::<Array<BigInt>, Vec<i64>>(alone().map(|(_, room)| room.into()).collect())
            .bind::<Array<Bool>, Vec<bool>>(alone().map(|(lane, _)| lane.may_probe(request.at)).collect());
        Kept(query).load(&mut &*connection).await
    }

    /// Takes the deliveries of these lanes, and rows that end.
    fn take<'c>(
        &self,
        connection: &'c AsyncPgConnection,
        lanes: &[ClaimedLane],
        unreadable: &[Unreadable],
    ) -> Option<impl Future<Output = QueryResult<usize>> + use<'c>> {
        let readable = lanes.iter().flat_map(|lane| {
            lane.deliveries.iter().map(|one| (lane.subscription.as_bytes().to_vec(), one.id.as_bytes().to_vec()))
        });
        let unreadable = unreadable.iter().map(|row| (row.subscription.clone(), row.delivery.clone()));
        let (lanes, deliveries): (Vec<Vec<u8>>, Vec<Vec<u8>>) = readable.chain(unreadable).unzip();
        let is_empty = lanes.is_empty();
        let update = statement(TAKE)
            .bind::<Array<Binary>, _>(lanes)
            .bind::<Array<Binary>, _>(deliveries)
            .bind::<BigInt, i64>(self.request.claim.number())
            .bind::<Instant, StoredInstant>(self.request.until.into())
            .bind::<Nullable<Integer>, _>(self.by.map(Claimer::number));
        (!is_empty).then(|| Kept(update).execute(&mut &*connection))
    }
}

/// The rows with a number. A row does not fit if its payload exceeds the room that the other rows have left.
fn fitting(others: &[PickedRow], mut numbered: Vec<PickedRow>, payload_bytes_max: u64) -> Vec<PickedRow> {
    let mut taken: u64 = others.iter().map(PickedRow::payload_bytes).sum();
    for row in numbered.iter_mut().filter(|_| !others.is_empty()) {
        taken += row.payload_bytes();
        row.fits &= taken <= payload_bytes_max;
    }
    numbered
}
