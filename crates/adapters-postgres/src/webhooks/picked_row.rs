use std::collections::{BTreeMap, HashMap, HashSet};

use diesel::deserialize::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, SmallInt};
use diesel_mapping::StoredInstant;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::webhooks::{delivery_id, event_id, subscription_id};
use domain::ports::{ClaimedDelivery, ClaimedLane};
use domain::webhooks::Payload;
use domain::{EventId, SubscriptionId, Timestamp, TraceContext};

use super::ready_lane::ReadyLane;
use super::unreadable::Unreadable;

const TABLE: &str = "webhook_due";

#[derive(QueryableByName)]
pub(super) struct PickedRow {
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
    /// Its number in the order of the lane.
    #[diesel(sql_type = Nullable<BigInt>)]
    sequence: Option<i64>,
    /// The place of the number among those of the lane, from 1.
    #[diesel(sql_type = Nullable<BigInt>)]
    place: Option<i64>,
    #[diesel(sql_type = Nullable<Binary>)]
    payload: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Binary>)]
    trace: Option<Vec<u8>>,
    /// Whether the claim has room for the payload, if this is the first row of its event.
    #[diesel(sql_type = Bool)]
    pub(super) fits: bool,
}

impl PickedRow {
    /// The size of the payload, if the row has it.
    pub(super) fn payload_bytes(&self) -> u64 {
        self.payload.as_ref().map_or(0, |payload| payload.len() as u64)
    }
}

/// The part of an event that its deliveries need: the payload, and the span that published it.
type Sent = (Payload, Option<TraceContext>);
/// The sort key of the deliveries of a lane: those with a number come first.
type Turn = (bool, Option<i64>, i16, Option<Timestamp>);
type Deliveries = HashMap<SubscriptionId, Vec<(Turn, ClaimedDelivery)>>;

/// The picked rows that the claim takes. Payloads that do not fit stay in the queue with their deliveries.
pub(super) struct Read {
    pub(super) lanes: Vec<ClaimedLane>,
    /// Rows that end: the row, its event or its subscription is damaged. See decision 55.
    pub(super) unreadable: Vec<Unreadable>,
}

pub(super) fn read(lanes: Vec<ReadyLane>, mut rows: Vec<PickedRow>, at: Timestamp) -> Read {
    let whole: HashSet<SubscriptionId> =
        lanes.iter().filter(|lane| lane.target.is_some()).map(|lane| lane.id).collect();
    let unfit: HashSet<Vec<u8>> = rows.iter().filter(|row| !row.fits).map(|row| row.event_id.clone()).collect();
    rows.retain(|row| !unfit.contains(&row.event_id));
    retain_without_gap(&mut rows);
    let sent = sent(&mut rows);
    let (mut deliveries, mut unreadable) = (Deliveries::new(), Vec::new());
    for row in rows {
        let lane = subscription_id(TABLE, "subscription_id", &row.subscription_id).ok();
        match lane.filter(|lane| whole.contains(lane)).zip(row.read(&sent)) {
            Some((lane, delivery)) => {
                let turn = (row.sequence.is_none(), row.sequence, row.phase, row.due_at.timestamp());
                deliveries.entry(lane).or_default().push((turn, delivery));
            }
            None => unreadable.push(Unreadable { subscription: row.subscription_id, delivery: row.delivery_id }),
        }
    }
    Read { lanes: claimed_lanes(lanes, deliveries, at), unreadable }
}

/// Leaves out each row with a number after a place that is missing.
fn retain_without_gap(rows: &mut Vec<PickedRow>) {
    if rows.iter().all(|row| row.place.is_none()) {
        return;
    }
    rows.sort_by_key(|row| row.place);
    let mut last: HashMap<Vec<u8>, i64> = HashMap::new();
    rows.retain(|row| {
        let Some(place) = row.place else { return true };
        let last = last.entry(row.subscription_id.clone()).or_default();
        let follows = place == *last + 1;
        *last += i64::from(follows);
        follows
    });
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
            sequence: self.sequence.map(u64::try_from).transpose().ok()?,
            trace,
        })
    }
}

fn claimed_lanes(lanes: Vec<ReadyLane>, mut deliveries: Deliveries, at: Timestamp) -> Vec<ClaimedLane> {
    let claimed = lanes.into_iter().filter_map(|lane| {
        let mut deliveries = deliveries.remove(&lane.id)?;
        deliveries.sort_unstable_by_key(|(turn, delivery)| (*turn, delivery.id));
        deliveries.truncate(lane.room_at(at));
        let rests_until = lane.rests_after(deliveries.len(), at);
        let (url, secrets) = lane.target?;
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
