use std::time::Duration;

use super::breaker::{PauseLengths, Report};
use crate::Timestamp;
use crate::webhooks::{AttemptRecord, DeliveryEnd, FailureReason, OnExhausted, OutcomeCounts, Verdict};

/// How a claim on a delivery ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimEnd {
    /// The receiver took the webhook. The delivery ends as [`DeliveryEnd::Delivered`].
    Delivered(AttemptRecord),
    /// The attempt failed.
    Failed {
        /// The attempt. It has a [`AttemptRecord::failure`].
        attempt: AttemptRecord,
        /// The pause that the receiver asked for, for all deliveries of the lane.
        retry_after: Option<Duration>,
        /// When the next attempt is due; `None` ends the delivery as [`DeliveryEnd::ScheduleSpent`].
        retry_at: Option<Timestamp>,
        /// How long the lane pauses if the failure opens its breaker.
        pauses: PauseLengths,
    },
    /// The receiver asks for no more webhooks (410). The delivery ends as [`DeliveryEnd::SubscriptionDisabled`].
    Gone(AttemptRecord),
    /// The attempt began, and its outcome is unknown. The receiver may have the webhook, so the attempt stays counted.
    CutOff {
        /// When the attempt was cut off.
        at: Timestamp,
        /// When the next attempt is due.
        retry_at: Timestamp,
    },
    /// No attempt began, so the claim's count is taken back.
    GivenBack {
        /// When the delivery went back to the queue.
        at: Timestamp,
        /// When the delivery is due again.
        due_at: Timestamp,
    },
    /// No attempt began, because the schedule does not allow another one. The delivery ends as
    /// [`DeliveryEnd::ScheduleSpent`].
    Expired {
        /// When the delivery ended.
        at: Timestamp,
    },
    /// The end of the schedule, in a lane whose order [stops](crate::webhooks::OnExhausted::Stop) then. It disables the
    /// subscription.
    Stopped(Box<Self>),
}

/// The fate of a delivery after a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// The delivery ends.
    End(DeliveryEnd),
    /// The next attempt is due at this instant.
    Retry(Timestamp),
    /// The same attempt is due at this instant.
    GiveBack(Timestamp),
}

impl ClaimEnd {
    /// The end in a lane with this order.
    #[must_use]
    pub fn in_order(self, order: Option<OnExhausted>) -> Self {
        let is_spent = self.next_step() == NextStep::End(DeliveryEnd::ScheduleSpent);
        if is_spent && order == Some(OnExhausted::Stop) { Self::Stopped(Box::new(self)) } else { self }
    }

    /// When the claim stopped the order of its lane; `None` if it did not.
    pub fn stopped_at(&self) -> Option<Timestamp> {
        matches!(self, Self::Stopped(_)).then(|| self.ended_at())
    }

    /// The record of the attempt; `None` when there was no attempt, or its outcome is unknown.
    pub fn attempt(&self) -> Option<&AttemptRecord> {
        match self {
            Self::Stopped(end) => end.attempt(),
            Self::Delivered(attempt) | Self::Failed { attempt, .. } | Self::Gone(attempt) => Some(attempt),
            Self::CutOff { .. } | Self::GivenBack { .. } | Self::Expired { .. } => None,
        }
    }

    /// When the claim ended.
    pub fn ended_at(&self) -> Timestamp {
        match self {
            Self::Delivered(attempt) | Self::Failed { attempt, .. } | Self::Gone(attempt) => attempt.ended_at(),
            Self::CutOff { at, .. } | Self::GivenBack { at, .. } | Self::Expired { at } => *at,
            Self::Stopped(end) => end.ended_at(),
        }
    }

    /// The fate of the delivery.
    pub fn next_step(&self) -> NextStep {
        match self {
            Self::Delivered(_) => NextStep::End(DeliveryEnd::Delivered),
            Self::Failed { retry_at: None, .. } | Self::Expired { .. } => NextStep::End(DeliveryEnd::ScheduleSpent),
            Self::Gone(_) => NextStep::End(DeliveryEnd::SubscriptionDisabled),
            Self::Failed { retry_at: Some(at), .. } | Self::CutOff { retry_at: at, .. } => NextStep::Retry(*at),
            Self::GivenBack { due_at, .. } => NextStep::GiveBack(*due_at),
            Self::Stopped(end) => end.next_step(),
        }
    }

    /// The counts by the hour. All are 0 if no attempt began or its outcome is unknown, and another one follows.
    pub fn outcome(&self) -> OutcomeCounts {
        let mut counts = OutcomeCounts::default();
        match self {
            Self::Delivered(_) => counts.delivered = 1,
            Self::Failed { retry_at: Some(_), .. } => counts.retried = 1,
            Self::Failed { retry_at: None, .. } | Self::Gone(_) | Self::Expired { .. } | Self::Stopped(_) => {
                counts.exhausted = 1;
            }
            Self::CutOff { .. } | Self::GivenBack { .. } => {}
        }
        counts
    }

    /// The report to the lane's breaker; `None` without a record.
    pub fn report(&self) -> Option<Report> {
        let (verdict, pauses) = match self {
            Self::Delivered(_) => (Verdict::Delivered, PauseLengths::default()),
            Self::Gone(_) => (Verdict::Gone, PauseLengths::default()),
            Self::Failed { attempt, retry_after, pauses, .. } => {
                let reason = attempt.failure.unwrap_or(FailureReason::Status);
                (Verdict::Failed { reason, retry_after: *retry_after }, *pauses)
            }
            Self::CutOff { .. } | Self::GivenBack { .. } | Self::Expired { .. } => return None,
            Self::Stopped(end) => return end.report(),
        };
        let report = |attempt: &AttemptRecord| {
            let (started_at, ended_at) = (attempt.started_at, attempt.ended_at());
            Report { started_at, ended_at, verdict, pauses }
        };
        self.attempt().map(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::{at, attempt};

    fn failed(retry_at: Option<Timestamp>) -> ClaimEnd {
        let attempt = attempt(Some(FailureReason::Tls));
        ClaimEnd::Failed { attempt, retry_after: None, retry_at, pauses: PauseLengths::default() }
    }

    #[test]
    fn what_follows_is_decided_by_how_the_claim_ended() {
        let tls = FailureReason::Tls;
        let pauses = PauseLengths { first: Duration::from_secs(1), longest: Duration::from_secs(2) };
        let failed =
            |retry_at, retry_after| ClaimEnd::Failed { attempt: attempt(Some(tls)), retry_after, retry_at, pauses };
        let second = Some(Duration::from_secs(1));
        let verdict = |retry_after| Some(Verdict::Failed { reason: tls, retry_after });
        for (end, ended_at, next, reported) in [
            (ClaimEnd::Delivered(attempt(None)), 15, NextStep::End(DeliveryEnd::Delivered), Some(Verdict::Delivered)),
            (failed(Some(at(90)), None), 15, NextStep::Retry(at(90)), verdict(None)),
            (failed(None, second), 15, NextStep::End(DeliveryEnd::ScheduleSpent), verdict(second)),
            (
                ClaimEnd::Gone(attempt(Some(FailureReason::Status))),
                15,
                NextStep::End(DeliveryEnd::SubscriptionDisabled),
                Some(Verdict::Gone),
            ),
            (ClaimEnd::CutOff { at: at(20), retry_at: at(30) }, 20, NextStep::Retry(at(30)), None),
            (ClaimEnd::GivenBack { at: at(20), due_at: at(30) }, 20, NextStep::GiveBack(at(30)), None),
            (ClaimEnd::Expired { at: at(20) }, 20, NextStep::End(DeliveryEnd::ScheduleSpent), None),
        ] {
            assert_eq!((end.ended_at(), end.next_step()), (at(ended_at), next), "{end:?}");
            assert_eq!(end.attempt().is_some(), reported.is_some(), "{end:?}");
            let pauses = if matches!(end, ClaimEnd::Failed { .. }) { pauses } else { PauseLengths::default() };
            let report = reported.map(|verdict| Report { started_at: at(10), ended_at: at(15), verdict, pauses });
            assert_eq!(end.report(), report, "{end:?}");
        }
    }

    #[test]
    fn an_order_stops_at_the_end_of_a_schedule_alone() {
        for (end, is_spent) in [
            (failed(None), true),
            (ClaimEnd::Expired { at: at(20) }, true),
            (failed(Some(at(90))), false),
            (ClaimEnd::Delivered(attempt(None)), false),
            (ClaimEnd::Gone(attempt(None)), false),
            (ClaimEnd::GivenBack { at: at(20), due_at: at(30) }, false),
        ] {
            for order in [None, Some(OnExhausted::Skip), Some(OnExhausted::Stop)] {
                let ordered = end.clone().in_order(order);
                let stops = is_spent && order == Some(OnExhausted::Stop);
                assert_eq!(ordered.stopped_at(), stops.then(|| end.ended_at()), "{end:?} {order:?}");
                assert_eq!((ordered.attempt(), ordered.report()), (end.attempt(), end.report()));
                assert_eq!((ordered.next_step(), ordered.ended_at()), (end.next_step(), end.ended_at()));
                assert_eq!(ordered.outcome(), end.outcome());
            }
        }
    }

    #[test]
    fn an_outcome_is_counted_once_and_only_if_it_is_known() {
        for (end, counts) in [
            (ClaimEnd::Delivered(attempt(None)), [1, 0, 0]),
            (failed(Some(at(90))), [0, 1, 0]),
            (failed(None), [0, 0, 1]),
            (ClaimEnd::Gone(attempt(None)), [0, 0, 1]),
            (ClaimEnd::Expired { at: at(20) }, [0, 0, 1]),
            (ClaimEnd::CutOff { at: at(20), retry_at: at(30) }, [0, 0, 0]),
            (ClaimEnd::GivenBack { at: at(20), due_at: at(30) }, [0, 0, 0]),
        ] {
            assert_eq!(end.outcome(), counts.into(), "{end:?}");
        }
    }
}
