use std::time::Duration;

use super::follow_attempts::before_all;
use crate::ports::{ListAttemptsRequest, LoggedAttempt, StoreError};
use crate::webhooks::Webhooks;
use crate::{OwnerId, SubscriptionId, Timestamp};

/// The most attempts of which the times are read at once.
pub const TIMED_ATTEMPTS_MAX: u32 = 1_000;
/// How far back attempts are read. A shorter period is tried when the longer one has too many attempts.
const PERIODS: [Duration; 4] =
    [Duration::from_hours(24), Duration::from_hours(1), Duration::from_mins(2), Duration::from_secs(5)];

/// How long attempts at the deliveries to one subscription took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptTimes {
    /// Only attempts that ended after this time count.
    pub since: Timestamp,
    /// How many attempts count.
    pub attempts: u32,
    /// Half of the attempts took no longer; zero without an attempt.
    pub p50: Duration,
    /// 95 % of the attempts took no longer; zero without an attempt.
    pub p95: Duration,
}

impl AttemptTimes {
    fn of(since: Timestamp, attempts: &[LoggedAttempt]) -> Self {
        let mut durations: Vec<Duration> = attempts.iter().map(|one| one.attempt.duration).collect();
        durations.sort_unstable();
        let attempts = u32::try_from(durations.len()).unwrap_or(u32::MAX);
        Self { since, attempts, p50: percentile(&durations, 50), p95: percentile(&durations, 95) }
    }
}

/// The smallest of the sorted durations that at least `percent` percent of them do not exceed.
fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

impl Webhooks {
    /// How long the last attempts at deliveries to the owner's subscription took: the attempts of the last 24 hours, or
    /// of the longest shorter period with at most [`TIMED_ATTEMPTS_MAX`] of them. `None` if the owner has no such
    /// subscription. See decision 76.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn attempt_times(
        &self,
        owner: &OwnerId,
        subscription: SubscriptionId,
    ) -> Result<Option<AttemptTimes>, StoreError> {
        if self.stores.subscriptions.find(owner, subscription).await?.is_none() {
            return Ok(None);
        }
        let now = self.clock.now();
        let mut times = None;
        for since in PERIODS.map(|period| now.minus(period)) {
            let (owner, subscription, after) = (owner.clone(), Some(subscription), before_all(since));
            let request = ListAttemptsRequest { owner, subscription, after, max: TIMED_ATTEMPTS_MAX };
            let attempts = self.stores.log.attempts_after(&request).await?;
            times = Some(AttemptTimes::of(since, &attempts));
            if attempts.len() < TIMED_ATTEMPTS_MAX as usize {
                break;
            }
        }
        Ok(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::AttemptRecord;
    use crate::{DeliveryId, EventId, test_samples};

    #[test]
    fn half_of_the_attempts_are_not_slower_than_the_first_figure() {
        let attempt = |millis| LoggedAttempt {
            subscription: SubscriptionId::from_bytes([1; 16]),
            delivery: DeliveryId::from_bytes([2; 16]),
            event: EventId::from_bytes([3; 16]),
            attempt: AttemptRecord { duration: Duration::from_millis(millis), ..test_samples::attempt(None) },
        };
        let unsorted: Vec<LoggedAttempt> = (0..100).map(|n| attempt(1 + n * 37 % 100)).collect();
        let times = AttemptTimes::of(Timestamp::MIN, &unsorted);
        let [p50, p95] = [50, 95].map(Duration::from_millis);
        assert_eq!(times, AttemptTimes { since: Timestamp::MIN, attempts: 100, p50, p95 });
    }

    #[test]
    fn a_percentile_is_one_of_the_durations() {
        let millis = |range: std::ops::RangeInclusive<u64>| range.map(Duration::from_millis).collect::<Vec<_>>();
        for (durations, p50, p95) in [
            (vec![], 0, 0),
            (millis(7..=7), 7, 7),
            (millis(1..=2), 1, 2),
            (millis(1..=20), 10, 19),
            (millis(1..=100), 50, 95),
        ] {
            let found = [50, 95].map(|percent| percentile(&durations, percent).as_millis());
            assert_eq!(found, [p50, p95], "{durations:?}");
        }
    }
}
