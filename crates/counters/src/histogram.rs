use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often durations fell into each range, and their sum.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [Duration],
    /// The bounds in nanoseconds.
    limits: Box<[u64]>,
    /// One for each bound, and one for durations above all bounds.
    counts: Box<[AtomicU64]>,
    nanos: AtomicU64,
}

/// A reading of a [`Histogram`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationCounts {
    /// The upper bounds of the ranges, smallest first. A duration that equals a bound is in its range.
    pub bounds: &'static [Duration],
    /// How many durations fell into each range, and at the end how many were above all bounds.
    pub counts: Vec<u64>,
    /// The sum of all durations.
    pub sum: Duration,
}

impl Histogram {
    /// A histogram with these upper bounds, smallest first.
    pub fn new(bounds: &'static [Duration]) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        let limits = bounds.iter().copied().map(nanos).collect();
        Self { bounds, limits, counts, nanos: AtomicU64::new(0) }
    }

    /// Counts a duration.
    pub fn observe(&self, duration: Duration) {
        let nanos = nanos(duration);
        self.count_of(nanos).fetch_add(1, Ordering::Relaxed);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    /// The count of the range that this many nanoseconds fall into.
    fn count_of(&self, nanos: u64) -> &AtomicU64 {
        &self.counts[self.limits.iter().position(|limit| nanos <= *limit).unwrap_or(self.limits.len())]
    }

    /// The counts so far, not all read at the same instant.
    pub fn read(&self) -> DurationCounts {
        DurationCounts {
            bounds: self.bounds,
            counts: self.counts.iter().map(|count| count.load(Ordering::Relaxed)).collect(),
            sum: Duration::from_nanos(self.nanos.load(Ordering::Relaxed)),
        }
    }
}

/// A histogram that only its owner writes to, which needs no locked instruction for that. Others may read it.
#[derive(Debug)]
pub struct OwnedHistogram(Arc<Histogram>);

impl OwnedHistogram {
    /// A new histogram for one writer, and its shared form for readers.
    pub(crate) fn new(bounds: &'static [Duration]) -> (Self, Arc<Histogram>) {
        let histogram = Arc::new(Histogram::new(bounds));
        (Self(Arc::clone(&histogram)), histogram)
    }

    /// Counts a duration.
    pub fn observe(&mut self, duration: Duration) {
        let nanos = nanos(duration);
        let add = |sum: &AtomicU64, more: u64| {
            sum.store(sum.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
        };
        add(self.0.count_of(nanos), 1);
        add(&self.0.nanos, nanos);
    }
}

/// Saturates after 584 years.
fn nanos(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1_000_000_000).saturating_add(duration.subsec_nanos().into())
}

impl DurationCounts {
    /// Adds a reading with the same bounds.
    pub(crate) fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.sum += other.sum;
    }
}

/// Upper bounds from their milliseconds, for the constants of engines.
pub const fn millis<const N: usize>(numbers: [u64; N]) -> [Duration; N] {
    let mut bounds = [Duration::ZERO; N];
    let mut index = 0;
    while index < N {
        bounds[index] = Duration::from_millis(numbers[index]);
        index += 1;
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_duration_falls_into_the_range_of_the_next_bound() {
        const BOUNDS: &[Duration] = &[Duration::from_millis(5), Duration::from_millis(10)];
        let histogram = Histogram::new(BOUNDS);
        for millis in [0, 5, 6, 10, 11, 60_000] {
            histogram.observe(Duration::from_millis(millis));
        }
        let expected = DurationCounts { bounds: BOUNDS, counts: vec![2, 2, 2], sum: Duration::from_millis(60_032) };
        assert_eq!(histogram.read(), expected);
    }
}
