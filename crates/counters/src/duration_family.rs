use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::histogram::{DurationCounts, Histogram, OwnedHistogram};

/// Histograms of one kind of duration, by `N` labels. A counting thread resolves a histogram once for its labels, and
/// keeps it.
///
/// Each thread may resolve its own histogram for the same labels: a reading adds them up.
#[derive(Debug)]
pub struct DurationFamily<const N: usize> {
    bounds: &'static [Duration],
    members: Mutex<Vec<Member<N>>>,
}

type Labels<const N: usize> = [Box<str>; N];
type Member<const N: usize> = (Labels<N>, Arc<Histogram>);

/// The durations with these values of the labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledDurations<const N: usize> {
    /// The values, in the order of the family.
    pub labels: [Box<str>; N],
    /// The durations.
    pub durations: DurationCounts,
}

impl<const N: usize> DurationFamily<N> {
    /// A family of histograms with these upper bounds.
    pub fn new(bounds: &'static [Duration]) -> Self {
        Self { bounds, members: Mutex::default() }
    }

    /// A new histogram for these values of the labels. Takes a lock, so a request must not call it.
    pub fn resolve(&self, labels: [&str; N]) -> OwnedHistogram {
        let (owned, histogram) = OwnedHistogram::new(self.bounds);
        self.members().push((labels.map(Box::from), histogram));
        owned
    }

    /// The durations so far, sorted by their labels.
    pub fn read(&self) -> Vec<LabelledDurations<N>> {
        let mut sums = BTreeMap::<Labels<N>, DurationCounts>::new();
        for (labels, histogram) in self.members().iter() {
            let read = histogram.read();
            sums.entry(labels.clone()).and_modify(|sum| sum.add(&read)).or_insert(read);
        }
        sums.into_iter().map(|(labels, durations)| LabelledDurations { labels, durations }).collect()
    }

    fn members(&self) -> MutexGuard<'_, Vec<Member<N>>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_with_the_same_labels_are_read_as_one() {
        const BOUNDS: &[Duration] = &[Duration::from_secs(1)];
        let family = DurationFamily::new(BOUNDS);
        let (mut one, mut other, mut third) =
            (family.resolve(["b", "200"]), family.resolve(["a", "200"]), family.resolve(["b", "200"]));
        one.observe(Duration::from_secs(1));
        third.observe(Duration::from_secs(2));
        other.observe(Duration::ZERO);
        let read: Vec<_> = family.read().into_iter().map(|one| (one.labels, one.durations.counts)).collect();
        let labels = |first: &str| [first, "200"].map(Box::from);
        assert_eq!(read, [(labels("a"), vec![1, 0]), (labels("b"), vec![1, 1])]);
        assert_eq!(family.read()[1].durations.sum, Duration::from_secs(3));
    }
}
