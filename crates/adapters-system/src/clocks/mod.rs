//! The clocks of a process. See decision 54.

mod database_clock;
mod followed_feed;
mod steady_clock;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use domain::Timestamp;
use domain::ports::Clock;

pub use database_clock::DatabaseClock;
pub use followed_feed::FollowedFeed;
pub use steady_clock::SteadyClock;

/// A clock that is wrong by more than this is reported.
const TOLERANCE: Duration = Duration::from_secs(5);

/// The wall clock of the machine.
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn now(&self) -> Timestamp {
        /// 1970-01-01T00:00:00Z
        const EPOCH: Timestamp = match Timestamp::from_unix_millis(0) {
            Some(epoch) => epoch,
            None => Timestamp::MIN,
        };
        // A clock before 1970 is broken, so the epoch is as good as any other answer.
        EPOCH.plus(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO))
    }
}
