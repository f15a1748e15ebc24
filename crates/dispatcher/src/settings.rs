use std::time::Duration;

use domain::webhooks::RetrySchedule;

/// The shortest lease of a claim.
const LEASE_MIN: Duration = Duration::from_mins(1);
/// How long past its sender's deadline an attempt may last before it is cut off.
const ATTEMPT_SLACK: Duration = Duration::from_secs(5);
/// How long before its lease ends a delivery must be over at the latest, so that its end can still be written.
const WRITE_SLACK: Duration = Duration::from_secs(5);

/// What an operator may set of delivering.
#[derive(Clone, Debug)]
pub struct DispatcherSettings {
    /// `WEBHOOK_CONCURRENCY`: the most attempts at a time, at least 1. As many deliveries again may be claimed and wait
    /// for their turn in memory.
    pub concurrency: u32,
    /// The most attempts at a time to one destination host, at least 1.
    pub concurrency_per_host: u32,
    /// `WEBHOOK_TIMEOUT_SECONDS`: the sender's deadline for one attempt.
    pub attempt_timeout: Duration,
    /// `WEBHOOK_RETRY_SCHEDULE`: when failed deliveries are tried again.
    pub schedule: RetrySchedule,
    /// How long attempts that are under way may go on when the dispatcher is to stop. Below
    /// [`DispatcherSettings::attempt_timeout`] some may be cut off, and count without having ended.
    pub stop_grace: Duration,
}

/// 512 attempts at a time, 256 to one host, 15 s for each, the default schedule, 20 s to stop.
impl Default for DispatcherSettings {
    fn default() -> Self {
        Self {
            concurrency: 512,
            concurrency_per_host: 256,
            attempt_timeout: Duration::from_secs(15),
            schedule: RetrySchedule::default(),
            stop_grace: Duration::from_secs(20),
        }
    }
}

impl DispatcherSettings {
    /// How long a claim lasts: 60 s, or more where attempts may take long, so that half of it is left for waiting.
    pub fn lease(&self) -> Duration {
        LEASE_MIN.max(2 * self.attempt_timeout + Duration::from_secs(30))
    }

    /// When an attempt is cut off whose sender does not keep its deadline.
    pub(crate) fn attempt_max(&self) -> Duration {
        self.attempt_timeout + ATTEMPT_SLACK
    }

    /// How long a claimed delivery may wait for its turn: what starts by then ends within its lease.
    pub(crate) fn unsent_max(&self) -> Duration {
        self.lease().saturating_sub(self.attempt_max() + WRITE_SLACK)
    }

    /// The most deliveries that are claimed at a time, being sent or waiting for their turn.
    pub(crate) fn claimed_max(&self) -> usize {
        2 * self.concurrency.max(1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_has_room_for_waiting_and_for_the_longest_attempt() {
        for (timeout_seconds, lease_seconds, unsent_seconds) in [(1, 60, 49), (15, 60, 35), (30, 90, 50), (60, 150, 80)]
        {
            let attempt_timeout = Duration::from_secs(timeout_seconds);
            let settings = DispatcherSettings { attempt_timeout, ..DispatcherSettings::default() };
            assert_eq!(settings.lease(), Duration::from_secs(lease_seconds));
            assert_eq!(settings.unsent_max(), Duration::from_secs(unsent_seconds));
        }
    }
}
