use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Integer, Nullable, SmallInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{BreakerRow, SecretsRow, delivery_id, event_id, subscription_id};
use diesel_mapping::{Kept, StoredInstant};
use domain::ports::{ClaimRequest, ClaimedDelivery, ClaimedLane};
use domain::webhooks::{Admission, Allotment, Breaker, DeliveryRate, OwnerNumber, Payload, SealedSecrets, TargetUrl};
use domain::{EventId, SubscriptionId, Timestamp, TraceContext};
use futures_util::future::{OptionFuture, join, join3};

use super::settle_lanes::{SeenLane, lock_lanes, settle_lanes};
use super::unreadable::{Unreadable, delete_lanes, end_unreadable};
use crate::attempt::{Failure, Work};
use crate::claimers::Claimer;
use crate::transaction::{Begin, Commit, NotDurable, Rollback, settle};

/// The lanes that need service, beginning with the lane that has waited longest, and the columns that their deliveries
/// need. Skips the lanes in `$2`, all lanes of the owners in `$3` and of suspended owners, and begins at `$4`. `OFFSET 0`
/// makes the planner ask for the owner of each lane that it reads, and for no other.
const READY_LANES: &str = "SELECT lane.subscription_id, lane.owner, lane.ready_at, lane.wakes, lane.failures_in_a_row,
        lane.failing_since, lane.paused_until, lane.pause_millis, lane.rests_until,
        subscription.url, subscription.secret, subscription.previous_secret, subscription.previous_secret_until,
        subscription.options, owner.rested_until
    FROM (
        SELECT * FROM webhook_lanes WHERE is_open AND ready_at <= $1 AND ready_at >= $4
            AND owner <> ALL($3) AND subscription_id <> ALL($2) AND NOT EXISTS (
                SELECT FROM owners WHERE number = webhook_lanes.owner AND suspended_at IS NOT NULL OFFSET 0
            )
        ORDER BY ready_at LIMIT $5
    ) AS lane
    LEFT JOIN webhook_subscriptions AS subscription ON subscription.id = lane.subscription_id
    LEFT JOIN LATERAL (
        SELECT rested_until FROM owners WHERE number = lane.owner ORDER BY rested_until DESC NULLS LAST LIMIT 1
    ) AS owner ON true
    ORDER BY lane.ready_at";

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
const PICK: &str = "WITH asked AS MATERIALIZED (
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
        SELECT due.* FROM asked CROSS JOIN LATERAL (
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
    )
    SELECT sized.*, CASE WHEN sized.fits THEN sized.whole_payload END AS payload
    FROM (
        SELECT picked.subscription_id, picked.delivery_id, picked.event_id, picked.attempts + 1 AS attempts,
            picked.attempts_before_run, picked.run_started_at, picked.phase, picked.due_at,
            event.payload AS whole_payload, event.trace, picked.copy > 1 OR row_number() OVER in_order = 1
            OR COALESCE(sum(octet_length(event.payload)) OVER in_order, 0) <= $6 AS fits
        FROM (
            SELECT *, row_number() OVER (PARTITION BY event_id ORDER BY due_at, delivery_id) AS copy FROM picked
        ) AS picked
        LEFT JOIN webhook_events AS event ON event.id = picked.event_id AND picked.copy = 1
        WINDOW in_order AS (ORDER BY picked.due_at, picked.delivery_id)
    ) AS sized";

/// Puts the picked deliveries under the claim. Finds each row by its key: see [the module](super) about the array of one
/// id.
const TAKE: &str =
    "UPDATE webhook_due AS due SET claim = $3, claimed_until = $4, claimer = $5, attempts = due.attempts + 1
    FROM unnest($1, $2) AS picked (subscription_id, delivery_id)
    WHERE due.subscription_id = ANY(ARRAY[picked.subscription_id]) AND due.delivery_id = picked.delivery_id";

const TABLE: &str = "webhook_due";

/// The URL of a lane's receiver, and the secrets that sign its deliveries.
type Target = (TargetUrl, SealedSecrets);

/// The most deliveries of one lane in one claim: the constant of [`PICK`].
const ROOM_MAX: u32 = 512;

/// How many times a claim reads lanes. It reads again when some of the lanes have no room, because earlier lanes took
/// the share of their owner. The next claim finds the remaining lanes.
const READS_MAX: u32 = 8;

/// How long a lane stays ready before a claim settles it, if the claim has room for all due deliveries. So a busy lane
/// is written once in this time and not for each event. Each write leaves a version of the row behind, which stays
/// until no transaction of the server can see it.
const LINGER: Duration = Duration::from_secs(1);

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
        let (begun, rows, locked) =
            join3(begun, self.pick(connection, &lanes), OptionFuture::from(lock_lanes(connection, &to_settle))).await;
        let rows = begun.0.and(begun.1).and(rows)?;
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
        let query = diesel::sql_query(READY_LANES)
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

    async fn pick(&self, connection: &AsyncPgConnection, lanes: &[ReadyLane]) -> QueryResult<Vec<PickedRow>> {
        let request = self.request;
        let free = || lanes.iter().filter(|lane| lane.is_free(request.at));
        let alone = || lanes.iter().filter_map(|lane| Some((lane, lane.room_alone(request.at)?)));
        let query = diesel::sql_query(PICK)
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
        let update = diesel::sql_query(TAKE)
            .bind::<Array<Binary>, _>(lanes)
            .bind::<Array<Binary>, _>(deliveries)
            .bind::<BigInt, i64>(self.request.claim.number())
            .bind::<Instant, StoredInstant>(self.request.until.into())
            .bind::<Nullable<Integer>, _>(self.by.map(Claimer::number));
        (!is_empty).then(|| Kept(update).execute(&mut &*connection))
    }
}

#[derive(QueryableByName)]
struct ReadyLaneRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    owner: i64,
    #[diesel(sql_type = Instant)]
    ready_at: StoredInstant,
    #[diesel(sql_type = BigInt)]
    wakes: i64,
    #[diesel(embed)]
    breaker: BreakerRow,
    #[diesel(sql_type = Nullable<Instant>)]
    rests_until: Option<StoredInstant>,
    /// `None` if the subscription does not exist.
    #[diesel(sql_type = Nullable<Text>)]
    url: Option<String>,
    #[diesel(embed)]
    secrets: SecretsRow,
    #[diesel(sql_type = Nullable<Instant>)]
    rested_until: Option<StoredInstant>,
}

/// A lane that needs service.
struct ReadyLane {
    id: SubscriptionId,
    owner: OwnerNumber,
    /// How many deliveries to claim, at most.
    room: u32,
    ready_at: StoredInstant,
    wakes: i64,
    breaker: Breaker,
    /// Until when the lane rests, because of its rate.
    rests_until: Option<Timestamp>,
    /// `None` if the subscription is damaged or does not exist.
    target: Option<Target>,
    /// The end of the last suspension of the owner: no run counts from before it.
    rested_until: Option<Timestamp>,
}

impl ReadyLane {
    fn rate(&self) -> Option<DeliveryRate> {
        self.target.as_ref()?.1.options.max_per_second
    }

    fn may_probe(&self, at: Timestamp) -> bool {
        self.breaker.admission(at) == Admission::Probe
    }

    /// Whether several claims may take deliveries of the lane at a time.
    fn is_free(&self, at: Timestamp) -> bool {
        let rests = self.rests_until.is_some_and(|until| at < until);
        self.breaker.admission(at) == Admission::Free && self.rate().is_none() && !rests
    }

    /// How many deliveries a claim takes that has the lane to itself; `None` if the lane is free, pauses or rests.
    fn room_alone(&self, at: Timestamp) -> Option<u32> {
        match self.breaker.admission(at) {
            _ if self.rests_until.is_some_and(|until| at < until) => None,
            Admission::Probe => Some(1),
            Admission::Free => self.rate().map(|rate| rate.claim_max().min(self.room)),
            Admission::Paused(_) => None,
        }
    }

    /// Until when the lane rests after a claim has taken this many deliveries; `None` without a rate.
    fn rests_after(&self, taken: usize, at: Timestamp) -> Option<Timestamp> {
        let taken = u32::try_from(taken).unwrap_or(u32::MAX);
        self.rate().map(|rate| rate.rests_until(self.rests_until, at, taken))
    }

    /// Whether the claim need not settle the lane: it became ready a moment ago, and will soon have more to send.
    fn may_linger(&self, at: Timestamp) -> bool {
        self.is_free(at) && self.ready_at.timestamp().is_some_and(|ready_at| at < ready_at.plus(LINGER))
    }

    fn seen(&self, at: Timestamp) -> SeenLane {
        SeenLane { id: self.id, wakes: self.wakes, may_probe: self.may_probe(at) }
    }
}

impl ReadyLaneRow {
    /// The lane, or its id as it is stored if the id is damaged.
    fn lane(self) -> Result<ReadyLane, Vec<u8>> {
        let Ok(id) = subscription_id("webhook_lanes", "subscription_id", &self.subscription_id) else {
            return Err(self.subscription_id);
        };
        let (owner, breaker) = (OwnerNumber::from_number(self.owner), self.breaker.breaker());
        let url = self.url.and_then(|url| TargetUrl::from_stored(&url));
        let target = url.zip(self.secrets.secrets(id).ok());
        let [rests_until, rested_until] =
            [self.rests_until, self.rested_until].map(|stored| stored.and_then(StoredInstant::timestamp));
        let (ready_at, wakes) = (self.ready_at, self.wakes);
        Ok(ReadyLane { id, owner, room: 0, ready_at, wakes, breaker, rests_until, target, rested_until })
    }
}

#[derive(QueryableByName)]
struct PickedRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(sql_type = Binary)]
    delivery_id: Vec<u8>,
    #[diesel(sql_type = Binary)]
    event_id: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    attempts: i64,
    #[diesel(sql_type = BigInt)]
    attempts_before_run: i64,
    #[diesel(sql_type = Instant)]
    run_started_at: StoredInstant,
    #[diesel(sql_type = SmallInt)]
    phase: i16,
    #[diesel(sql_type = Instant)]
    due_at: StoredInstant,
    #[diesel(sql_type = Nullable<Binary>)]
    payload: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Binary>)]
    trace: Option<Vec<u8>>,
    /// Whether the claim has room for the payload, if this is the first row of its event.
    #[diesel(sql_type = Bool)]
    fits: bool,
}

/// The part of an event that its deliveries need: the payload, and the span that published it.
type Sent = (Payload, Option<TraceContext>);
/// The sort key of the deliveries of a lane.
type Turn = (i16, Option<Timestamp>);
type Deliveries = HashMap<SubscriptionId, Vec<(Turn, ClaimedDelivery)>>;

/// The picked rows that the claim takes. Payloads that do not fit stay in the queue with their deliveries.
struct Read {
    lanes: Vec<ClaimedLane>,
    /// Rows that end: the row, its event or its subscription is damaged. See decision 55.
    unreadable: Vec<Unreadable>,
}

fn read(lanes: Vec<ReadyLane>, mut rows: Vec<PickedRow>, at: Timestamp) -> Read {
    let whole: HashSet<SubscriptionId> =
        lanes.iter().filter(|lane| lane.target.is_some()).map(|lane| lane.id).collect();
    let unfit: HashSet<Vec<u8>> = rows.iter().filter(|row| !row.fits).map(|row| row.event_id.clone()).collect();
    rows.retain(|row| !unfit.contains(&row.event_id));
    let sent = sent(&mut rows);
    let (mut deliveries, mut unreadable) = (Deliveries::new(), Vec::new());
    for row in rows {
        let lane = subscription_id(TABLE, "subscription_id", &row.subscription_id).ok();
        match lane.filter(|lane| whole.contains(lane)).zip(row.read(&sent)) {
            Some((lane, delivery)) => {
                deliveries.entry(lane).or_default().push(((row.phase, row.due_at.timestamp()), delivery));
            }
            None => unreadable.push(Unreadable { subscription: row.subscription_id, delivery: row.delivery_id }),
        }
    }
    Read { lanes: claimed_lanes(lanes, deliveries, at), unreadable }
}

/// Takes the payloads and spans out of the rows. One row of each event has them.
fn sent(rows: &mut [PickedRow]) -> BTreeMap<EventId, Sent> {
    let sent = |row: &mut PickedRow| {
        let event = event_id(TABLE, "event_id", &row.event_id).ok()?;
        let trace = row.trace.as_deref().and_then(TraceContext::from_bytes);
        Some((event, (Payload::from_bytes(row.payload.take()?), trace)))
    };
    rows.iter_mut().filter_map(sent).collect()
}

impl PickedRow {
    /// The delivery to send; `None` if the row is damaged or has no payload.
    fn read(&self, sent: &BTreeMap<EventId, Sent>) -> Option<ClaimedDelivery> {
        let event = event_id(TABLE, "event_id", &self.event_id).ok()?;
        let (payload, trace) = sent.get(&event)?.clone();
        Some(ClaimedDelivery {
            id: delivery_id(TABLE, "delivery_id", &self.delivery_id).ok()?,
            event,
            payload,
            attempt: self.attempts.try_into().ok()?,
            run_attempt: self.attempts.checked_sub(self.attempts_before_run)?.try_into().ok()?,
            run_started_at: self.run_started_at.timestamp()?,
            trace,
        })
    }
}

fn claimed_lanes(lanes: Vec<ReadyLane>, mut deliveries: Deliveries, at: Timestamp) -> Vec<ClaimedLane> {
    let claimed = lanes.into_iter().filter_map(|lane| {
        let mut deliveries = deliveries.remove(&lane.id)?;
        let rests_until = lane.rests_after(deliveries.len(), at);
        let (url, secrets) = lane.target?;
        deliveries.sort_unstable_by_key(|(turn, delivery)| (*turn, delivery.id));
        let since = lane.rested_until.unwrap_or(Timestamp::MIN);
        let counted = |(_, one): (Turn, ClaimedDelivery)| ClaimedDelivery {
            run_started_at: one.run_started_at.max(since),
            ..one
        };
        let deliveries = deliveries.into_iter().map(counted).collect();
        let (subscription, owner, breaker) = (lane.id, lane.owner, lane.breaker);
        Some(ClaimedLane { subscription, owner, url, secrets, breaker, rests_until, deliveries })
    });
    claimed.collect()
}
