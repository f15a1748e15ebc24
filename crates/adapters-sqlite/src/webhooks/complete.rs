use diesel::prelude::*;
use diesel_mapping::schema::{
    webhook_attempts, webhook_deliveries, webhook_due, webhook_events, webhook_subscriptions,
};
use diesel_mapping::webhooks::{NewAttemptRow, event_id};
use domain::audit::Cause;
use domain::ports::Completion;
use domain::webhooks::{AfterClaim, AttemptRecord, Consequences, Report, SubscriptionStatus};
use domain::{EventId, OwnerId, SubscriptionId, Timestamp};

use super::close_lane::{disable, end_queued};
use super::lane::Lane;
use super::queued_row::QueuedRow;
use crate::audit::write_events;
use crate::undo::Undo;

/// The claims that ended in a lane.
struct Ends {
    id: SubscriptionId,
    /// When the last one ended.
    at: Timestamp,
    reports: Vec<Report>,
    /// When one of them stopped the order of the lane.
    stopped_at: Option<Timestamp>,
}

/// See [`DeliveryQueue::complete`](domain::ports::DeliveryQueue::complete). Also returns whether
/// deliveries may have become due.
pub(super) fn complete(
    connection: &mut SqliteConnection,
    completions: &[Completion],
) -> Result<(Vec<bool>, bool), Undo> {
    let mut held = Vec::with_capacity(completions.len());
    let mut lanes: Vec<Ends> = Vec::new();
    for completion in completions {
        let (is_held, report) = go_on(connection, completion)?;
        held.push(is_held);
        let lane = lanes.iter().position(|lane| lane.id == completion.subscription).unwrap_or_else(|| {
            let (id, at) = (completion.subscription, completion.end.ended_at());
            lanes.push(Ends { id, at, reports: Vec::new(), stopped_at: None });
            lanes.len() - 1
        });
        lanes[lane].at = lanes[lane].at.max(completion.end.ended_at());
        lanes[lane].reports.extend(report);
        lanes[lane].stopped_at = lanes[lane].stopped_at.or(completion.end.stopped_at().filter(|_| is_held));
    }
    let mut woke = false;
    for ends in lanes {
        woke |= tell(connection, &ends)?;
    }
    Ok((held, woke))
}

/// Stores the attempt, and applies the end of the claim if the claim still holds the delivery. Returns whether it does,
/// and the report for the breaker if the attempt is new.
fn go_on(connection: &mut SqliteConnection, completion: &Completion) -> Result<(bool, Option<Report>), Undo> {
    let found = find(connection, completion)?;
    let event = match &found {
        Some((row, _)) => Some(row.event()?),
        None => ended_event(connection, completion)?,
    };
    let report = match (completion.end.attempt(), event) {
        (Some(attempt), Some(event)) => store_attempt(connection, completion, event, attempt)?,
        _ => None,
    };
    let Some((row, event_type)) = found else { return Ok((false, report)) };
    let Some(after) = row.queued()?.after(completion.claim, &completion.end) else { return Ok((false, report)) };
    step(connection, row, &event_type, after, completion.end.ended_at())?;
    Ok((true, report))
}

/// The queued delivery and the type of its event; `None` when the delivery has ended.
fn find(connection: &mut SqliteConnection, completion: &Completion) -> QueryResult<Option<(QueuedRow, String)>> {
    let due = webhook_due::table
        .find((completion.subscription.as_bytes().as_slice(), completion.delivery.as_bytes().as_slice()))
        .inner_join(webhook_events::table.on(webhook_events::id.eq(webhook_due::event_id)))
        .select((QueuedRow::as_select(), webhook_events::event_type));
    due.get_result(connection).optional()
}

/// The event of a delivery that has ended; `None` when the delivery was purged.
fn ended_event(connection: &mut SqliteConnection, completion: &Completion) -> Result<Option<EventId>, Undo> {
    let (subscription, delivery) = (completion.subscription.as_bytes(), completion.delivery.as_bytes());
    let ended = webhook_deliveries::table
        .find((subscription.as_slice(), delivery.as_slice()))
        .select(webhook_deliveries::event_id);
    let event: Option<Vec<u8>> = ended.get_result(connection).optional()?;
    Ok(event.map(|event| event_id("webhook_deliveries", "event_id", &event)).transpose()?)
}

/// Returns the report for the breaker; `None` when an attempt of this number was stored before.
fn store_attempt(
    connection: &mut SqliteConnection,
    completion: &Completion,
    event: EventId,
    attempt: &AttemptRecord,
) -> Result<Option<Report>, Undo> {
    let row = NewAttemptRow::new(&completion.subscription, &completion.delivery, &event, attempt);
    let insertion = diesel::insert_or_ignore_into(webhook_attempts::table).values(row);
    let is_new = insertion.execute(connection)? > 0;
    Ok(completion.end.report().filter(|_| is_new))
}

fn step(
    connection: &mut SqliteConnection,
    mut row: QueuedRow,
    event_type: &str,
    after: AfterClaim,
    ended_at: Timestamp,
) -> QueryResult<()> {
    match after {
        AfterClaim::Ended(end) => end_queued(connection, &row, event_type, end, ended_at),
        AfterClaim::Queued(queued) => {
            row.set(&queued);
            diesel::replace_into(webhook_due::table).values(&row).execute(connection).map(drop)
        }
    }
}

/// Reports to the breaker of the lane, and plans the lane's next service. Returns whether the lane is ready now.
fn tell(connection: &mut SqliteConnection, ends: &Ends) -> Result<bool, Undo> {
    let Some(before) = Lane::find(connection, ends.id)? else { return Ok(false) };
    let mut lane = before.clone();
    let Consequences { disabled, turned } = lane.breaker.record_all(&ends.reports).with_stop(ends.stopped_at);
    let woke = plan(connection, &mut lane, ends.at)?;
    lane.write(connection, &before)?;
    if let Some((turn, at)) = turned.filter(|_| lane.is_open)
        && let Some(owner) = owner_of(connection, lane.id)?
    {
        write_events(connection, [&Cause::of_service(at, lane.id).subscription_turned(lane.id, &owner, turn)])?;
    }
    if let Some((reason, at)) = disabled {
        let disabled = disable(connection, lane.id, reason, at)?.map(|owner| (lane.id, owner));
        let status = SubscriptionStatus::DisabledByService(reason);
        write_events(connection, &Cause::of_service(at, lane.id).subscriptions_disabled(status, disabled))?;
    }
    Ok(woke)
}

/// The owner of a subscription; `None` if it is damaged, which must not keep attempts from ending.
fn owner_of(connection: &mut SqliteConnection, id: SubscriptionId) -> QueryResult<Option<OwnerId>> {
    let found = webhook_subscriptions::table
        .filter(webhook_subscriptions::id.eq(id.as_bytes().as_slice()))
        .select((webhook_subscriptions::owner_issuer, webhook_subscriptions::owner_subject));
    let found: Option<(String, String)> = found.get_result(connection).optional()?;
    Ok(found.and_then(|(issuer, subject)| OwnerId::new(issuer, subject).ok()))
}

fn plan(connection: &mut SqliteConnection, lane: &mut Lane, at: Timestamp) -> Result<bool, Undo> {
    let paused = lane.breaker.pause.is_some_and(|pause| pause.until > at);
    if lane.is_open && !paused && lane.ready_at.is_some_and(|ready_at| ready_at <= at) {
        return Ok(false);
    }
    let next = lane.next_service(connection, at)?;
    let woke = lane.is_open && next.is_some_and(|next| next <= at);
    lane.ready_at = match (next, lane.ready_at) {
        (Some(next), Some(planned)) if lane.is_open && !paused => Some(next.min(planned)),
        // The end of a claim that no longer exists: an empty claim costs less than writing the lane each time.
        (None, Some(planned)) if lane.is_open && !paused => Some(planned),
        (next, _) => next,
    };
    Ok(woke)
}
