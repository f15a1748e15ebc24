use std::sync::Arc;
use std::time::Duration;

use domain::RateLimit;
use governor::clock::Clock;
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::{NotKeyed, StateStore};
use governor::{Quota, RateLimiter};
use tokio::time::Instant;

use crate::VerifiedKey;

/// The rest of a key's rate limit after one use: the values of the headers `RateLimit`, `RateLimit-Policy` and
/// `Retry-After`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The limit.
    pub limit: RateLimit,
    /// How many uses may follow at once.
    pub remaining: u32,
    /// How long until the full limit is available, if the key is not used meanwhile.
    pub resets_after: Duration,
    /// How long to wait for the next use; `None` when this one is within the limit.
    pub retry_after: Option<Duration>,
}

/// Limits the rate of each key by GCRA. The state is in the cached key, so there is no table of keys to share or to
/// clean, and an unknown key has no state. See decision 10.
pub(crate) struct Limiter {
    limit: RateLimit,
    gcra: RateLimiter<Arc<VerifiedKey>, InTheKey, Monotonic, StateInformationMiddleware>,
}

impl Limiter {
    pub(crate) fn new(limit: RateLimit) -> Self {
        let quota = Quota::with_period(limit.interval()).expect("no interval is shorter than a microsecond");
        let quota = quota.allow_burst(limit.count());
        Self { limit, gcra: RateLimiter::new(quota, InTheKey, Monotonic(Instant::now())) }
    }

    /// Takes one use from the key's allowance, if one is left.
    pub(crate) fn spend(&self, key: &Arc<VerifiedKey>) -> Allowance {
        match self.gcra.check_key(key) {
            Ok(state) => self.allowance(state.remaining_burst_capacity(), None),
            Err(not_until) => self.allowance(0, Some(not_until.wait_time_from(self.gcra.clock().now()))),
        }
    }

    fn allowance(&self, remaining: u32, retry_after: Option<Duration>) -> Allowance {
        let spent = self.limit.count().get().saturating_sub(remaining);
        Allowance { limit: self.limit, remaining, resets_after: self.limit.interval() * spent, retry_after }
    }
}

/// Stores the state of a key in the key.
struct InTheKey;

impl StateStore for InTheKey {
    type Key = Arc<VerifiedKey>;

    fn measure_and_replace<T, F, E>(&self, key: &Self::Key, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        key.spent.measure_and_replace(&NotKeyed::NonKey, decide)
    }
}

/// Time since the start, which tests can pause.
struct Monotonic(Instant);

impl Clock for Monotonic {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.0.elapsed().into()
    }
}
