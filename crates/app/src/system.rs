use std::time::{Duration, SystemTime, UNIX_EPOCH};

use domain::Timestamp;
use domain::ports::{Clock, Entropy};

/// The clock of the machine.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn now(&self) -> Timestamp {
        /// 1970-01-01T00:00:00Z
        const EPOCH: Timestamp = match Timestamp::from_unix_millis(0) {
            Some(epoch) => epoch,
            None => Timestamp::MIN,
        };
        // A clock before 1970 is broken; the epoch is then as good as any answer.
        EPOCH.plus(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO))
    }
}

/// The random generator of the operating system.
pub(crate) struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that draws from the system")]
    fn fill(&self, bytes: &mut [u8]) {
        // Linux, macOS and Windows promise that this never fails once the machine is up. Going on without would mean
        // keys that can be guessed.
        getrandom::fill(bytes).expect("the operating system gives randomness");
    }
}
