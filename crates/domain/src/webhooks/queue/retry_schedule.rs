use std::time::Duration;

use crate::Timestamp;
use crate::ports::Entropy;

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_hours(24);

/// The waits are not a valid retry schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have at most {} waits of 1 second to 7 days", RetrySchedule::RETRIES_MAX)]
pub struct InvalidRetrySchedule;

/// When a failed delivery is tried again: how long to wait after each attempt, and when to give up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetrySchedule {
    waits: Vec<Duration>,
}

impl RetrySchedule {
    /// The most retries of one run.
    pub const RETRIES_MAX: usize = 50;
    /// The longest single wait that can be configured.
    pub const WAIT_MAX: Duration = Duration::from_hours(7 * 24);
    /// How much longer a run may last than the waits of its schedule with the longest random additions. Receivers ask
    /// for waits (`Retry-After`), and lanes pause.
    pub const SLACK: Duration = Duration::from_hours(3 * 24);

    /// A wait that the receiver asks for ends at least this long before [`RetrySchedule::age_max`]. Pauses and outages
    /// need this room: past `age_max` the delivery would end without the attempt.
    pub const ROOM: Duration = DAY;

    /// A schedule of these waits: the first attempt is at once, and the wait at index `n` follows the failure of
    /// attempt `n + 1`. Without waits there are no retries.
    ///
    /// # Errors
    ///
    /// If there are too many waits, or one is too short or too long.
    pub fn new(waits: Vec<Duration>) -> Result<Self, InvalidRetrySchedule> {
        let fits =
            waits.len() <= Self::RETRIES_MAX && waits.iter().all(|wait| (SECOND..=Self::WAIT_MAX).contains(wait));
        if fits { Ok(Self { waits }) } else { Err(InvalidRetrySchedule) }
    }

    /// How long to wait after each attempt.
    pub fn waits(&self) -> &[Duration] {
        &self.waits
    }

    /// The most attempts of one run: the first attempt, and one after each wait.
    pub fn attempts_max(&self) -> u32 {
        u32::try_from(self.waits.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// When to try again after a failure at `ended_at`; `None` if the schedule has ended.
    ///
    /// - `attempts` counts the attempts so far in this run of the schedule, including the failed one. `started_at` is
    ///   when the run started: when the delivery was made, or last retried by hand.
    /// - The wait is the schedule's or the receiver's (`retry_after`), whichever is longer. It is then lengthened at
    ///   random by up to 20 %, so that deliveries that failed together do not return together. It is never shortened.
    /// - A wait that the receiver asks for ends at least [`RetrySchedule::ROOM`] before [`RetrySchedule::age_max`], so
    ///   that the attempt is made however long that wait is.
    /// - After [`RetrySchedule::age_max`] there is no attempt.
    pub fn next_attempt(
        &self,
        attempts: u32,
        started_at: Timestamp,
        ended_at: Timestamp,
        retry_after: Option<Duration>,
        entropy: &dyn Entropy,
    ) -> Option<Timestamp> {
        let index = usize::try_from(attempts.max(1) - 1).ok()?;
        let share = random_share(entropy);
        let own = ended_at.plus(lengthened(*self.waits.get(index)?, share));
        let asked = ended_at.plus(lengthened(retry_after.unwrap_or_default(), share));
        let latest = started_at.plus(self.age_max());
        let next = own.max(asked.min(latest.minus(Self::ROOM)));
        (next <= latest).then_some(next)
    }

    /// How long after its start a run may still make an attempt: the waits with the longest random additions, and
    /// [`RetrySchedule::SLACK`].
    pub fn age_max(&self) -> Duration {
        let total: Duration = self.waits.iter().sum();
        total + total / 5 + Self::SLACK
    }
}

/// After 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h: ten attempts in a little over three days.
impl Default for RetrySchedule {
    fn default() -> Self {
        let minutes = [5, 30, 2 * 60, 5 * 60, 10 * 60, 14 * 60, 20 * 60, 24 * 60].map(Duration::from_mins);
        Self { waits: [5 * SECOND].into_iter().chain(minutes).collect() }
    }
}

/// A random number from 0 to 1.
fn random_share(entropy: &dyn Entropy) -> f64 {
    let mut random = [0; 4];
    entropy.fill(&mut random);
    f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX)
}

/// The wait plus this share of a fifth of it, to the millisecond. A wait has at most a hundred years.
fn lengthened(wait: Duration, share: f64) -> Duration {
    let wait = wait.min(36_500 * DAY);
    wait + (wait / 5).mul_f64(share)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::SeededEntropy;

    /// Always the same bytes: the shortest and the longest wait.
    struct Constant(u8);

    impl Entropy for Constant {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    fn at(unix_seconds: i64) -> Timestamp {
        Timestamp::from_unix_millis(unix_seconds * 1_000).unwrap()
    }

    fn wait_seconds(attempts: u32, retry_after: Option<u64>, entropy: &dyn Entropy) -> Option<i64> {
        let retry_after = retry_after.map(Duration::from_secs);
        let next = RetrySchedule::default().next_attempt(attempts, at(0), at(0), retry_after, entropy)?;
        Some(next.unix_millis() / 1_000)
    }

    #[test]
    fn the_default_is_the_published_schedule() {
        let published = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
        for (attempts, seconds) in (1..).zip(published) {
            assert_eq!(wait_seconds(attempts, None, &Constant(0)), Some(seconds));
            assert_eq!(wait_seconds(attempts, None, &Constant(255)), Some(seconds * 6 / 5));
        }
        assert_eq!(wait_seconds(10, None, &Constant(0)), None);
        assert_eq!(wait_seconds(u32::MAX, None, &Constant(0)), None);
    }

    #[test]
    fn retry_after_is_a_floor() {
        assert_eq!(wait_seconds(1, Some(60), &Constant(0)), Some(60));
        assert_eq!(wait_seconds(1, Some(60), &Constant(255)), Some(72));
        assert_eq!(wait_seconds(2, Some(60), &Constant(0)), Some(300));
        assert_eq!(wait_seconds(1, Some(0), &Constant(0)), Some(5));
    }

    #[test]
    fn age_ends_a_delivery() {
        let schedule = RetrySchedule::new(vec![10 * SECOND; 3]).unwrap();
        let age_max = schedule.age_max();
        assert_eq!(age_max, 36 * SECOND + RetrySchedule::SLACK);
        let next = |ended_at| schedule.next_attempt(1, at(0), ended_at, None, &Constant(0));
        let last = at(0).plus(age_max);
        assert_eq!(next(last.minus(10 * SECOND)), Some(last));
        assert_eq!(next(last.minus(9 * SECOND)), None);
    }

    /// However long the wait that the receiver asks for, each attempt of the schedule is made.
    #[test]
    fn retry_after_is_cut_to_what_the_schedule_allows() {
        let schedule = RetrySchedule::new(vec![10 * SECOND; 3]).unwrap();
        let next = |ended_at, retry_after| schedule.next_attempt(1, at(0), ended_at, Some(retry_after), &Constant(255));
        let (longest, last) = (schedule.age_max().saturating_sub(RetrySchedule::ROOM), at(0).plus(schedule.age_max()));
        let cut = Some(at(0).plus(longest));
        for asked in [longest, schedule.age_max(), schedule.age_max() + SECOND, Duration::MAX] {
            assert_eq!(next(at(0), asked), cut, "{asked:?}");
        }
        assert_eq!(next(at(0), DAY), Some(at(0).plus(DAY + DAY / 5)), "a wait that the schedule allows is not cut");
        let late = last.minus(DAY / 2);
        assert_eq!(next(late, DAY), Some(late.plus(12 * SECOND)), "past the cut, the schedule's own wait stays");
        assert_eq!(next(last.minus(11 * SECOND), DAY), None);
    }

    #[test]
    fn refuses_what_cannot_be() {
        assert!(RetrySchedule::new(vec![]).unwrap().next_attempt(1, at(0), at(0), None, &Constant(0)).is_none());
        assert!(RetrySchedule::new(vec![SECOND; 50]).is_ok());
        assert!(RetrySchedule::new(vec![RetrySchedule::WAIT_MAX]).is_ok());
        for wrong in [vec![SECOND; 51], vec![Duration::ZERO], vec![RetrySchedule::WAIT_MAX + SECOND]] {
            assert_eq!(RetrySchedule::new(wrong), Err(InvalidRetrySchedule));
        }
    }

    proptest! {
        #[test]
        fn a_wait_is_lengthened_by_a_fifth_at_most_and_never_shortened(millis in 0_u64..=604_800_000, seed: u64) {
            let wait = Duration::from_millis(millis);
            let lengthened = lengthened(wait, random_share(&SeededEntropy::new(seed)));
            prop_assert!(wait <= lengthened && lengthened <= wait + wait / 5);
        }
    }
}
