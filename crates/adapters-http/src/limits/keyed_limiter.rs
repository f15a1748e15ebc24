use std::borrow::Borrow;
use std::convert::Infallible;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use domain::{OwnerId, RateLimit};
use governor::nanos::Nanos;
use governor::state::{InMemoryState, NotKeyed, StateStore};
use quick_cache::sync::Cache;
use verifier::{Allowance, Limiter, OwnLimit};

/// The most keys with a state at once: some 10 MB. The state of a key that was not seen for long is forgotten first,
/// which gives that key its whole allowance back.
const STATES_MAX: usize = 65_536;
/// The leading bits of an IPv6 address that identify a client: providers give each customer a /64 at least.
const IPV6_PREFIX_BITS: u32 = 64;

/// Holds each key to a rate limit, in bounded memory.
pub(crate) struct KeyedLimiter<K: Clone + Eq + Hash> {
    states: States<K>,
    limiter: Limiter<States<K>>,
}

impl<K: Clone + Eq + Hash> KeyedLimiter<K> {
    pub(crate) fn new(limit: RateLimit) -> Self {
        let states = States(Arc::new(Cache::new(STATES_MAX)));
        Self { limiter: Limiter::new(limit, states.clone()), states }
    }

    /// Counts one use against the limit of this key. `retry_after` is set when the limit is used up.
    pub(crate) fn spend(&self, key: &K) -> Allowance {
        self.limiter.spend(key)
    }

    /// Takes one use back that was counted against the limit of this key.
    pub(super) fn give_back(&self, key: &K) {
        // The state is the time at which the whole allowance is back.
        let interval = Nanos::from(self.limiter.limit().interval());
        let earlier = |back_at: Option<Nanos>| back_at.map(|at| ((), at.saturating_sub(interval))).ok_or(());
        // A key without a state has its whole allowance.
        let _ = self.states.measure_and_replace(key, earlier);
    }
}

/// The states of the keys that were seen last.
#[derive(Clone)]
struct States<K: Clone + Eq + Hash>(Arc<Cache<K, Arc<InMemoryState>>>);

impl<K: Clone + Eq + Hash> StateStore for States<K> {
    type Key = K;

    fn measure_and_replace<T, F, E>(&self, key: &K, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let state = self.0.get_or_insert_with(key.borrow() as &K, || Ok::<_, Infallible>(Arc::default()));
        let state = state.unwrap_or_else(|never| match never {});
        state.measure_and_replace(&NotKeyed::NonKey, decide)
    }
}

/// Holds owners to their own rate limits, in bounded memory.
pub(crate) struct OwnLimits(Cache<OwnerId, Arc<OwnLimit>>);

impl OwnLimits {
    pub(crate) fn new() -> Self {
        Self(Cache::new(STATES_MAX))
    }

    /// Counts a call of this owner, whose limit is this one now. A changed limit is as spent as before.
    pub(crate) fn spend(&self, owner: &OwnerId, limit: RateLimit) -> Allowance {
        let of = self.0.get_or_insert_with(owner, || Ok::<_, Infallible>(Arc::new(OwnLimit::new(limit))));
        let mut of = of.unwrap_or_else(|never| match never {});
        if of.limit() != limit {
            of = Arc::new(of.changed_to(limit));
            self.0.insert(owner.clone(), Arc::clone(&of));
        }
        of.spend()
    }
}

/// The unit of limits by address: an IPv4 address, or the first address of the /64 of an IPv6 address.
pub(crate) fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let mask = u128::MAX << (Ipv6Addr::BITS - IPV6_PREFIX_BITS);
            Ipv6Addr::from_bits(address.to_bits() & mask).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_key_has_a_burst_and_then_a_rate() {
        let limiter = KeyedLimiter::new("3/s".parse().unwrap());
        let is_refused = |key: &str| limiter.spend(&key.to_owned()).retry_after.is_some();
        assert_eq!([(); 4].map(|()| is_refused("a")), [false, false, false, true]);
        assert!(!is_refused("b"), "the limit of b is its own");
        tokio::time::advance(Duration::from_millis(334)).await;
        assert_eq!([(); 2].map(|()| is_refused("a")), [false, true]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_changed_limit_of_an_owner_is_as_spent_as_before() {
        let limits = OwnLimits::new();
        let [alice, bob] = ["alice", "bob"].map(|name| OwnerId::new("https://id.example", name).unwrap());
        let is_refused =
            |owner: &OwnerId, limit: &str| limits.spend(owner, limit.parse().unwrap()).retry_after.is_some();
        tokio::time::advance(Duration::from_hours(5)).await;
        assert_eq!([(); 3].map(|()| is_refused(&alice, "2/h")), [false, false, true]);
        tokio::time::advance(Duration::from_mins(30)).await;
        assert_eq!([(); 2].map(|()| is_refused(&alice, "1/h")), [true, true]);
        assert_eq!([(); 2].map(|()| is_refused(&alice, "2/s")), [true, true], "used up, and not more");
        assert!(!is_refused(&bob, "1/h"), "the limit of bob is bob's");
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!([(); 2].map(|()| is_refused(&alice, "2/s")), [false, true]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_use_that_is_given_back_does_not_count() {
        let limiter = KeyedLimiter::new("2/s".parse().unwrap());
        limiter.give_back(&"a");
        let spend = || limiter.spend(&"a").retry_after.is_some();
        for _ in 0..10 {
            assert!(!spend());
            limiter.give_back(&"a");
        }
        assert_eq!([(); 3].map(|()| spend()), [false, false, true], "never more than the allowance");
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded() {
        let limiter = KeyedLimiter::new("1/s".parse().unwrap());
        for key in 0..3 * STATES_MAX {
            limiter.spend(&key);
        }
        assert!(limiter.states.0.len() <= STATES_MAX);
    }

    #[test]
    fn an_ipv6_client_is_its_network() {
        let network = |address: &str| network_of(address.parse().unwrap()).to_string();
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(network("192.0.2.1"), "192.0.2.1");
    }
}
