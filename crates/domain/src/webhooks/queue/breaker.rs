use std::time::Duration;

use crate::Timestamp;
use crate::named::named;
use crate::webhooks::{FailureReason, Verdict};

/// How many failures in a row open the breaker.
const FAILURES_TO_TRIP: u32 = 5;
/// The longest pause that a receiver gets by `Retry-After`.
const ASKED_PAUSE_MAX: Duration = Duration::from_hours(1);
/// After this time without a success, the subscription is disabled.
const FAILING_MAX: Duration = Duration::from_hours(5 * 24);

/// The circuit breaker of a lane: how long the receiver has been failing, and until when the lane pauses. It is stored
/// with the lane. A wait does not use up attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breaker {
    /// How many attempts have failed since the last success.
    pub failures_in_a_row: u32,
    /// When the first of these attempts ended.
    pub failing_since: Option<Timestamp>,
    /// The pause, which may be over.
    pub pause: Option<Pause>,
}

/// How long an open breaker pauses its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseLengths {
    /// The first pause.
    pub first: Duration,
    /// The longest pause. Each failed probe doubles the pause, up to this length.
    pub longest: Duration,
}

/// 30 s, doubled up to 1 h.
impl Default for PauseLengths {
    fn default() -> Self {
        Self { first: Duration::from_secs(30), longest: Duration::from_hours(1) }
    }
}

/// A pause of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// From this time on the lane may deliver again.
    pub until: Timestamp,
    /// How long the breaker pauses the lane; zero if the receiver asked for the pause (`Retry-After`) and the breaker
    /// is closed.
    pub length: Duration,
}

/// The permission of a lane to send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Send all due deliveries.
    Free,
    /// Send one delivery to see whether the receiver is back, and wait until it ends.
    Probe,
    /// Wait until this time.
    Paused(Timestamp),
}

named! {
    /// Why the service has disabled a subscription.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DisableReason: code, from_code {
        /// The receiver answered 410.
        Gone = "gone",
        /// All attempts failed for five days.
        OnlyFailures = "only_failures",
        /// The attempts of a delivery are used up, and its subscription stops then. See
        /// [`OnExhausted`](crate::webhooks::OnExhausted).
        OrderStopped = "order_stopped",
        /// The API key that set the URL was reported as leaked. See decision 46.
        KeyLeaked = "key_leaked",
    }
}

/// An attempt that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// When it started.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// The verdict on it.
    pub verdict: Verdict,
    /// How long the lane pauses if the breaker opens.
    pub pauses: PauseLengths,
}

/// A turn of the health of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthTurn {
    /// The breaker opened. The last attempt failed for this reason, if it failed.
    Failing(Option<FailureReason>),
    /// The breaker closed after a success.
    Recovered,
}

/// The consequences of several reports for a subscription, each with its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consequences {
    /// The subscription has to be disabled.
    pub disabled: Option<(DisableReason, Timestamp)>,
    /// The health of the lane has turned, and the subscription need not be disabled, which would include this.
    pub turned: Option<(HealthTurn, Timestamp)>,
}

impl Consequences {
    /// The consequences if the order of the lane also stops at this time.
    #[must_use]
    pub fn with_stop(self, stopped_at: Option<Timestamp>) -> Self {
        let stopped = stopped_at.filter(|_| self.disabled.is_none()).map(|at| (DisableReason::OrderStopped, at));
        if stopped.is_some() { Self { disabled: stopped, turned: None } } else { self }
    }
}

impl HealthTurn {
    /// The code of the reason; `unknown` without one.
    pub fn failure_code(self) -> &'static str {
        match self {
            Self::Failing(Some(reason)) => reason.code(),
            Self::Failing(None) | Self::Recovered => "unknown",
        }
    }
}

impl Breaker {
    /// Whether the breaker is open, which pauses the lane: too many attempts in a row have failed.
    pub fn is_open(&self) -> bool {
        self.failures_in_a_row >= FAILURES_TO_TRIP
    }

    /// Records the ends of several attempts, one after the other.
    pub fn record_all(&mut self, reports: &[Report]) -> Consequences {
        let was_open = self.is_open();
        let mut disabled = None;
        for report in reports {
            let reason = self.record(*report);
            disabled = disabled.or(reason.map(|reason| (reason, report.ended_at)));
        }
        let turned = reports.last().filter(|_| disabled.is_none() && self.is_open() != was_open).map(|last| {
            let turn = if self.is_open() { HealthTurn::Failing(last.verdict.failure()) } else { HealthTurn::Recovered };
            (turn, last.ended_at)
        });
        Consequences { disabled, turned }
    }

    /// The permission of the lane at `at`.
    pub fn admission(&self, at: Timestamp) -> Admission {
        match self.pause {
            Some(pause) if at < pause.until => Admission::Paused(pause.until),
            _ if self.is_open() => Admission::Probe,
            _ => Admission::Free,
        }
    }

    /// The breaker after a rest in which its lane could not send. The time of the rest does not count as failing.
    #[must_use]
    pub fn rested(self, since: Timestamp, until: Timestamp) -> Self {
        let failing_since = self.failing_since.map(|failing| failing.plus(until.since(failing.max(since))));
        Self { failing_since, ..self }
    }

    /// Records the end of an attempt. `Some` means that the subscription has to be disabled.
    ///
    /// - A success closes the breaker, even if the attempt started before the breaker opened.
    /// - The fifth failure in a row opens the breaker: the lane pauses for the first of the report's [`PauseLengths`].
    ///   Each failed probe doubles the pause, up to the longest. Attempts that started before the pause ended are not
    ///   probes: they only count as failures.
    /// - `Retry-After` pauses the whole lane for the time that the receiver asks for, up to 1 h.
    /// - Failures of the sender have no effect.
    #[must_use = "the subscription may have to be disabled"]
    pub fn record(&mut self, report: Report) -> Option<DisableReason> {
        match report.verdict {
            Verdict::NotCharged => None,
            Verdict::Delivered => {
                *self = Self::default();
                None
            }
            Verdict::Gone => {
                self.count_failure(report, None);
                Some(DisableReason::Gone)
            }
            Verdict::Failed { retry_after, .. } => {
                let failing_since = self.count_failure(report, retry_after);
                let is_hopeless = failing_since <= report.ended_at.minus(FAILING_MAX);
                (is_hopeless && self.failures_in_a_row >= FAILURES_TO_TRIP).then_some(DisableReason::OnlyFailures)
            }
        }
    }

    fn count_failure(&mut self, report: Report, retry_after: Option<Duration>) -> Timestamp {
        self.failures_in_a_row = self.failures_in_a_row.saturating_add(1);
        self.pause = self.next_pause(report, retry_after);
        *self.failing_since.get_or_insert(report.ended_at)
    }

    fn next_pause(&self, report: Report, retry_after: Option<Duration>) -> Option<Pause> {
        let running = self.pause.filter(|pause| report.started_at < pause.until);
        let length_before = self.pause.map_or(Duration::ZERO, |pause| pause.length);
        let is_covered = running.is_some_and(|pause| pause.length > Duration::ZERO);
        let trips = self.failures_in_a_row >= FAILURES_TO_TRIP && !is_covered;
        let length =
            if trips { (2 * length_before).max(report.pauses.first).min(report.pauses.longest) } else { length_before };
        let imposed = if trips { length } else { Duration::ZERO };
        let wait = imposed.max(retry_after.unwrap_or_default().min(ASKED_PAUSE_MAX));
        if wait.is_zero() {
            return self.pause;
        }
        let until = report.ended_at.plus(wait);
        Some(Pause { until: running.map_or(until, |pause| pause.until.max(until)), length })
    }
}

#[cfg(test)]
#[path = "breaker_tests.rs"]
mod tests;
