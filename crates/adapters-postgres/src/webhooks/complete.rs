use std::collections::{BTreeMap, HashMap, HashSet};

use diesel::QueryResult;
use diesel::deserialize::QueryableByName;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, SmallInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{BreakerRow, UNKNOWN_EVENT_TYPE, phase_number, stored_headers, subscription_id};
use diesel_mapping::{Kept, StoredInstant};
use domain::audit::Cause;
use domain::ports::{Completion, StoreError};
use domain::webhooks::{
    AttemptRecord, Breaker, ClaimEnd, Consequences, DeliveryEnd, FailureReason, NextStep, Phase, Report,
    SubscriptionStatus,
};
use domain::{SubscriptionId, Timestamp};
use futures_util::future::{OptionFuture, join, join3};

use super::close_lane::{disable, owner_of_open};
use super::periods::id_range;
use crate::attempt::{Failure, Work};
use crate::audit::write_events;
use crate::transaction::{Begin, Commit, settle};

/// Stores the attempts of known deliveries that are not stored yet. `$10` and `$11` name the partitions: see
/// [`id_range`].
const RECORD: &str = "WITH known AS MATERIALIZED (
        SELECT made.*, stored.event_id FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9) AS made
            (subscription_id, delivery_id, number, started_at, ended_at, failure, status, headers, excerpt)
        CROSS JOIN LATERAL (
            SELECT event_id FROM webhook_due
                WHERE subscription_id = made.subscription_id AND delivery_id = made.delivery_id
            UNION ALL
            SELECT event_id FROM webhook_deliveries
                WHERE subscription_id = made.subscription_id AND id = made.delivery_id AND id >= $10 AND id <= $11
            LIMIT 1
        ) AS stored
    ), recorded AS (
        INSERT INTO webhook_attempts
            (subscription_id, delivery_id, number, event_id, started_at, ended_at, failure, status, headers, excerpt)
        SELECT subscription_id, delivery_id, number, event_id, started_at, ended_at, failure, status, headers, excerpt
        FROM known
        ON CONFLICT DO NOTHING
        RETURNING delivery_id, number
    )
    SELECT delivery_id, number FROM recorded";

/// Ends only rows that it has deleted: see [`super::deliver`]. `$6` and `$7` name the partitions: see [`id_range`].
const END: &str = "WITH held AS MATERIALIZED (
        SELECT DISTINCT ON (done.delivery_id) due.place, done.*
        FROM unnest($1, $2, $3, $4, $5) AS done (subscription_id, delivery_id, claim, ended, ended_at)
        CROSS JOIN LATERAL (
            SELECT ctid AS place FROM webhook_due
            WHERE subscription_id = done.subscription_id AND delivery_id = done.delivery_id AND claim = done.claim
            FOR UPDATE
        ) AS due
    ), gone AS (
        DELETE FROM webhook_due AS due USING held WHERE due.ctid = held.place
        RETURNING held.*, due.event_id, due.attempts
    ), stored AS (
        INSERT INTO webhook_deliveries (subscription_id, id, event_id, event_type, ended, ended_at, attempts)
        SELECT subscription_id, delivery_id, event_id, COALESCE((
                SELECT event_type FROM webhook_events WHERE id = gone.event_id AND id >= $6 AND id <= $7
            ), $8), ended, ended_at, attempts
        FROM gone
        ON CONFLICT DO NOTHING
    )
    SELECT delivery_id, claim FROM gone";

/// Like [`END`]: only another claim or an end changes a claimed row, and both take the claim away.
const GO_ON: &str = "WITH held AS MATERIALIZED (
        SELECT due.place, next.claim, next.due_at, next.phase, next.uncounted
        FROM unnest($1, $2, $3, $4, $5, $6) AS next (subscription_id, delivery_id, claim, due_at, phase, uncounted)
        CROSS JOIN LATERAL (
            SELECT ctid AS place FROM webhook_due
            WHERE subscription_id = next.subscription_id AND delivery_id = next.delivery_id AND claim = next.claim
            FOR NO KEY UPDATE
        ) AS due
    )
    UPDATE webhook_due AS due
    SET claim = NULL, claimed_until = NULL, due_at = held.due_at, phase = GREATEST(due.phase, held.phase),
        attempts = due.attempts - held.uncounted
    FROM held WHERE due.ctid = held.place
    RETURNING due.delivery_id, held.claim";

/// Lanes that must be written: if everything was delivered, only lanes with known failures.
const LOCK_LANES: &str = "SELECT lane.subscription_id, lane.failures_in_a_row, lane.failing_since, lane.paused_until,
        lane.pause_millis
    FROM unnest($1, $2) AS reported (subscription_id, is_failing)
    JOIN webhook_lanes AS lane ON lane.subscription_id = reported.subscription_id
    WHERE lane.subscription_id = ANY($1) AND (reported.is_failing OR lane.failures_in_a_row <> 0
        OR lane.failing_since IS NOT NULL OR lane.paused_until IS NOT NULL)
    ORDER BY lane.subscription_id FOR NO KEY UPDATE OF lane";

/// A changed lane becomes ready as soon as its pause allows: the next claim finds out whether something is due.
const WRITE_LANES: &str = "UPDATE webhook_lanes AS lane
    SET failures_in_a_row = reported.failures_in_a_row, failing_since = reported.failing_since,
        paused_until = reported.paused_until, pause_millis = reported.pause_millis, wakes = lane.wakes + 1,
        due_from = LEAST(lane.due_from, reported.at),
        ready_at = GREATEST(LEAST(lane.ready_at, reported.at), CASE WHEN lane.is_open THEN reported.paused_until END)
    FROM unnest($1, $2, $3, $4, $5, $6) AS reported
        (subscription_id, failures_in_a_row, failing_since, paused_until, pause_millis, at)
    WHERE lane.subscription_id = reported.subscription_id AND lane.subscription_id = ANY($1)";

/// Ends claims, in one transaction. Two round trips, and two more for each subscription that is disabled
/// or whose health turns. Locks deliveries first, then the places of their attempts, as [`super::deliver`] does, then lanes.
pub(super) struct Complete<'a>(pub(super) Vec<&'a Completion>);

/// Whether each claim still held its delivery, and whether a lane was woken.
pub(super) struct Completed {
    pub(super) held: Vec<bool>,
    pub(super) has_woken: bool,
}

impl Work for Complete<'_> {
    type Answer = Completed;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Completed, Failure> {
        let ((begun, ended, gone_on), (recorded, locked)) = join(
            join3(
                Begin.execute(&mut &*connection),
                OptionFuture::from(self.end(connection)),
                OptionFuture::from(self.go_on(connection)),
            ),
            join(OptionFuture::from(self.record(connection)), self.lock_lanes(connection)),
        )
        .await;
        // In the order of the statements: all that follow a failed one fail because of it.
        begun?;
        let held = ended.transpose()?.unwrap_or_default().into_iter().chain(gone_on.transpose()?.unwrap_or_default());
        let held = self.held(held.collect());
        let recorded = recorded.transpose()?.unwrap_or_default();
        let mut reported = self.reported(locked?, recorded)?;
        for lane in &mut reported {
            let consequences = lane.breaker.record_all(&lane.reports);
            note(connection, lane.id, consequences).await?;
        }
        let (written, committed) =
            join(OptionFuture::from(write_lanes(connection, &reported)), Commit.execute(&mut &*connection)).await;
        settle(written.transpose(), committed)?;
        Ok(Completed { held, has_woken: !reported.is_empty() })
    }
}

impl Complete<'_> {
    fn record(&self, connection: &AsyncPgConnection) -> Option<impl Future<Output = QueryResult<Vec<RecordedRow>>>> {
        let made: Vec<(&Completion, &AttemptRecord)> =
            self.0.iter().filter_map(|done| Some((*done, done.end.attempt()?))).collect();
        let attempts = || made.iter().map(|(_, attempt)| *attempt);
        let (first, last) = id_range(made.iter().map(|(done, _)| done.delivery));
        let insertion = diesel::sql_query(RECORD)
            .bind::<Array<Binary>, Vec<&[u8]>>(made.iter().map(|(done, _)| subscription(done)).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(made.iter().map(|(done, _)| delivery(done)).collect())
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
            .bind::<Array<Binary>, Vec<&[u8]>>(attempts().map(|attempt| attempt.excerpt.as_slice()).collect())
            .bind::<Binary, _>(first)
            .bind::<Binary, _>(last);
        (!made.is_empty()).then(|| Kept(insertion).load(&mut &*connection))
    }

    fn end(&self, connection: &AsyncPgConnection) -> Option<impl Future<Output = QueryResult<Vec<HeldRow>>>> {
        let ended = self.0.iter().filter_map(|done| match done.end.next_step() {
            NextStep::End(end) => Some((*done, end)),
            NextStep::Retry(_) | NextStep::GiveBack(_) => None,
        });
        let ended: Vec<(&Completion, DeliveryEnd)> = ended.collect();
        let (first, last) = id_range(ended.iter().map(|(done, _)| done.delivery));
        let statement = diesel::sql_query(END)
            .bind::<Array<Binary>, Vec<&[u8]>>(ended.iter().map(|(done, _)| subscription(done)).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(ended.iter().map(|(done, _)| delivery(done)).collect())
            .bind::<Array<BigInt>, Vec<i64>>(ended.iter().map(|(done, _)| done.claim.number()).collect())
            .bind::<Array<Text>, Vec<&str>>(ended.iter().map(|(_, end)| end.code()).collect())
            .bind::<Array<Instant>, Vec<StoredInstant>>(
                ended.iter().map(|(done, _)| done.end.ended_at().into()).collect(),
            )
            .bind::<Binary, _>(first)
            .bind::<Binary, _>(last)
            .bind::<Text, _>(UNKNOWN_EVENT_TYPE);
        (!ended.is_empty()).then(|| Kept(statement).load(&mut &*connection))
    }

    fn go_on(&self, connection: &AsyncPgConnection) -> Option<impl Future<Output = QueryResult<Vec<HeldRow>>>> {
        let going: Vec<(&Completion, GoingOn)> =
            self.0.iter().filter_map(|done| Some((*done, GoingOn::of(done.end.next_step())?))).collect();
        let statement = diesel::sql_query(GO_ON)
            .bind::<Array<Binary>, Vec<&[u8]>>(going.iter().map(|(done, _)| subscription(done)).collect())
            .bind::<Array<Binary>, Vec<&[u8]>>(going.iter().map(|(done, _)| delivery(done)).collect())
            .bind::<Array<BigInt>, Vec<i64>>(going.iter().map(|(done, _)| done.claim.number()).collect())
            .bind::<Array<Instant>, Vec<StoredInstant>>(going.iter().map(|(_, next)| next.due_at.into()).collect())
            .bind::<Array<SmallInt>, Vec<i16>>(going.iter().map(|(_, next)| phase_number(next.phase)).collect())
            .bind::<Array<BigInt>, Vec<i64>>(going.iter().map(|(_, next)| next.uncounted).collect());
        (!going.is_empty()).then(|| Kept(statement).load(&mut &*connection))
    }

    async fn lock_lanes(&self, connection: &AsyncPgConnection) -> QueryResult<Vec<LockedLaneRow>> {
        let mut lanes: BTreeMap<SubscriptionId, bool> = BTreeMap::new();
        for done in &self.0 {
            *lanes.entry(done.subscription).or_default() |= !matches!(done.end, ClaimEnd::Delivered(_));
        }
        let query = diesel::sql_query(LOCK_LANES)
            .bind::<Array<Binary>, Vec<&[u8]>>(lanes.keys().map(|lane| lane.as_bytes().as_slice()).collect())
            .bind::<Array<Bool>, Vec<bool>>(lanes.values().copied().collect());
        Kept(query).load(&mut &*connection).await
    }

    /// Whether each completion held its claim: if a delivery is completed twice, only the first one did.
    fn held(&self, rows: Vec<HeldRow>) -> Vec<bool> {
        let mut held: HashSet<Held> = rows.into_iter().map(HeldRow::held).collect();
        self.0.iter().map(|done| held.remove(&Held::by(done))).collect()
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
        for done in &self.0 {
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

pub(super) fn subscription(done: &Completion) -> &[u8] {
    done.subscription.as_bytes()
}

pub(super) fn delivery(done: &Completion) -> &[u8] {
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
struct RecordedRow {
    #[diesel(sql_type = Binary)]
    delivery_id: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// A delivery that the claim of its completion held.
#[derive(QueryableByName)]
pub(super) struct HeldRow {
    #[diesel(sql_type = Binary)]
    delivery_id: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    claim: i64,
}

/// A delivery and its claim. A batch may have results of two claims on one delivery, of which one held it.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Held(Vec<u8>, i64);

impl Held {
    pub(super) fn by(done: &Completion) -> Self {
        Self(delivery(done).to_vec(), done.claim.number())
    }
}

impl HeldRow {
    pub(super) fn held(self) -> Held {
        Held(self.delivery_id, self.claim)
    }
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

/// Does what the reports of a lane mean for its subscription, and writes the events of that.
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

fn write_lanes<'a>(
    connection: &'a AsyncPgConnection,
    lanes: &[ReportedLane],
) -> Option<impl Future<Output = QueryResult<usize>> + use<'a>> {
    let breakers: Vec<BreakerRow> = lanes.iter().map(|lane| BreakerRow::from(&lane.breaker)).collect();
    let ids: Vec<Vec<u8>> = lanes.iter().map(|lane| lane.id.as_bytes().to_vec()).collect();
    let update = diesel::sql_query(WRITE_LANES)
        .bind::<Array<Binary>, Vec<Vec<u8>>>(ids)
        .bind::<Array<BigInt>, Vec<i64>>(breakers.iter().map(|breaker| breaker.failures_in_a_row).collect())
        .bind::<Array<Nullable<Instant>>, Vec<Option<StoredInstant>>>(
            breakers.iter().map(|breaker| breaker.failing_since).collect(),
        )
        .bind::<Array<Nullable<Instant>>, Vec<Option<StoredInstant>>>(
            breakers.iter().map(|breaker| breaker.paused_until).collect(),
        )
        .bind::<Array<BigInt>, Vec<i64>>(breakers.iter().map(|breaker| breaker.pause_millis).collect())
        .bind::<Array<Instant>, Vec<StoredInstant>>(lanes.iter().map(|lane| lane.at.into()).collect());
    (!lanes.is_empty()).then(|| Kept(update).execute(&mut &*connection))
}
