use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use domain::Timestamp;
use domain::ports::Clock;
use tokio::time::Instant;

use crate::TRUST_MAX;

/// An instant by both clocks. The monotonic clock stops while a machine is suspended, and the wall clock may be set
/// back, so a duration between two marks is the longer of the two readings.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    monotonic: Instant,
    wall: Timestamp,
}

impl Mark {
    pub(crate) fn now(clock: &dyn Clock) -> Self {
        Self { monotonic: Instant::now(), wall: clock.machine_time() }
    }

    /// Time from `start` to this mark, by the monotonic clock.
    pub(crate) fn age(self, start: Instant) -> Duration {
        self.monotonic.duration_since(start)
    }

    pub(crate) fn since(self, earlier: Self) -> Duration {
        self.monotonic.duration_since(earlier.monotonic).max(self.wall.since(earlier.wall))
    }
}

/// How far an answer from the cache is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trust {
    /// Every key must be read from the store.
    None,
    /// The last read of the feed is older, but still within the time for which the operator accepts a stale cache.
    Stale,
    /// The cache reflects every change that was committed at least [`TRUST_MAX`] ago.
    Full,
}

/// Decides how far the cache is trusted: fully for [`TRUST_MAX`] after the last successful read of the change feed
/// began.
pub(crate) struct Fence {
    /// How long the operator accepts a stale cache after full trust has ended.
    stale_max: Duration,
    /// Age of the process, in nanoseconds, until which trust is full; 0 before the first read.
    trusted_until: AtomicU64,
    /// The same instant by the wall clock, in Unix milliseconds.
    trusted_until_wall: AtomicI64,
}

impl Fence {
    /// A fence without trust until the first read of the feed.
    pub(crate) fn new(stale_max: Duration) -> Self {
        let trusted_until_wall = AtomicI64::new(Timestamp::MIN.unix_millis());
        Self { stale_max, trusted_until: AtomicU64::new(0), trusted_until_wall }
    }

    /// How far the cache is trusted at `now` by the machine's clock, when the process is `age` old. Call this before
    /// reading the cache.
    pub(crate) fn trust(&self, age: Duration, now: Timestamp) -> Trust {
        let (until, until_wall) =
            (self.trusted_until.load(Ordering::Acquire), self.trusted_until_wall.load(Ordering::Acquire));
        if nanos(age) < until && now.unix_millis() < until_wall {
            return Trust::Full;
        }
        let stale_millis = i64::try_from(self.stale_max.as_millis()).unwrap_or(i64::MAX);
        let is_stale = until > 0
            && nanos(age) < until.saturating_add(nanos(self.stale_max))
            && now.unix_millis() < until_wall.saturating_add(stale_millis);
        if is_stale { Trust::Stale } else { Trust::None }
    }

    /// How long ago the last successful read of the feed began; `age` before the first read.
    pub(crate) fn unread_for(&self, age: Duration, now: Timestamp) -> Duration {
        let until = self.trusted_until.load(Ordering::Acquire);
        if until == 0 {
            return age;
        }
        let until_wall = Timestamp::from_unix_millis(self.trusted_until_wall.load(Ordering::Acquire));
        let by_wall = until_wall.map_or(Duration::ZERO, |until| now.since(until.minus(TRUST_MAX)));
        (age + TRUST_MAX).saturating_sub(Duration::from_nanos(until)).max(by_wall)
    }

    /// Records that the cache is correct as of `mark`, when the process was `age` old: every key that was changed
    /// before `mark` has been evicted.
    pub(crate) fn renew(&self, age: Duration, mark: Mark) {
        self.trusted_until.store(nanos(age + TRUST_MAX), Ordering::Release);
        self.trusted_until_wall.store(mark.wall.plus(TRUST_MAX).unix_millis(), Ordering::Release);
    }
}

/// Saturates after 584 years of running.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
