use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use domain::Timestamp;
use domain::ports::Clock;
use tokio::time::Instant;

use crate::TRUST_MAX;

/// An instant by both clocks. The monotonic one stands still while a machine is suspended, the other one may be set
/// back: a duration is the longer of what the two say.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    monotonic: Instant,
    wall: Timestamp,
}

impl Mark {
    pub(crate) fn now(clock: &dyn Clock) -> Self {
        Self { monotonic: Instant::now(), wall: clock.now() }
    }

    pub(crate) fn since(self, earlier: Self) -> Duration {
        self.monotonic.duration_since(earlier.monotonic).max(self.wall.since(earlier.wall))
    }
}

/// Says whether the cache may be trusted: only for [`TRUST_MAX`] after the last good read of the change feed began.
pub(crate) struct Fence {
    start: Instant,
    /// Nanoseconds after `start`.
    trusted_until: AtomicU64,
    /// Unix milliseconds.
    trusted_until_wall: AtomicI64,
}

impl Fence {
    /// The feed has not been read yet.
    pub(crate) fn new() -> Self {
        let trusted_until_wall = AtomicI64::new(Timestamp::MIN.unix_millis());
        Self { start: Instant::now(), trusted_until: AtomicU64::new(0), trusted_until_wall }
    }

    /// Whether the cache tells the truth as of [`TRUST_MAX`] ago. Asked before the cache is.
    pub(crate) fn is_trusted(&self, now: Timestamp) -> bool {
        nanos(self.start.elapsed()) < self.trusted_until.load(Ordering::Acquire)
            && now.unix_millis() < self.trusted_until_wall.load(Ordering::Acquire)
    }

    /// The cache tells the truth as of `mark`: every change that was committed before it has been evicted.
    pub(crate) fn renew(&self, mark: Mark) {
        let until = mark.monotonic.duration_since(self.start) + TRUST_MAX;
        self.trusted_until.store(nanos(until), Ordering::Release);
        self.trusted_until_wall.store(mark.wall.plus(TRUST_MAX).unix_millis(), Ordering::Release);
    }
}

/// Good for 584 years of running.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
