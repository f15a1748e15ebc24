use std::collections::{BTreeMap, VecDeque};

use domain::ports::ClaimedDelivery;
use domain::webhooks::Report;
use domain::{SubscriptionId, Timestamp};
use tokio::time::Instant;

use crate::claim_room::{ClaimRoom, LaneRoom};
use crate::lane::{Aftermath, Lane, Waiting};

/// The most idle lanes whose caps and faults are kept.
const REMEMBERED_MAX: usize = 4_096;
/// The limit for the payloads of claimed deliveries, in bytes. It is approximate.
const CLAIMED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The lanes that this process knows, and the order in which they start deliveries.
///
/// Each lane that can start a delivery is in the line once. After a start the lane goes to the back, so that a lane with
/// many deliveries does not delay a lane with few.
#[derive(Default)]
pub(crate) struct Lanes {
    /// Sorted, so that a simulation with the same seed runs the same way.
    known: BTreeMap<SubscriptionId, Lane>,
    line: VecDeque<SubscriptionId>,
    waiting: usize,
    in_flight: usize,
    claimed_bytes: usize,
    /// The largest recent payload, to estimate the size of a claim.
    payload_bytes: usize,
}

impl Lanes {
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// How many more deliveries may be claimed, when `claimed_max` is the limit.
    pub(crate) fn budget(&self, claimed_max: usize) -> usize {
        let by_count = claimed_max.saturating_sub(self.waiting + self.in_flight);
        let by_bytes = CLAIMED_BYTES_MAX.saturating_sub(self.claimed_bytes) / self.payload_bytes.max(1);
        by_count.min(by_bytes)
    }

    /// Begins a claim of at most `budget` deliveries. Returns its limits.
    pub(crate) fn claim_begins(&mut self, budget: usize, now: Instant, at: Timestamp) -> ClaimRoom {
        self.payload_bytes -= self.payload_bytes / 8;
        self.tidy();
        let mut lane_rooms = Vec::new();
        for (id, lane) in &mut self.known {
            lane.release(now);
            if !lane.is_idle() || lane.is_held() {
                lane_rooms.push(LaneRoom { lane: *id, wanted: lane.room(at) });
            }
        }
        let room = ClaimRoom::share(u32::try_from(budget).unwrap_or(u32::MAX), &lane_rooms);
        for (id, lane) in &mut self.known {
            lane.claim_begins(room.of(*id));
        }
        room
    }

    /// Notes how many deliveries of a lane the claim found.
    pub(crate) fn claim_found(&mut self, id: SubscriptionId, count: usize) -> &mut Lane {
        let lane = self.known.entry(id).or_default();
        lane.claim_found(u32::try_from(count).unwrap_or(u32::MAX));
        lane
    }

    /// The claim had room for more lanes than it found: the other lanes have no due deliveries.
    pub(crate) fn claim_found_nothing(&mut self) {
        for lane in self.known.values_mut() {
            lane.claim_found(0);
        }
    }

    /// Appends a claimed delivery to its lane.
    pub(crate) fn admit(&mut self, id: SubscriptionId, waiting: Waiting) {
        self.waiting += 1;
        let bytes = payload_bytes(&waiting.delivery);
        self.claimed_bytes += bytes;
        self.payload_bytes = self.payload_bytes.max(bytes);
        self.known.entry(id).or_default().waiting.push_back(waiting);
        self.stand_in_line(id);
    }

    /// Takes the next lane that may start a delivery out of the line.
    pub(crate) fn next(&mut self) -> Option<SubscriptionId> {
        while let Some(id) = self.line.pop_front() {
            if let Some(lane) = self.known.get_mut(&id) {
                lane.is_queued = false;
                if lane.may_start() {
                    return Some(id);
                }
            }
        }
        None
    }

    /// The next delivery of the lane.
    pub(crate) fn front(&self, id: SubscriptionId) -> Option<&Waiting> {
        self.known.get(&id)?.waiting.front()
    }

    /// Keeps the lane out of the line until [`Lanes::unblock`], because its host is full.
    pub(crate) fn block(&mut self, id: SubscriptionId) {
        if let Some(lane) = self.known.get_mut(&id) {
            lane.is_queued = true;
        }
    }

    /// Puts the lane back in line: its host may have room.
    pub(crate) fn unblock(&mut self, id: SubscriptionId) {
        if let Some(lane) = self.known.get_mut(&id) {
            lane.is_queued = false;
            self.stand_in_line(id);
        }
    }

    /// Takes the lane's next delivery to send it now.
    pub(crate) fn start(&mut self, id: SubscriptionId) -> Option<Waiting> {
        let lane = self.known.get_mut(&id)?;
        let waiting = lane.waiting.pop_front()?;
        lane.in_flight += 1;
        self.in_flight += 1;
        self.waiting -= 1;
        self.stand_in_line(id);
        Some(waiting)
    }

    /// Takes the lane's next delivery without sending it.
    pub(crate) fn skip(&mut self, id: SubscriptionId) -> Option<Waiting> {
        let waiting = self.known.get_mut(&id)?.waiting.pop_front()?;
        self.forget_waiting(&waiting);
        self.stand_in_line(id);
        Some(waiting)
    }

    /// Takes all waiting deliveries of the lane.
    pub(crate) fn drain(&mut self, id: SubscriptionId) -> Vec<Waiting> {
        let drained: Vec<Waiting> = match self.known.get_mut(&id) {
            Some(lane) => lane.waiting.drain(..).collect(),
            None => Vec::new(),
        };
        for waiting in &drained {
            self.forget_waiting(waiting);
        }
        drained
    }

    /// The lanes with waiting deliveries.
    pub(crate) fn with_waiting(&self) -> Vec<SubscriptionId> {
        let waiting = self.known.iter().filter(|(_, lane)| !lane.waiting.is_empty());
        waiting.map(|(id, _)| *id).collect()
    }

    /// Takes the report of an attempt at a delivery of the lane.
    pub(crate) fn attempt_ended(
        &mut self,
        id: SubscriptionId,
        delivery: &ClaimedDelivery,
        report: Report,
        now: Instant,
    ) -> Aftermath {
        self.in_flight -= 1;
        self.claimed_bytes -= payload_bytes(delivery);
        let aftermath = self.known.entry(id).or_default().attempt_ended(report, now);
        self.stand_in_line(id);
        aftermath
    }

    pub(crate) fn get_mut(&mut self, id: SubscriptionId) -> Option<&mut Lane> {
        self.known.get_mut(&id)
    }

    fn forget_waiting(&mut self, waiting: &Waiting) {
        self.waiting -= 1;
        self.claimed_bytes -= payload_bytes(&waiting.delivery);
    }

    fn stand_in_line(&mut self, id: SubscriptionId) {
        if let Some(lane) = self.known.get_mut(&id)
            && !lane.is_queued
            && lane.may_start()
        {
            lane.is_queued = true;
            self.line.push_back(id);
        }
    }

    fn tidy(&mut self) {
        self.known.retain(|_, lane| !lane.is_as_new());
        if self.known.len() > REMEMBERED_MAX {
            self.known.retain(|_, lane| !lane.is_idle());
        }
    }
}

fn payload_bytes(delivery: &ClaimedDelivery) -> usize {
    delivery.payload.bytes().len()
}
