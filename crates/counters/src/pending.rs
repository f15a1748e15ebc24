use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Holds counts until they are stored. At the maximum number of keys, the counts of further keys are lost.
pub struct Pending<Key, Count> {
    keys_max: usize,
    counts: Mutex<BTreeMap<Key, Count>>,
}

impl<Key: Ord, Count: AddAssign + Default> Pending<Key, Count> {
    /// Creates an empty tally of at most this number of keys.
    pub fn new(keys_max: usize) -> Self {
        Self { keys_max, counts: Mutex::default() }
    }

    /// Adds new counts, or puts back the counts of a failed write.
    pub fn add(&self, counts: impl IntoIterator<Item = (Key, Count)>) {
        let mut waiting = self.lock();
        for (key, count) in counts {
            if waiting.len() < self.keys_max || waiting.contains_key(&key) {
                *waiting.entry(key).or_default() += count;
            }
        }
    }

    /// Takes all counts out.
    pub fn take(&self) -> BTreeMap<Key, Count> {
        std::mem::take(&mut *self.lock())
    }

    /// Whether the tally is empty.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, Count>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_keys_are_not_counted_when_too_many_wait() {
        let pending = Pending::new(2);
        assert!(pending.is_empty());
        pending.add([("b", 1), ("a", 2), ("c", 3), ("b", 4)]);
        let taken = pending.take();
        assert_eq!(taken, [("a", 2), ("b", 5)].into());
        assert!(pending.is_empty());
        pending.add([("c", 6)]);
        pending.add(taken);
        assert_eq!(pending.take(), [("a", 2), ("c", 6)].into());
    }
}
