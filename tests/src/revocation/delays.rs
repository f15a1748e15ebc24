use std::fmt;
use std::time::Duration;

/// Many measurements of one duration.
pub(super) struct Delays(Vec<Duration>);

impl FromIterator<Duration> for Delays {
    fn from_iter<Iter: IntoIterator<Item = Duration>>(delays: Iter) -> Self {
        let mut delays: Vec<Duration> = delays.into_iter().collect();
        delays.sort_unstable();
        Self(delays)
    }
}

impl Delays {
    /// The delay that `per_mille` of 1,000 measurements do not exceed.
    fn per_mille(&self, share: usize) -> Duration {
        let rank = (self.0.len() * share).div_ceil(1_000).max(1);
        self.0[rank - 1]
    }

    /// Prints the delays. This share of them may not exceed the bound.
    #[track_caller]
    #[expect(clippy::print_stdout, reason = "measurements go to the test's output")]
    pub(super) fn expect(&self, what: &str, share: usize, bound: Duration) {
        println!("{what}: {self}");
        assert!(self.per_mille(share) <= bound, "{self}");
    }
}

impl fmt::Display for Delays {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [median, p99, p999, max] = [500, 990, 999, 1_000].map(|share| self.per_mille(share));
        write!(formatter, "{} times, median {median:.1?}, p99 {p99:.1?}, p99.9 {p999:.1?}, max {max:.1?}", self.0.len())
    }
}

#[test]
fn shares_are_counted_from_below() {
    let delays: Delays = (1..=1_000).rev().map(Duration::from_millis).collect();
    assert_eq!([500, 990, 999, 1_000].map(|share| delays.per_mille(share).as_millis()), [500, 990, 999, 1_000]);
    let one: Delays = [Duration::from_millis(7)].into_iter().collect();
    assert_eq!([1, 1_000].map(|share| one.per_mille(share).as_millis()), [7, 7]);
}
