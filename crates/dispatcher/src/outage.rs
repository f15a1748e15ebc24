use std::time::Duration;

use domain::FailuresInARow;
use domain::ports::StoreError;

const WAIT_MIN: Duration = Duration::from_millis(100);
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Tracks the failures of one kind of call to the store: the wait after each failure, one log line when the calls start to
/// fail, and one when they work again.
pub(crate) struct Outage {
    /// The call, for the log.
    what: &'static str,
    failures: FailuresInARow,
}

impl Outage {
    /// Starts without a failure.
    pub(crate) fn of(what: &'static str) -> Self {
        Self { what, failures: FailuresInARow::default() }
    }

    /// Counts a failure. Returns how long to wait before the next call.
    pub(crate) fn failed(&mut self, error: &StoreError) -> Duration {
        if self.failures.count() {
            tracing::warn!(error = error as &dyn std::error::Error, "webhooks: {} failed, retrying", self.what);
        }
        doubled(WAIT_MIN, self.failures.get() - 1, WAIT_MAX)
    }

    /// Notes a success.
    pub(crate) fn worked(&mut self) {
        if let Some(failures) = self.failures.end() {
            tracing::info!(failures, "webhooks: {} works again", self.what);
        }
    }

    /// Whether the last call failed.
    pub(crate) fn is_failing(&self) -> bool {
        self.failures.get() > 0
    }
}

/// `first` doubled `times` times, at most `longest`.
pub(crate) fn doubled(first: Duration, times: u32, longest: Duration) -> Duration {
    first.saturating_mul(2_u32.saturating_pow(times)).min(longest)
}

#[cfg(test)]
mod tests {
    use domain::ports::BoxError;

    use super::*;

    #[test]
    fn each_failure_in_a_row_doubles_the_wait_up_to_a_bound() {
        let mut outage = Outage::of("a test");
        let error = StoreError::Unavailable(BoxError::from("switched off"));
        let waits: Vec<u128> = (0..8).map(|_| outage.failed(&error).as_millis()).collect();
        assert_eq!(waits, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
        assert_eq!((0..100).map(|_| outage.failed(&error)).max(), Some(WAIT_MAX));
        outage.worked();
        assert!(!outage.is_failing());
        assert_eq!(outage.failed(&error), WAIT_MIN);
    }
}
