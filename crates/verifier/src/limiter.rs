use std::convert::Infallible;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use domain::RateLimit;
use governor::clock::Clock;
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::{InMemoryState, NotKeyed, StateStore};
use governor::{Quota, RateLimiter};
use tokio::time::Instant;

/// The rest of a key's rate limit after one use. The headers `RateLimit`, `RateLimit-Policy` and `Retry-After` are made
/// from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The rate limit that applies to the key.
    pub limit: RateLimit,
    /// How many more uses are allowed right now.
    pub remaining: u32,
    /// Time until the whole allowance is available again, if the key is not used in between.
    pub resets_after: Duration,
    /// How long to wait before the next use; `None` if this use is within the limit.
    pub retry_after: Option<Duration>,
}

/// Holds each key to a rate limit, by GCRA.
pub struct Limiter<States: StateStore> {
    limit: RateLimit,
    /// The time of the clock from which the states count.
    start: Nanos,
    gcra: RateLimiter<States::Key, States, Monotonic, StateInformationMiddleware>,
}

impl<States: StateStore> Limiter<States>
where
    States::Key: Clone + Eq + Hash,
{
    /// A limiter with this store of the keys' states.
    ///
    /// # Panics
    ///
    /// Never: no interval of a [`RateLimit`] is shorter than a microsecond.
    pub fn new(limit: RateLimit, states: States) -> Self {
        Self::by(Monotonic(Instant::now()), limit, states)
    }

    fn by(clock: Monotonic, limit: RateLimit, states: States) -> Self {
        let quota = Quota::with_period(limit.interval()).expect("no interval is shorter than a microsecond");
        Self { limit, start: clock.now(), gcra: RateLimiter::new(quota.allow_burst(limit.count()), states, clock) }
    }

    /// The state of a key that has just used up the limit: one more use is allowed after one interval.
    fn used_up(&self) -> Nanos {
        self.gcra.clock().now().saturating_sub(self.start)
            + Nanos::from(self.limit.interval() * self.limit.count().get())
    }

    /// The rate limit.
    pub const fn limit(&self) -> RateLimit {
        self.limit
    }

    /// Counts one use against the limit of this key. `retry_after` is set when the limit is used up.
    pub fn spend(&self, key: &States::Key) -> Allowance {
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

impl<States: StateStore> fmt::Debug for Limiter<States> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Limiter").field(&self.limit).finish()
    }
}

/// One rate limit that may change, with its state.
#[derive(Debug)]
pub struct OwnLimit {
    limiter: Limiter<Spent>,
    spent: Spent,
    /// When the debt of the earlier limits is paid. A shorter limit in between does not forgive it.
    owed: Nanos,
}

impl OwnLimit {
    /// This limit with its whole allowance.
    pub fn new(limit: RateLimit) -> Self {
        let spent = Spent::default();
        Self { limiter: Limiter::new(limit, spent.clone()), spent, owed: Nanos::new(0) }
    }

    /// Another limit with the debt of this one, and used up at most.
    #[must_use]
    pub fn changed_to(&self, limit: RateLimit) -> Self {
        let spent = Spent::default();
        let limiter = Limiter::by(*self.limiter.gcra.clock(), limit, spent.clone());
        let later = limiter.start.saturating_sub(self.limiter.start);
        let back_at = back_at(&self.spent.0).map_or(self.owed, |at| at.max(self.owed));
        let owed = back_at.saturating_sub(later);
        set(&spent.0, owed.min(limiter.used_up()));
        Self { limiter, spent, owed }
    }

    /// The rate limit.
    pub const fn limit(&self) -> RateLimit {
        self.limiter.limit()
    }

    /// Counts one use.
    pub fn spend(&self) -> Allowance {
        self.limiter.spend(&())
    }
}

/// The state of an [`OwnLimit`].
#[derive(Clone, Debug, Default)]
struct Spent(Arc<InMemoryState>);

impl StateStore for Spent {
    type Key = ();

    fn measure_and_replace<T, F, E>(&self, (): &Self::Key, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        self.0.measure_and_replace(&NotKeyed::NonKey, decide)
    }
}

/// Copies the state.
pub(crate) fn hand_over(from: &InMemoryState, to: &InMemoryState) {
    if let Some(at) = back_at(from) {
        set(to, at);
    }
}

/// When the whole allowance is back, by the clock of the limiter; `None` before the first use.
fn back_at(state: &InMemoryState) -> Option<Nanos> {
    state.measure_and_replace(&NotKeyed::NonKey, Err::<((), Nanos), _>).err().flatten()
}

fn set(state: &InMemoryState, at: Nanos) {
    let Ok(()) = state.measure_and_replace(&NotKeyed::NonKey, |_| Ok::<_, Infallible>(((), at)));
}

/// Time since the limiter was created. Tests can pause this clock.
#[derive(Clone, Copy)]
struct Monotonic(Instant);

impl Clock for Monotonic {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.0.elapsed().into()
    }
}
