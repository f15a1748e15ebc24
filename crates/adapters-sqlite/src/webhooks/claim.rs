use std::time::Duration;

use diesel::connection::DefaultLoadingMode;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel_mapping::StoredInstant;
use diesel_mapping::schema::{owners, webhook_due, webhook_events, webhook_lanes, webhook_subscriptions};
use diesel_mapping::webhooks::{SecretsRow, phase_number, subscription_id};
use domain::ports::{ClaimRequest, ClaimedDelivery, ClaimedLane};
use domain::webhooks::{Admission, Allotment, DeliveryRate, OwnerNumber, PayloadRoom, Phase, SealedSecrets, TargetUrl};
use domain::{SubscriptionId, Timestamp};

use super::close_lane::{delete_lane, end_unreadable};
use super::lane::{Lane, LaneRow, in_order};
use super::queued_row::{QueuedRow, Sent};
use crate::undo::Undo;

/// How many deliveries one statement claims.
const TAKEN_TOGETHER: usize = 16;

/// How many rounds of one claim may find only damaged deliveries. The next claim continues.
const UNREADABLE_ROUNDS_MAX: u32 = 8;

/// A due delivery, and the part of its event that it needs, if the event is stored.
type Due = (QueuedRow, Option<Sent>);

/// The URL of a lane's receiver, and the secrets that sign its deliveries.
type Target = (TargetUrl, SealedSecrets);

/// A lane with the URL and the secrets of its subscription, and the end of the last suspension of its owner.
type FoundLane = (LaneRow, Option<String>, Option<SecretsRow>, Option<StoredInstant>);

/// See [`DeliveryQueue::claim`](domain::ports::DeliveryQueue::claim).
pub(super) fn claim(connection: &mut SqliteConnection, request: &ClaimRequest) -> Result<Vec<ClaimedLane>, Undo> {
    let mut unreadable_rounds = 0;
    loop {
        let admitted = admitted_lanes(connection, request)?;
        let (mut claimed, mut unreadable, mut payload_room) = (Vec::new(), 0, PayloadRoom::new(request));
        for (lane, room) in &admitted {
            let served = serve(connection, *lane, *room, request, &mut payload_room)?;
            claimed.extend(served.claimed);
            unreadable += served.unreadable;
        }
        unreadable_rounds += u32::from(unreadable > 0);
        // Lanes without due deliveries now sleep, so the next round does not find them.
        if !claimed.is_empty() || admitted.is_empty() || unreadable_rounds >= UNREADABLE_ROUNDS_MAX {
            return Ok(claimed);
        }
    }
}

// These queries have no `LIMIT`; the code stops reading instead. Without our compile flags (decision 39), SQLite prepares
// a statement again each time its limit is bound.

/// The lanes that have waited longest and have room, and how many deliveries to claim of each. There may be many lanes
/// without room, so this query reads only an index. Lanes of suspended owners stay ready.
fn admitted_lanes(
    connection: &mut SqliteConnection,
    request: &ClaimRequest,
) -> Result<Vec<(SubscriptionId, u32)>, Undo> {
    let suspended =
        owners::table.filter(owners::number.eq(webhook_lanes::owner)).filter(owners::suspended_at.is_not_null());
    let ready = webhook_lanes::table
        .filter(webhook_lanes::is_open.eq(true))
        .filter(webhook_lanes::ready_at.le(Some(StoredInstant::from(request.at))))
        .filter(not(exists(suspended)))
        .order(webhook_lanes::ready_at)
        .select((webhook_lanes::subscription_id, webhook_lanes::owner));
    let mut allotment = Allotment::new(request);
    let (mut admitted, mut damaged) = (Vec::new(), Vec::new());
    for row in ready.load_iter::<(Vec<u8>, i64), DefaultLoadingMode>(connection)? {
        let (id, owner) = row?;
        let Ok(lane) = subscription_id("webhook_lanes", "subscription_id", &id) else {
            damaged.push(id);
            continue;
        };
        let room = allotment.admit(lane, OwnerNumber::from_number(owner), u32::MAX);
        admitted.extend((room > 0).then_some((lane, room)));
        if allotment.lanes_left() == 0 {
            break;
        }
    }
    damaged.iter().try_for_each(|id| delete_lane(connection, id))?;
    Ok(admitted)
}

/// The lane, its target if the subscription is not damaged, and the end of the last suspension of its owner: no run of a
/// delivery counts from before it.
fn find_lane(
    connection: &mut SqliteConnection,
    id: SubscriptionId,
) -> Result<Option<(Lane, Option<Target>, Timestamp)>, Undo> {
    let found = webhook_lanes::table
        .left_join(webhook_subscriptions::table.on(webhook_subscriptions::id.eq(webhook_lanes::subscription_id)))
        .left_join(owners::table.on(owners::number.eq(webhook_lanes::owner)))
        .filter(webhook_lanes::subscription_id.eq(id.as_bytes().as_slice()))
        .select((
            LaneRow::as_select(),
            webhook_subscriptions::url.nullable(),
            Option::<SecretsRow>::as_select(),
            owners::rested_until.nullable(),
        ));
    let found: Option<FoundLane> = found.get_result(connection).optional()?;
    let Some((lane, url, secrets, rested_until)) = found else { return Ok(None) };
    let rested_until = rested_until.and_then(StoredInstant::timestamp).unwrap_or(Timestamp::MIN);
    let url = url.and_then(|url| TargetUrl::from_stored(&url));
    let target = url.zip(secrets.and_then(|secrets| secrets.secrets(id).ok()));
    Ok(Some((lane.try_into()?, target, rested_until)))
}

/// The result of a claim in a lane.
#[derive(Default)]
struct Served {
    /// `None` when no delivery was claimed.
    claimed: Option<ClaimedLane>,
    /// How many damaged deliveries ended.
    unreadable: usize,
}

/// Claims deliveries that the lane may send, at most `room`, and plans its next service.
fn serve(
    connection: &mut SqliteConnection,
    lane: SubscriptionId,
    room: u32,
    request: &ClaimRequest,
    payload_room: &mut PayloadRoom,
) -> Result<Served, Undo> {
    let Some((before, target, rested_until)) = find_lane(connection, lane)? else { return Ok(Served::default()) };
    let rate = target.as_ref().and_then(|(_, secrets)| secrets.options.max_per_second);
    let wanted = admitted(connection, &before, rate, room, request.at)?;
    let due = claimable(connection, &before, request.at, wanted, payload_room)?;
    let found = due.len();
    let (rows, mut deliveries, unreadable) = read(due, target.is_some(), request);
    for delivery in &mut deliveries {
        delivery.run_started_at = delivery.run_started_at.max(rested_until);
    }
    take(connection, &rows)?;
    for row in &unreadable {
        end_unreadable(connection, row, request.at)?;
    }
    let mut lane = before.clone();
    if let Some(rate) = rate.filter(|_| !deliveries.is_empty()) {
        let taken = u32::try_from(deliveries.len()).unwrap_or(u32::MAX);
        lane.rests_until = Some(rate.rests_until(lane.rests_until, request.at, taken));
    }
    // The lane goes to the back of the queue; a lane without due deliveries goes behind this claim too. A lane that
    // filled its room may have more deliveries, which the next claim finds.
    let back = if found == 0 { request.at.plus(Duration::from_millis(1)) } else { request.at };
    let may_have_more = wanted == room && found == usize::try_from(room).unwrap_or(usize::MAX);
    lane.ready_at = if may_have_more {
        Some(lane.rests_until.map_or(back, |until| until.max(back)))
    } else {
        lane.next_service(connection, request.at)?.map(|next| next.max(back))
    };
    lane.write(connection, &before)?;
    let Lane { id: subscription, owner, breaker, rests_until, .. } = lane;
    let claimed = target.filter(|_| !deliveries.is_empty()).map(|(url, secrets)| ClaimedLane {
        subscription,
        owner,
        url,
        secrets,
        breaker,
        rests_until,
        deliveries,
    });
    Ok(Served { claimed, unreadable: unreadable.len() })
}

/// Splits the due rows: claimed rows with their deliveries, and damaged rows.
fn read(
    due: Vec<Due>,
    has_target: bool,
    request: &ClaimRequest,
) -> (Vec<QueuedRow>, Vec<ClaimedDelivery>, Vec<QueuedRow>) {
    let (mut rows, mut deliveries, mut unreadable) = (Vec::with_capacity(due.len()), Vec::new(), Vec::new());
    for (mut row, sent) in due {
        match sent.filter(|_| has_target).and_then(|sent| row.claim(sent, request)) {
            Some(delivery) => {
                rows.push(row);
                deliveries.push(delivery);
            }
            None => unreadable.push(row),
        }
    }
    (rows, deliveries, unreadable)
}

/// How many deliveries the breaker and the rate admit.
fn admitted(
    connection: &mut SqliteConnection,
    lane: &Lane,
    rate: Option<DeliveryRate>,
    room: u32,
    at: Timestamp,
) -> Result<u32, Undo> {
    let room = rate.map_or(room, |rate| room.min(rate.claim_max()));
    match lane.breaker.admission(at) {
        _ if lane.rests_until.is_some_and(|until| at < until) => Ok(0),
        Admission::Free => Ok(room),
        Admission::Paused(_) => Ok(0),
        Admission::Probe => {
            let out = webhook_due::table
                .filter(webhook_due::subscription_id.eq(lane.id.as_bytes().as_slice()))
                .filter(webhook_due::claim.is_not_null())
                .filter(webhook_due::due_at.gt(StoredInstant::from(at)))
                .select(webhook_due::due_at);
            let out = out.load_iter::<StoredInstant, DefaultLoadingMode>(connection)?.next().transpose()?;
            Ok(if out.is_some() { 0 } else { room.min(1) })
        }
    }
}

/// The due deliveries of the lane, in the order in which they leave: waiting deliveries, and deliveries with an expired
/// claim.
fn claimable(
    connection: &mut SqliteConnection,
    lane: &Lane,
    at: Timestamp,
    room: u32,
    payload_room: &mut PayloadRoom,
) -> Result<Vec<Due>, Undo> {
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    let (mut rows, mut for_waiting, mut for_expired) = (Vec::new(), *payload_room, *payload_room);
    if lane.is_ordered() {
        rows = next_in_order(connection, lane, at, room, &mut for_waiting)?;
    }
    for phase in Phase::WITHOUT_NUMBER {
        if rows.len() < room {
            rows.append(&mut waiting(connection, lane, at, phase, room - rows.len(), &mut for_waiting)?);
        }
    }
    let mut expired = expired(connection, lane, at, room, &mut for_expired)?;
    // The others have numbers, and are among `rows` if it is their turn.
    expired.retain(|(row, _)| !row.is_in_order());
    if !expired.is_empty() {
        rows.append(&mut expired);
        rows.sort_by_key(|(row, _)| row.order());
        rows.truncate(room);
    }
    let fitting = rows.iter().take_while(|(_, sent)| payload_room.admit(size(sent.as_ref()))).count();
    rows.truncate(fitting);
    Ok(rows)
}

fn size(sent: Option<&Sent>) -> usize {
    sent.map_or(0, |(payload, _)| payload.len())
}

/// The first of these deliveries, at most `max`, whose payloads fit.
fn fitting(
    due: impl Iterator<Item = QueryResult<Due>>,
    max: usize,
    payload_room: &mut PayloadRoom,
) -> QueryResult<Vec<Due>> {
    let fits = |due: &QueryResult<Due>| due.as_ref().map_or(true, |(_, sent)| payload_room.admit(size(sent.as_ref())));
    due.take(max).take_while(fits).collect()
}

/// The deliveries with the lowest numbers, up to the first that is not due or is under a claim.
fn next_in_order(
    connection: &mut SqliteConnection,
    lane: &Lane,
    at: Timestamp,
    max: usize,
    payload_room: &mut PayloadRoom,
) -> QueryResult<Vec<Due>> {
    let due = in_order(&lane.id)
        .left_join(webhook_events::table.on(webhook_events::id.eq(webhook_due::event_id)))
        .select((QueuedRow::as_select(), (webhook_events::payload, webhook_events::trace).nullable()))
        .load_iter(connection)?;
    let may_leave = |due: &QueryResult<Due>| due.as_ref().map_or(true, |(row, _)| row.is_due(at));
    fitting(due.take_while(may_leave), max, payload_room)
}

fn waiting(
    connection: &mut SqliteConnection,
    lane: &Lane,
    at: Timestamp,
    phase: Phase,
    max: usize,
    payload_room: &mut PayloadRoom,
) -> QueryResult<Vec<Due>> {
    let due = webhook_due::table
        .left_join(webhook_events::table.on(webhook_events::id.eq(webhook_due::event_id)))
        .filter(webhook_due::subscription_id.eq(lane.id.as_bytes().as_slice()))
        .filter(webhook_due::claim.is_null())
        .filter(webhook_due::phase.eq(phase_number(phase)))
        .filter(webhook_due::due_at.le(StoredInstant::from(at)))
        .order((webhook_due::due_at, webhook_due::delivery_id))
        .select((QueuedRow::as_select(), (webhook_events::payload, webhook_events::trace).nullable()))
        .load_iter(connection)?;
    fitting(due, max, payload_room)
}

fn expired(
    connection: &mut SqliteConnection,
    lane: &Lane,
    at: Timestamp,
    max: usize,
    payload_room: &mut PayloadRoom,
) -> QueryResult<Vec<Due>> {
    let due = webhook_due::table
        .left_join(webhook_events::table.on(webhook_events::id.eq(webhook_due::event_id)))
        .filter(webhook_due::subscription_id.eq(lane.id.as_bytes().as_slice()))
        .filter(webhook_due::claim.is_not_null())
        .filter(webhook_due::due_at.le(StoredInstant::from(at)))
        .order((webhook_due::due_at, webhook_due::delivery_id))
        .select((QueuedRow::as_select(), (webhook_events::payload, webhook_events::trace).nullable()))
        .load_iter(connection)?;
    fitting(due, max, payload_room)
}

/// Writes the deliveries under the claim. Replaces the rows, because diesel prepares an update again each time.
fn take(connection: &mut SqliteConnection, rows: &[QueuedRow]) -> Result<(), Undo> {
    let (together, alone) = rows.as_chunks::<TAKEN_TOGETHER>();
    for chunk in together {
        diesel::replace_into(webhook_due::table).values(chunk).execute(connection)?;
    }
    for row in alone {
        diesel::replace_into(webhook_due::table).values(row).execute(connection)?;
    }
    Ok(())
}

/// Ends all claims at `at`. A process does this before its first claim: no other process has the file, so the processes
/// of these claims have ended. See decision 74.
pub(super) fn end_left_claims(connection: &mut SqliteConnection, at: Timestamp) -> Result<(), Undo> {
    let at = StoredInstant::from(at);
    let claimed = webhook_due::table.filter(webhook_due::claim.is_not_null()).filter(webhook_due::due_at.gt(at));
    let lanes = claimed.select(webhook_due::subscription_id);
    let asleep = webhook_lanes::table.filter(webhook_lanes::subscription_id.eq_any(lanes));
    let asleep = asleep.filter(webhook_lanes::ready_at.gt(Some(at)));
    diesel::update(asleep).set(webhook_lanes::ready_at.eq(Some(at))).execute(connection)?;
    diesel::update(claimed)
        .set((webhook_due::due_at.eq(at), webhook_due::claim.eq(None::<i64>)))
        .execute(connection)?;
    Ok(())
}
