use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use domain::Timestamp;
use domain::ports::{ClaimId, ClaimedDelivery};
use domain::webhooks::{Admission, Breaker, Report, TargetUrl, Verdict};
use tokio::time::Instant;

use crate::lane_cap::LaneCap;
use crate::outage::doubled;
use crate::secrets::OpenedSecrets;

/// The first wait after a fault of ours.
const FAULT_WAIT_MIN: Duration = Duration::from_secs(1);
/// The longest wait after a fault of ours.
const FAULT_WAIT_MAX: Duration = Duration::from_mins(5);

/// Where the deliveries of one claim go.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) url: TargetUrl,
    pub(crate) host: Arc<str>,
    pub(crate) secrets: Arc<OpenedSecrets>,
}

/// A claimed delivery that waits for its turn.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) delivery: ClaimedDelivery,
    pub(crate) target: Arc<Target>,
    pub(crate) claim: ClaimId,
    pub(crate) start_by: StartBy,
}

/// Started later, an attempt might outlive its claim. Told twice, because the wall clock may be set, and the queue goes by
/// that: whichever comes first counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartBy {
    pub(crate) instant: Instant,
    pub(crate) time: Timestamp,
}

impl StartBy {
    pub(crate) fn is_over(self, instant: Instant, time: Timestamp) -> bool {
        self.instant < instant || self.time < time
    }
}

/// What the end of an attempt means for its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aftermath {
    /// How long to wait, because the fault was ours.
    pub(crate) fault_wait: Option<Duration>,
    /// The lane pauses until then.
    pub(crate) paused_until: Option<Timestamp>,
    /// The subscription will be disabled.
    pub(crate) is_closed: bool,
    /// The attempt was the one by which a lane finds out whether its receiver is back.
    pub(crate) was_probe: bool,
}

/// What this process knows of one subscription's queue, and has claimed of it.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    cap: LaneCap,
    /// As the last claim told it, and the reports since.
    breaker: Breaker,
    /// The breaker here knows of reports that the store may not know of.
    is_ahead: bool,
    /// Reports that are not stored yet.
    unwritten: u32,
    pub(crate) in_flight: u32,
    pub(crate) waiting: VecDeque<Waiting>,
    /// It is among the lanes that want to start something, or blocked by its host.
    pub(crate) is_queued: bool,
    /// There may be more of it in the store than was claimed.
    may_have_more: bool,
    room_asked: u32,
    faults_in_a_row: u32,
    held_until: Option<Instant>,
}

impl Lane {
    /// Deliveries that are being sent or wait for it.
    pub(crate) fn claimed(&self) -> u32 {
        self.in_flight + u32::try_from(self.waiting.len()).unwrap_or(u32::MAX)
    }

    /// Whether one of its deliveries may start.
    pub(crate) fn may_start(&self) -> bool {
        self.in_flight < self.cap.get() && !self.waiting.is_empty()
    }

    /// How many more of its deliveries are wanted: as many as its cap may wait while as many are under way. None while it
    /// pauses and the store has not heard of it.
    pub(crate) fn room(&self, now: Timestamp) -> u32 {
        let pauses = self.unwritten > 0 && self.breaker.admission(now) != Admission::Free;
        if self.held_until.is_some() || pauses { 0 } else { (2 * self.cap.get()).saturating_sub(self.claimed()) }
    }

    /// Whether the store should be asked for more, and not for a trifle.
    pub(crate) fn wants_more(&self, now: Timestamp) -> bool {
        self.may_have_more && self.room(now) >= self.cap.get().div_ceil(2)
    }

    /// Whether nothing is lost by forgetting it but what its cap and its faults have taught.
    pub(crate) fn is_idle(&self) -> bool {
        self.claimed() == 0 && self.unwritten == 0
    }

    /// Whether it is like a lane that nothing is known of.
    pub(crate) fn is_as_new(&self) -> bool {
        self.is_idle() && self.cap == LaneCap::default() && self.faults_in_a_row == 0
    }

    /// A claim begins, with room for so many of this lane.
    pub(crate) fn claim_begins(&mut self, room: u32) {
        self.room_asked = room;
        self.may_have_more |= room == 0;
        self.is_ahead = self.unwritten > 0;
    }

    /// The claim found so many, none perhaps.
    pub(crate) fn claim_found(&mut self, count: u32) {
        self.may_have_more = count >= self.room_asked;
    }

    /// Takes over what the store knows of the receiver, unless this process knows more. Answers whether the lane may
    /// deliver: what was claimed before the store heard of a pause must not be sent.
    pub(crate) fn adopt(&mut self, stored: Breaker, now: Timestamp) -> bool {
        if self.is_ahead {
            return self.breaker.admission(now) == Admission::Free;
        }
        self.breaker = stored;
        true
    }

    /// An attempt has ended.
    pub(crate) fn attempt_ended(&mut self, report: Report, now: Instant) -> Aftermath {
        self.in_flight -= 1;
        let was_probe = self.breaker.admission(report.started_at) == Admission::Probe;
        if report.verdict == Verdict::NotCharged {
            let fault_wait = Some(self.fault(now));
            return Aftermath { fault_wait, paused_until: None, is_closed: false, was_probe };
        }
        (self.faults_in_a_row, self.held_until) = (0, None);
        self.unwritten += 1;
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

    /// A fault of ours keeps the lane from delivering. Answers how long it is left alone.
    pub(crate) fn fault(&mut self, now: Instant) -> Duration {
        let is_held = self.held_until.is_some_and(|until| now < until);
        if !is_held {
            self.faults_in_a_row = self.faults_in_a_row.saturating_add(1);
        }
        let wait = doubled(FAULT_WAIT_MIN, self.faults_in_a_row - 1, FAULT_WAIT_MAX);
        self.held_until = Some(now + wait);
        wait
    }

    /// Whether the fault that [`Lane::fault`] was last told of is the first in a row.
    pub(crate) fn is_first_fault(&self) -> bool {
        self.faults_in_a_row == 1
    }

    /// Lets go of a lane whose wait after a fault is over.
    pub(crate) fn release(&mut self, now: Instant) {
        self.held_until = self.held_until.filter(|until| now < *until);
    }

    /// A report has been stored, or will never be.
    pub(crate) fn report_written(&mut self) {
        self.unwritten = self.unwritten.saturating_sub(1);
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held_until.is_some()
    }
}
