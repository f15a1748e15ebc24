use super::subscription::{DisabledBy, SubscriptionStatus};
use crate::Timestamp;
use crate::webhooks::{Admission, AttemptRecord, Breaker, FailureReason};

/// The breaker, the queue and the last attempt of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionHealth {
    /// The breaker of its lane.
    pub breaker: Breaker,
    /// How many deliveries are waiting or being sent, counted up to [`SubscriptionHealth::WAITING_COUNT_MAX`].
    pub waiting: u32,
    /// The attempt that ended last, without the excerpt of the answer. `None` before the first attempt, and after the
    /// attempt is purged.
    pub last_attempt: Option<AttemptRecord>,
}

impl SubscriptionHealth {
    /// The largest count of waiting deliveries. A larger limit would make the count as slow as a read of the queue.
    pub const WAITING_COUNT_MAX: u32 = 10_000;
}

/// The health of a subscription: one word and a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthState {
    /// No attempt has failed since the last success, or since it was enabled.
    Healthy,
    /// The last attempt failed, for this reason unless it is purged. Deliveries continue.
    Failing(Option<FailureReason>),
    /// The lane pauses.
    Paused(PauseReason),
    /// The subscription is disabled.
    Disabled(DisabledBy),
}

/// Why a lane pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseReason {
    /// The receiver has asked for the pause (`Retry-After`).
    RetryAfter,
    /// Too many attempts in a row have failed, the last one for this reason unless it is purged.
    Failures(Option<FailureReason>),
}

impl HealthState {
    /// The health at `at` of a subscription with this status.
    pub fn of(status: SubscriptionStatus, health: &SubscriptionHealth, at: Timestamp) -> Self {
        let failure = health.last_attempt.as_ref().and_then(|attempt| attempt.failure);
        let breaker = &health.breaker;
        match (status.disabled_by(), breaker.admission(at)) {
            (Some(by), _) => Self::Disabled(by),
            (None, Admission::Paused(_)) => Self::Paused(match breaker.pause {
                Some(pause) if pause.length.is_zero() => PauseReason::RetryAfter,
                _ => PauseReason::Failures(failure),
            }),
            (None, _) if breaker.failures_in_a_row > 0 => Self::Failing(failure),
            (None, _) => Self::Healthy,
        }
    }

    /// The code that the API uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Failing(_) => "failing",
            Self::Paused(_) => "paused",
            Self::Disabled(_) => "disabled",
        }
    }

    /// The code of the reason, if there is one and it is known.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::Healthy => None,
            Self::Failing(failure) | Self::Paused(PauseReason::Failures(failure)) => failure.map(FailureReason::code),
            Self::Paused(PauseReason::RetryAfter) => Some("retry_after"),
            Self::Disabled(by) => Some(by.code()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::test_samples::attempt;
    use crate::webhooks::{DisableReason, Pause};

    const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();
    const SECOND: Duration = Duration::from_secs(1);

    fn health(failures_in_a_row: u32, pause: Option<Pause>) -> SubscriptionHealth {
        let failing_since = (failures_in_a_row > 0).then_some(NOW.minus(SECOND));
        let last_attempt = attempt((failures_in_a_row > 0).then_some(FailureReason::Timeout));
        let breaker = Breaker { failures_in_a_row, failing_since, pause };
        SubscriptionHealth { breaker, waiting: 0, last_attempt: Some(last_attempt) }
    }

    #[test]
    fn a_word_and_a_reason_for_each_state() {
        let pause = |seconds: u32, length| Some(Pause { until: NOW.plus(SECOND * seconds), length });
        let (tripped, asked) = (pause(1, SECOND * 30), pause(1, Duration::ZERO));
        let over = pause(0, SECOND * 30);
        let enabled = SubscriptionStatus::Enabled;
        for (status, health, state, reason) in [
            (enabled, health(0, None), "healthy", None),
            (enabled, health(1, None), "failing", Some("timeout")),
            (enabled, health(1, asked), "paused", Some("retry_after")),
            (enabled, health(5, tripped), "paused", Some("timeout")),
            (enabled, health(5, over), "failing", Some("timeout")),
            (SubscriptionStatus::DisabledByOwner, health(5, tripped), "disabled", Some("owner")),
            (SubscriptionStatus::DisabledByService(DisableReason::Gone), health(1, None), "disabled", Some("gone")),
            (
                SubscriptionStatus::DisabledByService(DisableReason::OnlyFailures),
                health(9, tripped),
                "disabled",
                Some("only_failures"),
            ),
            (
                SubscriptionStatus::DisabledByService(DisableReason::KeyLeaked),
                health(0, None),
                "disabled",
                Some("key_leaked"),
            ),
        ] {
            let seen = HealthState::of(status, &health, NOW);
            assert_eq!((seen.as_str(), seen.reason()), (state, reason), "{status:?} {health:?}");
        }
    }

    #[test]
    fn a_reason_that_is_purged_is_not_made_up() {
        let forgotten = SubscriptionHealth { last_attempt: None, ..health(1, None) };
        let seen = HealthState::of(SubscriptionStatus::Enabled, &forgotten, NOW);
        assert_eq!((seen.as_str(), seen.reason()), ("failing", None));
    }
}
