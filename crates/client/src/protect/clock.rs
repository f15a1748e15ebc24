use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

/// The clock of the verifier: [`Mark::now`], except in tests.
pub(super) type Clock = Arc<dyn Fn() -> Mark + Send + Sync>;

/// An instant on both clocks. The monotonic clock stops while the machine is suspended, and the wall clock may be set
/// back, so an age is the longer of the two differences.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) monotonic: Instant,
    pub(super) wall: SystemTime,
}

impl Mark {
    /// This instant.
    #[expect(clippy::disallowed_methods, reason = "the one place of this library that reads the wall clock")]
    pub(super) fn now() -> Self {
        Self { monotonic: Instant::now(), wall: SystemTime::now() }
    }

    /// How long ago `earlier` was.
    pub(super) fn since(self, earlier: Self) -> Duration {
        let by_the_wall = self.wall.duration_since(earlier.wall).unwrap_or_default();
        self.monotonic.duration_since(earlier.monotonic).max(by_the_wall)
    }

    /// Whether a time in seconds since 1970-01-01 has come.
    pub(super) fn is_past(self, unix_seconds: i64) -> bool {
        let since_1970 = self.wall.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(unix_seconds).map_or(true, |end| end <= since_1970.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_end_has_come_from_its_very_second_on() {
        let wall = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        let now = Mark { monotonic: Instant::now(), wall };
        for (end, is_past) in [(-1, true), (0, true), (999, true), (1_000, true), (1_001, false)] {
            assert_eq!(now.is_past(end), is_past, "{end}");
        }
    }
}
