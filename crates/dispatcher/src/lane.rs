use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use domain::Timestamp;
use domain::ports::{ClaimId, ClaimedDelivery};
use domain::webhooks::{Admission, Breaker, OnExhausted, OwnerNumber, Report, TargetUrl, Verdict};
use tokio::time::Instant;

use crate::lane_cap::LaneCap;
use crate::outage::doubled;
use crate::secrets::OpenedSecrets;

/// The first wait after a fault of Gatepost, as when a secret cannot be opened.
const FAULT_WAIT_MIN: Duration = Duration::from_secs(1);
/// The longest wait after a fault of Gatepost.
const FAULT_WAIT_MAX: Duration = Duration::from_mins(5);

/// Below this an attempt is quick: a delivery that waits for it starts within [`UNSENT_MAX`](crate::UNSENT_MAX).
const QUICK: Duration = Duration::from_millis(500);

/// The receiver of the deliveries of one claim.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) url: TargetUrl,
    pub(crate) host: Arc<str>,
    pub(crate) secrets: Arc<OpenedSecrets>,
}

/// A claimed delivery that waits to be sent.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) delivery: ClaimedDelivery,
    pub(crate) target: Arc<Target>,
    pub(crate) claim: ClaimId,
    pub(crate) start_by: StartBy,
}

/// The latest start of an attempt that is soon after its claim, and sure to end within the claim. It is kept for both
/// clocks, because the queue uses the wall clock, which may be set; the earlier one counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartBy {
    pub(crate) instant: Instant,
    pub(crate) time: Timestamp,
}

impl StartBy {
    /// A time that is `duration` after both clocks.
    pub(crate) fn within(duration: Duration, instant: Instant, time: Timestamp) -> Self {
        Self { instant: instant + duration, time: time.plus(duration) }
    }

    /// The earlier one by each clock.
    pub(crate) fn min(self, other: Self) -> Self {
        Self { instant: self.instant.min(other.instant), time: self.time.min(other.time) }
    }

    pub(crate) fn is_over(self, instant: Instant, time: Timestamp) -> bool {
        self.instant < instant || self.time < time
    }
}

/// The consequences of an attempt for its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aftermath {
    /// How long the lane waits after a fault of Gatepost.
    pub(crate) fault_wait: Option<Duration>,
    /// When the lane's pause ends.
    pub(crate) paused_until: Option<Timestamp>,
    /// The subscription will be disabled.
    pub(crate) is_closed: bool,
    /// The attempt was the probe that checks whether the receiver works again.
    pub(crate) was_probe: bool,
}

/// The state of the queue of one subscription, as far as this process knows it, and the deliveries that it has claimed.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is another fact about the lane")]
pub(crate) struct Lane {
    pub(crate) owner: OwnerNumber,
    cap: LaneCap,
    /// How many deliveries may wait for each one that may be in progress: 1 after a quick attempt, when they start soon,
    /// and otherwise 0.
    rounds_ahead: u32,
    /// The breaker of the last claim, and the reports since.
    breaker: Breaker,
    /// The breaker includes reports that the store may not have.
    is_ahead: bool,
    /// Reports that are not stored yet.
    unwritten: u32,
    pub(crate) in_flight: u32,
    pub(crate) waiting: VecDeque<Waiting>,
    /// The lane is in the line of lanes that can start a delivery, or is blocked by its host.
    pub(crate) is_queued: bool,
    /// The store may have more due deliveries of the lane.
    pub(crate) may_have_more: bool,
    /// The subscription has a rate: its deliveries start at once, and the lane rests between claims.
    pub(crate) has_rate: bool,
    /// The rule of the subscription's order: its deliveries start one after the other. `None` without an order.
    pub(crate) order: Option<OnExhausted>,
    /// The number of deliveries that the running claim asks for.
    pub(crate) room_asked: u32,
    faults_in_a_row: u32,
    held_until: Option<Instant>,
}

impl Lane {
    /// A new lane, of which only the owner is known.
    pub(crate) fn new(owner: OwnerNumber) -> Self {
        Self {
            owner,
            cap: LaneCap::default(),
            rounds_ahead: 0,
            breaker: Breaker::default(),
            is_ahead: false,
            unwritten: 0,
            in_flight: 0,
            waiting: VecDeque::new(),
            is_queued: false,
            may_have_more: false,
            has_rate: false,
            order: None,
            room_asked: 0,
            faults_in_a_row: 0,
            held_until: None,
        }
    }

    /// Deliveries that are being sent or wait to be sent.
    pub(crate) fn claimed(&self) -> u32 {
        self.in_flight + u32::try_from(self.waiting.len()).unwrap_or(u32::MAX)
    }

    /// Whether the next delivery may start.
    pub(crate) fn may_start(&self) -> bool {
        let cap = if self.order.is_some() { 1 } else { self.cap.get() };
        self.in_flight < cap && !self.waiting.is_empty()
    }

    /// How many more deliveries to claim, up to the cap, or up to twice the cap in a quick lane without a rate. 0 while
    /// the lane is held, or pauses before the store knows about the pause. In an order, the cap if the lane is quick and
    /// otherwise one, and 0 until the results of the last claim are stored: nothing leaves before.
    pub(crate) fn room(&self, now: Timestamp) -> u32 {
        let pauses = self.unwritten > 0 && self.breaker.admission(now) != Admission::Free;
        if self.order.is_some() && !self.is_idle() {
            return 0;
        }
        let rounds = u32::from(self.order.is_none()) + self.rounds_ahead();
        let claimed_max = (rounds * self.cap.get()).max(1);
        if self.held_until.is_some() || pauses { 0 } else { claimed_max.saturating_sub(self.claimed()) }
    }

    fn rounds_ahead(&self) -> u32 {
        if self.has_rate { 0 } else { self.rounds_ahead }
    }

    /// Whether an order has held back deliveries that may leave now. A claim asks for more of them than of a lane that turns
    /// up.
    pub(crate) fn has_more_in_order(&self) -> bool {
        self.order.is_some() && self.may_have_more
    }

    /// Whether a claim is worth its cost: the store may have more, and in a quick lane there is room for at least half the
    /// cap.
    pub(crate) fn wants_more(&self, now: Timestamp) -> bool {
        let enough = (self.rounds_ahead() * self.cap.get()).div_ceil(2).max(1);
        self.may_have_more && self.room(now) >= enough
    }

    /// Whether the lane may be forgotten: only its cap and its faults are lost.
    pub(crate) fn is_idle(&self) -> bool {
        self.claimed() == 0 && self.unwritten == 0
    }

    /// Whether the lane is equal to a new lane.
    pub(crate) fn is_as_new(&self) -> bool {
        self.is_idle() && self.cap == LaneCap::default() && self.faults_in_a_row == 0
    }

    /// Notes that a claim begins, with this room for the lane.
    pub(crate) fn claim_begins(&mut self, room: u32) {
        self.room_asked = room;
        self.may_have_more |= room == 0;
        self.is_ahead = self.unwritten > 0;
    }

    /// Notes how many deliveries of the lane the claim found. A lane with a rate has no more before the end of its rest.
    pub(crate) fn claim_found(&mut self, count: usize) {
        let may_rest = self.has_rate && self.room_asked > 0;
        self.may_have_more = count >= self.room_asked as usize && !may_rest;
    }

    /// How many deliveries of the lane publications may claim: none while older ones may wait.
    pub(crate) fn room_for_published(&self, now: Timestamp) -> u32 {
        if self.may_have_more { 0 } else { self.room(now) }
    }

    /// Takes the breaker of the store, unless this process has newer reports. Returns whether the lane may send: deliveries
    /// that were claimed before the store knew about a pause must wait.
    pub(crate) fn adopt(&mut self, stored: Breaker, now: Timestamp) -> bool {
        if self.is_ahead {
            return self.breaker.admission(now) == Admission::Free;
        }
        self.breaker = stored;
        true
    }

    /// Takes the report of an attempt.
    pub(crate) fn attempt_ended(&mut self, report: Report, now: Instant) -> Aftermath {
        self.in_flight -= 1;
        let was_probe = self.breaker.admission(report.started_at) == Admission::Probe;
        if report.verdict == Verdict::NotCharged {
            let fault_wait = Some(self.fault(now));
            return Aftermath { fault_wait, paused_until: None, is_closed: false, was_probe };
        }
        (self.faults_in_a_row, self.held_until) = (0, None);
        self.unwritten += 1;
        self.rounds_ahead = u32::from(report.ended_at < report.started_at.plus(QUICK));
        self.is_ahead = true;
        if report.verdict == Verdict::Delivered {
            self.cap.succeed();
        } else {
            self.cap.fail();
        }
        let is_closed = self.breaker.record(report).is_some();
        let paused_until = match self.breaker.admission(report.ended_at) {
            Admission::Paused(until) => Some(until),
            Admission::Free | Admission::Probe => None,
        };
        Aftermath { fault_wait: None, paused_until, is_closed, was_probe }
    }

    /// Holds the lane after a fault of Gatepost. Returns how long.
    pub(crate) fn fault(&mut self, now: Instant) -> Duration {
        let is_held = self.held_until.is_some_and(|until| now < until);
        if !is_held {
            self.faults_in_a_row = self.faults_in_a_row.saturating_add(1);
        }
        let wait = doubled(FAULT_WAIT_MIN, self.faults_in_a_row - 1, FAULT_WAIT_MAX);
        self.held_until = Some(now + wait);
        wait
    }

    /// Whether the last call of [`Lane::fault`] was the first in a row.
    pub(crate) fn is_first_fault(&self) -> bool {
        self.faults_in_a_row == 1
    }

    /// Releases the lane when its wait after a fault is over.
    pub(crate) fn release(&mut self, now: Instant) {
        self.held_until = self.held_until.filter(|until| now < *until);
    }

    /// Notes that a report is stored, or dropped.
    pub(crate) fn report_written(&mut self) {
        self.unwritten = self.unwritten.saturating_sub(1);
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held_until.is_some()
    }
}
