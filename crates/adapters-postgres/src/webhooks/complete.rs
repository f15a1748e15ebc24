use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, SmallInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{BreakerRow, phase_number, stored_headers, subscription_id};
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::audit::Cause;
use domain::ports::{Completion, StoreError};
use domain::webhooks::{
    AttemptRecord, Breaker, ClaimEnd, Consequences, FailureReason, NextStep, Phase, Report, SubscriptionStatus,
};
use domain::{SubscriptionId, Timestamp};
use futures_util::future::{OptionFuture, join, join3, join4};

use super::close_lane::{disable, owner_of_open};
use super::ends::{self, Duplicate, Ended, Held, OutRow};
use super::periods::id_range;
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Begin, Commit, on_its_node, settle};

/// The events of deliveries, in either table. `$3` and `$4` name the partitions: see [`id_range`].
const FIND_EVENTS: &str = "SELECT asked.delivery_id, stored.event_id
    FROM unnest($1, $2) AS asked (subscription_id, delivery_id)
    CROSS JOIN LATERAL (
        SELECT event_id FROM webhook_due
            WHERE subscription_id = asked.subscription_id AND delivery_id = asked.delivery_id
        UNION ALL
        SELECT event_id FROM webhook_deliveries
            WHERE subscription_id = asked.subscription_id AND id = asked.delivery_id AND id >= $3 AND id <= $4
        LIMIT 1
    ) AS stored";

/// Stores attempts. It fails if one of them is stored already.
const RECORD: &str = on_its_node!(
    "INSERT INTO webhook_attempts
        (subscription_id, delivery_id, event_id, number, started_at, ended_at, failure, status, headers, excerpt)
    SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
);
/// For [`Duplicate::Kept`]: stores and returns only new attempts.
const IF_NEW: &str = " ON CONFLICT DO NOTHING RETURNING delivery_id, number";

/// Only another claim or an end changes a claimed row, and both remove the claim. Finds each row by its key: see [the
/// module](super) about the array of one id.
const GO_ON: &str = "UPDATE webhook_due AS due
    SET claim = NULL, claimed_until = NULL, due_at = next.due_at, phase = GREATEST(due.phase, next.phase),
        attempts = due.attempts - next.uncounted
    FROM unnest($1, $2, $3, $4, $5, $6) AS next (subscription_id, delivery_id, claim, due_at, phase, uncounted)
    WHERE due.subscription_id = ANY(ARRAY[next.subscription_id]) AND due.delivery_id = next.delivery_id
        AND due.claim = next.claim
    RETURNING due.subscription_id, due.delivery_id, next.claim, due.event_id, due.attempts";

/// Lanes that must be written: after deliveries without a failure, only lanes with known failures, or with an order, where the
/// next delivery waits for them.
const LOCK_LANES: &str = "SELECT lane.subscription_id, lane.failures_in_a_row, lane.failing_since, lane.paused_until,
        lane.pause_millis
    FROM unnest($1, $2) AS reported (subscription_id, is_failing)
    JOIN webhook_lanes AS lane ON lane.subscription_id = reported.subscription_id
    WHERE lane.subscription_id = ANY($1) AND (reported.is_failing OR lane.failures_in_a_row <> 0
        OR lane.failing_since IS NOT NULL OR lane.paused_until IS NOT NULL OR lane.last_sequence IS NOT NULL)
    ORDER BY lane.subscription_id FOR NO KEY UPDATE OF lane";

/// A changed lane becomes ready as soon as its pause and its rest allow: the next claim finds out whether a delivery is due.
const WRITE_LANES: &str = "UPDATE webhook_lanes AS lane
    SET failures_in_a_row = reported.failures_in_a_row, failing_since = reported.failing_since,
        paused_until = reported.paused_until, pause_millis = reported.pause_millis, wakes = lane.wakes + 1,
        due_from = LEAST(lane.due_from, reported.at),
        ready_at = GREATEST(LEAST(lane.ready_at, reported.at),
            CASE WHEN lane.is_open THEN GREATEST(reported.paused_until, lane.rests_until) END)
    FROM unnest($1, $2, $3, $4, $5, $6) AS reported
        (subscription_id, failures_in_a_row, failing_since, paused_until, pause_millis, at)
    WHERE lane.subscription_id = reported.subscription_id AND lane.subscription_id = ANY($1)";

/// Ends claims, in one transaction. Two round trips; one more if lanes must be written, and two for each subscription
/// that is disabled or has a turn of its health. Locks deliveries first, then lanes, then the places of attempts, and
/// does not wait once it has a place.
pub(super) struct Complete<'a> {
    completions: &'a [Completion],
    /// Whether an attempt has failed: an end or an attempt that the log has already may be the reason, so the next one
    /// keeps them.
    has_failed: AtomicBool,
}

/// Whether each claim still held its delivery, and whether a lane was woken.
pub(super) struct Completed {
    pub(super) held: Vec<bool>,
    pub(super) has_woken: bool,
}

impl Work for Complete<'_> {
    type Answer = Completed;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Completed, Failure> {
        let duplicate =
            if self.has_failed.swap(true, Ordering::Relaxed) { Duplicate::Kept } else { Duplicate::Refused };
        let (begun, out, gone_on, locked) = join4(
            Begin.execute(&mut &*connection),
            OptionFuture::from(self.take_out(connection)),
            OptionFuture::from(self.go_on(connection)),
            self.lock_lanes(connection),
        )
        .await;
        // In the order of the statements: all statements after a failed one fail because of it.
        begun?;
        let (out, gone_on) = (out.transpose()?.unwrap_or_default(), gone_on.transpose()?.unwrap_or_default());
        let locked = locked?;
        let ended = self.ended(&out);
        let rows = || out.iter().chain(&gone_on);
        let held = self.held(rows().map(OutRow::held).collect());
        let stops = self.stops(&held);
        let insert = || (!ended.is_empty()).then(|| ends::insert(connection, &ended, duplicate));
        let known: Events<'_> = rows().map(|row| (row.delivery_id.as_slice(), row.event_id.as_slice())).collect();
        let found = self.find_events(connection, &known).await?;
        let made = self.made(&known, &found);
        if locked.is_empty() {
            let (inserted, recorded, committed) = join3(
                OptionFuture::from(insert()),
                OptionFuture::from(record(connection, &made, duplicate)),
                Commit.execute(&mut &*connection),
            )
            .await;
            refuse_duplicate(inserted.as_ref())?;
            refuse_duplicate(recorded.as_ref())?;
            settle(inserted.transpose().and(recorded.transpose()), committed)?;
            return Ok(Completed { held, has_woken: false });
        }
        let (inserted, recorded) =
            join(OptionFuture::from(insert()), OptionFuture::from(record(connection, &made, Duplicate::Kept))).await;
        refuse_duplicate(inserted.as_ref())?;
        inserted.transpose()?;
        let mut reported = self.reported(locked, recorded.transpose()?.unwrap_or_default())?;
        for lane in &mut reported {
            let consequences = lane.breaker.record_all(&lane.reports).with_stop(stops.get(&lane.id).copied());
            note(connection, lane.id, consequences).await?;
        }
        let (written, committed) = join(write_lanes(connection, &reported), Commit.execute(&mut &*connection)).await;
        settle(written, committed)?;
        Ok(Completed { held, has_woken: true })
    }
}

/// Another attempt may succeed: it keeps the rows that the log has.
fn refuse_duplicate<T>(inserted: Option<&QueryResult<T>>) -> Result<(), Failure> {
    match inserted {
        Some(Err(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _))) => {
            Err(Failure::overtaken("the log has an end or an attempt already"))
        }
        _ => Ok(()),
    }
}

impl<'a> Complete<'a> {
    pub(super) fn of(completions: &'a [Completion]) -> Self {
        Self { completions, has_failed: AtomicBool::new(false) }
    }

    /// Takes out the ending deliveries, sorted, so that parallel transactions lock the same deliveries in one order.
    fn take_out(&self, connection: &AsyncPgConnection) -> Option<impl Future<Output = QueryResult<Vec<OutRow>>>> {
        let ending = self.completions.iter().filter(|done| matches!(done.end.next_step(), NextStep::End(_)));
        let mut ending: Vec<Held<'_>> = ending.map(held_by).collect();
        ending.sort_unstable();
        (!ending.is_empty()).then_some(async move { ends::take_out(connection, &ending).await })
    }

    fn go_on(&self, connection: &AsyncPgConnection) -> Option<impl Future<Output = QueryResult<Vec<OutRow>>>> {
        let going = self.completions.iter().filter_map(|done| Some((done, GoingOn::of(done.end.next_step())?)));
        let mut going: Vec<(&Completion, GoingOn)> = going.collect();
        going.sort_by_key(|(done, _)| (done.subscription, done.delivery));
        let going_on = statement(GO_ON)
            .bind::<Array<Binary>, Vec<&[u8]>>(going.iter().map(|(done, _)| subscription(done)).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(going.iter().map(|(done, _)| delivery(done)).collect())
            .bind::<Array<BigInt>, Vec<i64>>(going.iter().map(|(done, _)| done.claim.number()).collect())
            .bind::<Array<Instant>, Vec<StoredInstant>>(going.iter().map(|(_, next)| next.due_at.into()).collect())
            .bind::<Array<SmallInt>, Vec<i16>>(going.iter().map(|(_, next)| phase_number(next.phase)).collect())
            .bind::<Array<BigInt>, Vec<i64>>(going.iter().map(|(_, next)| next.uncounted).collect());
        (!going.is_empty()).then(|| Kept(going_on).load(&mut &*connection))
    }

    /// The ends of the deliveries that have left the queue. If a delivery is completed twice, only the first one counts.
    fn ended<'b>(&self, out: &'b [OutRow]) -> Vec<Ended<'b>> {
        let mut ends = HashMap::new();
        for done in self.completions {
            if let NextStep::End(end) = done.end.next_step() {
                ends.entry(held_by(done)).or_insert((end, done.end.ended_at()));
            }
        }
        out.iter().filter_map(|row| ends.get(&row.held()).map(|(end, at)| (row, *end, *at))).collect()
    }

    /// Finds the events of attempts under claims that did not hold: their deliveries may still be stored.
    async fn find_events(&self, connection: &AsyncPgConnection, known: &Events<'_>) -> QueryResult<Vec<FoundRow>> {
        let is_missing = |done: &&Completion| done.end.attempt().is_some() && !known.contains_key(delivery(done));
        let missing: Vec<&Completion> = self.completions.iter().filter(is_missing).collect();
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let (first, last) = id_range(missing.iter().map(|done| delivery(done)));
        let query = statement(FIND_EVENTS)
            .bind::<Array<Binary>, Vec<&[u8]>>(missing.iter().map(|done| subscription(done)).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(missing.iter().map(|done| delivery(done)).collect())
            .bind::<Binary, _>(first)
            .bind::<Binary, _>(last);
        Kept(query).load(&mut &*connection).await
    }

    /// The attempts of known deliveries, with their events. Sorted, so that parallel transactions take places in one
    /// order.
    fn made<'b>(&self, known: &Events<'b>, found: &'b [FoundRow]) -> Vec<Made<'b>>
    where
        'a: 'b,
    {
        let found: Events<'_> = found.iter().map(|row| (row.delivery_id.as_slice(), row.event_id.as_slice())).collect();
        let made = self.completions.iter().filter_map(|done| {
            let event = known.get(delivery(done)).or_else(|| found.get(delivery(done))).copied()?;
            Some(Made { done, event, attempt: done.end.attempt()? })
        });
        let mut made: Vec<Made<'b>> = made.collect();
        made.sort_unstable_by_key(|made| (made.done.subscription, made.done.delivery));
        made
    }

    async fn lock_lanes(&self, connection: &AsyncPgConnection) -> QueryResult<Vec<LockedLaneRow>> {
        let mut lanes: BTreeMap<SubscriptionId, bool> = BTreeMap::new();
        for done in self.completions {
            *lanes.entry(done.subscription).or_default() |= !matches!(done.end, ClaimEnd::Delivered(_));
        }
        let query = statement(LOCK_LANES)
            .bind::<Array<Binary>, Vec<&[u8]>>(lanes.keys().map(|lane| lane.as_bytes().as_slice()).collect())
            .bind::<Array<Bool>, Vec<bool>>(lanes.values().copied().collect());
        Kept(query).load(&mut &*connection).await
    }

    /// Whether each completion held its claim: if a delivery is completed twice, only the first one did.
    fn held<'b>(&self, mut held: HashSet<Held<'b>>) -> Vec<bool>
    where
        'a: 'b,
    {
        self.completions.iter().map(|done| held.remove(&held_by(done))).collect()
    }

    /// When the order of each lane stopped, by the completions that held their claims.
    fn stops(&self, held: &[bool]) -> HashMap<SubscriptionId, Timestamp> {
        let held = self.completions.iter().zip(held).filter(|(_, is_held)| **is_held);
        held.filter_map(|(done, _)| Some((done.subscription, done.end.stopped_at()?))).collect()
    }

    /// Reports the attempts that were just recorded to the breakers of their lanes.
    fn reported(&self, rows: Vec<LockedLaneRow>, recorded: Vec<RecordedRow>) -> Result<Vec<ReportedLane>, StoreError> {
        let mut recorded: HashSet<(Vec<u8>, i64)> =
            recorded.into_iter().map(|row| (row.delivery_id, row.number)).collect();
        let mut lanes: HashMap<SubscriptionId, ReportedLane> = HashMap::new();
        for row in rows {
            let id = subscription_id("webhook_lanes", "subscription_id", &row.subscription_id)?;
            let breaker = row.breaker.breaker();
            lanes.insert(id, ReportedLane { id, breaker, at: Timestamp::MAX, reports: Vec::new() });
        }
        for done in self.completions {
            let Some(lane) = lanes.get_mut(&done.subscription) else { continue };
            let ended_at = done.end.ended_at();
            let due_at = GoingOn::of(done.end.next_step()).map_or(ended_at, |next| next.due_at);
            lane.at = lane.at.min(ended_at).min(due_at);
            let Some((attempt, report)) = done.end.attempt().zip(done.end.report()) else { continue };
            if recorded.remove(&(delivery(done).to_vec(), attempt.number.into())) {
                lane.reports.push(report);
            }
        }
        let mut lanes: Vec<ReportedLane> = lanes.into_values().collect();
        lanes.sort_unstable_by_key(|lane| lane.id);
        Ok(lanes)
    }
}

/// The events of deliveries, by their ids.
type Events<'a> = HashMap<&'a [u8], &'a [u8]>;

/// An attempt, and the event of its delivery.
struct Made<'a> {
    done: &'a Completion,
    event: &'a [u8],
    attempt: &'a AttemptRecord,
}

fn record<'a>(
    connection: &'a AsyncPgConnection,
    made: &[Made<'a>],
    duplicate: Duplicate,
) -> Option<impl Future<Output = QueryResult<Vec<RecordedRow>>> + use<'a>> {
    let attempts = || made.iter().map(|made| made.attempt);
    let if_new = if duplicate == Duplicate::Kept { IF_NEW } else { "" };
    let insertion = statement([RECORD, if_new].concat())
        .bind::<Array<Binary>, Vec<&[u8]>>(made.iter().map(|made| subscription(made.done)).collect())
        .bind::<Array<Binary>, Vec<&[u8]>>(made.iter().map(|made| delivery(made.done)).collect())
        .bind::<Array<Binary>, Vec<&[u8]>>(made.iter().map(|made| made.event).collect())
        .bind::<Array<BigInt>, Vec<i64>>(attempts().map(|attempt| attempt.number.into()).collect())
        .bind::<Array<Instant>, Vec<StoredInstant>>(attempts().map(|attempt| attempt.started_at.into()).collect())
        .bind::<Array<Instant>, Vec<StoredInstant>>(attempts().map(|attempt| attempt.ended_at().into()).collect())
        .bind::<Array<Nullable<Text>>, Vec<Option<&str>>>(
            attempts().map(|attempt| attempt.failure.map(FailureReason::code)).collect(),
        )
        .bind::<Array<Nullable<BigInt>>, Vec<Option<i64>>>(
            attempts().map(|attempt| attempt.status.map(Into::into)).collect(),
        )
        .bind::<Array<Nullable<Text>>, Vec<Option<&str>>>(attempts().map(stored_headers).collect())
        .bind::<Array<Binary>, Vec<&[u8]>>(attempts().map(|attempt| attempt.excerpt.as_slice()).collect());
    (!made.is_empty()).then(|| Kept(insertion).load(&mut &*connection))
}

fn held_by(done: &Completion) -> Held<'_> {
    Held { subscription: subscription(done), delivery: delivery(done), claim: Some(done.claim.number()) }
}

fn subscription(done: &Completion) -> &[u8] {
    done.subscription.as_bytes()
}

fn delivery(done: &Completion) -> &[u8] {
    done.delivery.as_bytes()
}

/// The next state of a delivery that has not ended.
struct GoingOn {
    due_at: Timestamp,
    phase: Phase,
    uncounted: i64,
}

impl GoingOn {
    fn of(next: NextStep) -> Option<Self> {
        match next {
            NextStep::End(_) => None,
            NextStep::Retry(due_at) => Some(Self { due_at, phase: Phase::Retry, uncounted: 0 }),
            NextStep::GiveBack(due_at) => Some(Self { due_at, phase: Phase::First, uncounted: 1 }),
        }
    }
}

#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(sql_type = Binary)]
    delivery_id: Vec<u8>,
    #[diesel(sql_type = Binary)]
    event_id: Vec<u8>,
}

#[derive(QueryableByName)]
struct RecordedRow {
    #[diesel(sql_type = Binary)]
    delivery_id: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    number: i64,
}

#[derive(QueryableByName)]
struct LockedLaneRow {
    #[diesel(sql_type = Binary)]
    subscription_id: Vec<u8>,
    #[diesel(embed)]
    breaker: BreakerRow,
}

/// A lane with new attempts.
struct ReportedLane {
    id: SubscriptionId,
    breaker: Breaker,
    /// When its first completion ended, or when its first delivery is due again.
    at: Timestamp,
    reports: Vec<Report>,
}

/// Applies the consequences of a lane's reports to its subscription, and writes their events.
async fn note(connection: &AsyncPgConnection, lane: SubscriptionId, consequences: Consequences) -> QueryResult<()> {
    if let Some((turn, at)) = consequences.turned
        && let Some(owner) = owner_of_open(connection, lane).await?
    {
        let event = Cause::of_service(at, lane).subscription_turned(lane, &owner, turn);
        write_events(connection, &[event]).await?;
    }
    if let Some((reason, at)) = consequences.disabled {
        let disabled = disable(connection, lane, reason, at).await?.map(|owner| (lane, owner));
        let status = SubscriptionStatus::DisabledByService(reason);
        let events = Cause::of_service(at, lane).subscriptions_disabled(status, disabled);
        write_events(connection, &events).await?;
    }
    Ok(())
}

async fn write_lanes(connection: &AsyncPgConnection, lanes: &[ReportedLane]) -> QueryResult<usize> {
    let breakers: Vec<BreakerRow> = lanes.iter().map(|lane| BreakerRow::from(&lane.breaker)).collect();
    let update = statement(WRITE_LANES)
        .bind::<Array<Binary>, Vec<&[u8]>>(lanes.iter().map(|lane| lane.id.as_bytes().as_slice()).collect())
        .bind::<Array<BigInt>, Vec<i64>>(breakers.iter().map(|breaker| breaker.failures_in_a_row).collect())
        .bind::<Array<Nullable<Instant>>, Vec<Option<StoredInstant>>>(
            breakers.iter().map(|breaker| breaker.failing_since).collect(),
        )
        .bind::<Array<Nullable<Instant>>, Vec<Option<StoredInstant>>>(
            breakers.iter().map(|breaker| breaker.paused_until).collect(),
        )
        .bind::<Array<BigInt>, Vec<i64>>(breakers.iter().map(|breaker| breaker.pause_millis).collect())
        .bind::<Array<Instant>, Vec<StoredInstant>>(lanes.iter().map(|lane| lane.at.into()).collect());
    Kept(update).execute(&mut &*connection).await
}
