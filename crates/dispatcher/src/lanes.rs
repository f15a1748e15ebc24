use std::collections::{BTreeMap, BTreeSet};

use domain::ports::{ClaimedDelivery, ClaimedLane};
use domain::webhooks::{FairShares, OwnerNumber, Report, WebhookPolicy};
use domain::{SubscriptionId, Timestamp};
use tokio::time::Instant;

use crate::claim_room::{ClaimRoom, LaneRoom};
use crate::lane::{Aftermath, Lane, Waiting};
use crate::lane_cap::CAP_START;
use crate::start_order::StartOrder;
use crate::state::Flight;
use crate::windows::Windows;

/// The most idle lanes of which the cap and the faults are kept.
const REMEMBERED_MAX: usize = 4_096;
/// The most bytes of payloads of claimed deliveries. An event counts for each of its deliveries.
const CLAIMED_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Of this number of places, one is for publications, which claim their deliveries at once.
pub(crate) const OFFERED_PART: u32 = 8;

/// The limits of a claim by publications.
pub(crate) struct PublishedRoom {
    pub(crate) shares: FairShares,
    pub(crate) rooms: Vec<(SubscriptionId, u32)>,
    pub(crate) payload_bytes: u64,
}

/// The lanes that this process knows, and the order in which they start deliveries.
///
/// Each lane that can start a delivery is in [`StartOrder`] once.
pub(crate) struct Lanes {
    /// Sorted, so that a simulation with the same seed runs the same way.
    known: BTreeMap<SubscriptionId, Lane>,
    line: StartOrder,
    /// Deliveries that wait or are being sent.
    claimed: FairShares,
    /// The owners of which the last claim may have left due deliveries, because their share was taken.
    short: BTreeSet<OwnerNumber>,
    windows: Windows,
    pub(crate) waiting: usize,
    pub(crate) in_flight: usize,
    claimed_bytes: u64,
    /// Places that publications may take, or have taken unseen.
    pub(crate) offered: u32,
}

impl Lanes {
    /// No lanes, `places` for attempts, and `claimed_max` for claimed deliveries.
    pub(crate) fn new(places: u32, claimed_max: u32) -> Self {
        Self {
            known: BTreeMap::new(),
            line: StartOrder::new(places),
            claimed: FairShares::new(claimed_max),
            short: BTreeSet::new(),
            windows: Windows::default(),
            waiting: 0,
            in_flight: 0,
            claimed_bytes: 0,
            offered: 0,
        }
    }

    /// The free places for claimed deliveries, and the places that owners have taken.
    pub(crate) fn shares(&self) -> FairShares {
        self.shares_of(self.budget())
    }

    /// `free` free places, and the places that owners have taken.
    fn shares_of(&self, free: u32) -> FairShares {
        let taken = self.claimed.taken().iter().map(|(owner, count)| (*owner, *count));
        let mut shares = FairShares::with_taken(free, taken);
        for (owner, claimed_max) in self.windows.all() {
            shares.limit(owner, claimed_max.saturating_sub(self.claimed.taken_by(owner)));
        }
        shares
    }

    /// How many more deliveries may be claimed.
    pub(crate) fn budget(&self) -> u32 {
        let free = self.claimed.free().saturating_sub(self.offered);
        if fits_another(self.payload_bytes_left()) { free } else { 0 }
    }

    /// How many more bytes of payloads may be claimed.
    pub(crate) fn payload_bytes_left(&self) -> u64 {
        CLAIMED_BYTES_MAX.saturating_sub(self.claimed_bytes)
    }

    /// Whether a claim may find more deliveries of an owner that had too little room, and would find more than a few.
    pub(crate) fn is_worth_claiming_for(&self, owner: OwnerNumber) -> bool {
        self.short.contains(&owner) && self.has_room_for_many(owner)
    }

    /// Whether the owner may claim many more.
    pub(crate) fn has_room_for_many(&self, owner: OwnerNumber) -> bool {
        let taken = self.claimed.taken_by(owner);
        let room = self.claimed.room(owner).min(self.windows.of(owner).saturating_sub(taken));
        room >= many_of(taken)
    }

    /// Begins a claim within these shares. Returns its limits.
    pub(crate) fn claim_begins(&mut self, shares: &FairShares, now: Instant, at: Timestamp) -> ClaimRoom {
        self.tidy();
        self.known.values_mut().for_each(|lane| lane.release(now));
        // The claim skips all lanes of an owner without room.
        let rooms = self.known.iter().map(|(id, lane)| (*id, lane, shares.room(lane.owner)));
        let rooms = rooms
            .filter(|(_, lane, room)| *room > 0 && (!lane.is_idle() || lane.is_held() || lane.has_more_in_order()));
        let rooms: Vec<_> = rooms.collect();
        // An idle lane must not get less than a lane that turns up.
        let is_narrow = rooms.len() > many_of(shares.free()) as usize;
        let rooms = rooms.into_iter().filter(|(_, lane, _)| !(is_narrow && lane.is_idle() && !lane.is_held()));
        let rooms = rooms.map(|(id, lane, room)| LaneRoom { lane: id, wanted: lane.room(at).min(room) });
        let lane_rooms: Vec<LaneRoom> = rooms.collect();
        let room = ClaimRoom::share(shares.free(), &lane_rooms);
        for (id, lane) in &mut self.known {
            lane.claim_begins(if shares.room(lane.owner) > 0 { room.of(*id) } else { 0 });
        }
        room
    }

    /// The lane, which is known from now on.
    pub(crate) fn known(&mut self, id: SubscriptionId, owner: OwnerNumber) -> &mut Lane {
        self.known.entry(id).or_insert_with(|| Lane::new(owner))
    }

    /// The limits of a claim by publications: at most `places`, and no delivery before older ones of its lane or owner.
    /// `None` if there is too little room.
    pub(crate) fn room_for_published(&self, places: u32, at: Timestamp) -> Option<PublishedRoom> {
        let payload_bytes = self.payload_bytes_left() / u64::from(OFFERED_PART);
        if self.claimed.free() < 2 * places || !fits_another(payload_bytes) {
            return None;
        }
        let mut shares = self.shares_of(places);
        self.short.iter().for_each(|owner| shares.limit(*owner, 0));
        let busy = self.known.iter().filter(|(_, lane)| !lane.is_idle() || lane.is_held() || lane.may_have_more);
        let rooms = busy.map(|(id, lane)| (*id, lane.room_for_published(at))).collect();
        Some(PublishedRoom { shares, rooms, payload_bytes })
    }

    /// Notes that publications have taken `count` places.
    pub(crate) fn offer_taken(&mut self, count: u32) {
        self.offered = self.offered.saturating_sub(count);
    }

    /// Notes the lanes of which the claim found no delivery: they have no due ones, unless the share of their owner was
    /// too small. [`Lane::claim_found`] follows for the lanes that the claim found.
    pub(crate) fn claim_ended(&mut self, shares: &FairShares, found: &[ClaimedLane]) {
        let mut asked: BTreeMap<OwnerNumber, u32> = BTreeMap::new();
        for lane in found {
            let room = self.known.get(&lane.subscription).map_or(CAP_START, |known| known.room_asked);
            *asked.entry(lane.owner).or_default() += room;
        }
        let mut after = shares.clone();
        for (owner, asked) in asked {
            after.take(owner, asked);
        }
        self.short = after.full().collect();
        for lane in self.known.values_mut().filter(|lane| !self.short.contains(&lane.owner)) {
            lane.claim_found(0);
        }
    }

    /// Appends a claimed delivery to its lane.
    pub(crate) fn admit(&mut self, id: SubscriptionId, waiting: Waiting) {
        self.waiting += 1;
        self.claimed_bytes += payload_bytes(&waiting.delivery);
        if let Some(lane) = self.known.get_mut(&id) {
            self.claimed.take(lane.owner, 1);
            lane.waiting.push_back(waiting);
        }
        self.stand_in_line(id);
    }

    /// Takes the next lane that may start a delivery out of the line.
    pub(crate) fn next(&mut self) -> Option<(OwnerNumber, SubscriptionId)> {
        while let Some(id) = self.line.next() {
            if let Some(lane) = self.known.get_mut(&id) {
                lane.is_queued = false;
                if lane.may_start() {
                    return Some((lane.owner, id));
                }
            }
        }
        None
    }

    /// The next delivery of the lane.
    pub(crate) fn front(&self, id: SubscriptionId) -> Option<&Waiting> {
        self.known.get(&id)?.waiting.front()
    }

    /// Notes that a delivery of the owner waited too long for its start.
    pub(crate) fn was_late(&mut self, owner: OwnerNumber) {
        self.windows.late(owner);
    }

    /// Narrows the windows of the owners with deliveries that waited too long since the last call.
    pub(crate) fn narrow_windows(&mut self) {
        self.windows.narrow(|owner| self.line.in_flight(owner));
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
        self.line.start(lane.owner);
        self.windows.started(lane.owner);
        self.in_flight += 1;
        self.waiting -= 1;
        self.stand_in_line(id);
        Some(waiting)
    }

    /// Takes the lane's next delivery without sending it.
    pub(crate) fn skip(&mut self, id: SubscriptionId) -> Option<Waiting> {
        let lane = self.known.get_mut(&id)?;
        let (owner, waiting) = (lane.owner, lane.waiting.pop_front()?);
        self.forget_waiting(owner, &waiting);
        self.stand_in_line(id);
        Some(waiting)
    }

    /// Takes all waiting deliveries of the lane.
    pub(crate) fn drain(&mut self, id: SubscriptionId) -> Vec<Waiting> {
        let Some(lane) = self.known.get_mut(&id) else { return Vec::new() };
        let (owner, drained): (_, Vec<Waiting>) = (lane.owner, lane.waiting.drain(..).collect());
        for waiting in &drained {
            self.forget_waiting(owner, waiting);
        }
        drained
    }

    /// The lanes with waiting deliveries.
    pub(crate) fn with_waiting(&self) -> Vec<(OwnerNumber, SubscriptionId)> {
        let waiting = self.known.iter().filter(|(_, lane)| !lane.waiting.is_empty());
        waiting.map(|(id, lane)| (lane.owner, *id)).collect()
    }

    /// Takes the report of an attempt at a delivery of the lane.
    pub(crate) fn attempt_ended(&mut self, flight: &Flight, report: Report, now: Instant) -> Aftermath {
        let (id, owner) = (flight.subscription, flight.owner);
        self.line.land(owner);
        self.claimed.give_back(owner, 1);
        self.in_flight -= 1;
        self.claimed_bytes -= payload_bytes(&flight.delivery);
        let lane = self.known.entry(id).or_insert_with(|| Lane::new(owner));
        let aftermath = lane.attempt_ended(report, now);
        self.stand_in_line(id);
        aftermath
    }

    pub(crate) fn get_mut(&mut self, id: SubscriptionId) -> Option<&mut Lane> {
        self.known.get_mut(&id)
    }

    fn forget_waiting(&mut self, owner: OwnerNumber, waiting: &Waiting) {
        self.claimed.give_back(owner, 1);
        self.waiting -= 1;
        self.claimed_bytes -= payload_bytes(&waiting.delivery);
    }

    fn stand_in_line(&mut self, id: SubscriptionId) {
        if let Some(lane) = self.known.get_mut(&id)
            && !lane.is_queued
            && lane.may_start()
        {
            lane.is_queued = true;
            self.line.push(lane.owner, id);
        }
    }

    fn tidy(&mut self) {
        self.known.retain(|_, lane| !lane.is_as_new());
        if self.known.len() > REMEMBERED_MAX {
            self.known.retain(|_, lane| !lane.is_idle());
        }
    }
}

/// How many more are worth a claim at once, for an owner that has taken this many, or of this many places: a sixteenth.
pub(crate) fn many_of(count: u32) -> u32 {
    count.div_ceil(16).max(1)
}

/// Whether the largest payload fits into this number of bytes.
fn fits_another(bytes: u64) -> bool {
    bytes >= WebhookPolicy::MAX_PAYLOAD_BYTES_MAX as u64
}

/// Whether a claim with this room for payloads may have left a delivery because its payload did not fit.
pub(crate) fn may_have_left_payloads(payload_bytes_max: u64, claimed: &[ClaimedLane]) -> bool {
    let deliveries = claimed.iter().flat_map(|lane| &lane.deliveries);
    !fits_another(payload_bytes_max.saturating_sub(deliveries.map(payload_bytes).sum()))
}

fn payload_bytes(delivery: &ClaimedDelivery) -> u64 {
    delivery.payload.bytes().len() as u64
}
