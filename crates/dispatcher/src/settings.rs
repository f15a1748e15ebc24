use std::time::Duration;

use domain::webhooks::{PauseLengths, RetrySchedule};

/// The shortest lease of a claim.
const LEASE_MIN: Duration = Duration::from_mins(1);
/// How long an attempt may exceed the sender's deadline before it is cut off.
const ATTEMPT_SLACK: Duration = Duration::from_secs(5);
/// The time between the latest end of an attempt and the end of its lease, in which the result is stored.
const WRITE_SLACK: Duration = Duration::from_secs(5);

/// The settings of a dispatcher.
#[derive(Clone, Debug)]
pub struct DispatcherSettings {
    /// `WEBHOOK_CONCURRENCY`: the most attempts at a time, at least 1. The same number of further deliveries may be
    /// claimed and wait in memory.
    pub concurrency: u32,
    /// The most attempts at a time to one destination host, at least 1.
    pub concurrency_per_host: u32,
    /// `WEBHOOK_TIMEOUT_SECONDS`: the sender's deadline for one attempt.
    pub attempt_timeout: Duration,
    /// `WEBHOOK_RETRY_SCHEDULE`: when failed deliveries are tried again.
    pub schedule: RetrySchedule,
    /// How long the lane of a receiver that keeps failing pauses.
    pub pauses: PauseLengths,
    /// On shutdown: how long attempts in progress may continue. If this is below
    /// [`DispatcherSettings::attempt_timeout`], some may be cut off; they count.
    pub stop_grace: Duration,
    /// `WEBHOOK_TRACEPARENT`: whether receivers get the header `traceparent` with attempts that are traced.
    pub sends_traceparent: bool,
}

/// 512 attempts at a time, 256 to one host, 15 s for each, the default schedule, 20 s to stop, `traceparent` is sent.
impl Default for DispatcherSettings {
    fn default() -> Self {
        Self {
            concurrency: 512,
            concurrency_per_host: 256,
            attempt_timeout: Duration::from_secs(15),
            schedule: RetrySchedule::default(),
            pauses: PauseLengths::default(),
            stop_grace: Duration::from_secs(20),
            sends_traceparent: true,
        }
    }
}

impl DispatcherSettings {
    /// How long a claim lasts: 60 s, or longer for a long attempt timeout, so that half of it remains for waiting.
    pub fn lease(&self) -> Duration {
        LEASE_MIN.max(2 * self.attempt_timeout + Duration::from_secs(30))
    }

    /// How long an attempt may take before it is cut off, because its sender misses the deadline.
    pub(crate) fn attempt_max(&self) -> Duration {
        self.attempt_timeout + ATTEMPT_SLACK
    }

    /// How long after the start of a claim an attempt may start, so that it ends within the lease.
    pub(crate) fn startable_for(&self) -> Duration {
        self.lease().saturating_sub(self.attempt_max() + WRITE_SLACK)
    }

    /// The most claimed deliveries at a time, whether they are being sent or wait.
    pub(crate) fn claimed_max(&self) -> u32 {
        self.concurrency.max(1).saturating_mul(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_has_room_for_waiting_and_for_the_longest_attempt() {
        for (timeout_seconds, lease_seconds, startable_seconds) in
            [(1, 60, 49), (15, 60, 35), (30, 90, 50), (60, 150, 80)]
        {
            let attempt_timeout = Duration::from_secs(timeout_seconds);
            let settings = DispatcherSettings { attempt_timeout, ..DispatcherSettings::default() };
            assert_eq!(settings.lease(), Duration::from_secs(lease_seconds));
            assert_eq!(settings.startable_for(), Duration::from_secs(startable_seconds));
        }
    }
}
