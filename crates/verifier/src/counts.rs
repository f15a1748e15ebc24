use counters::Tally;

/// The answers of a verifier since it was created, and its present memory. Each number is exact, but they are not all
/// read at the same instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerifierCounts {
    /// Calls that found a good key.
    pub good: u64,
    /// Calls that found no good key.
    pub refused: u64,
    /// Calls without an answer, because the store failed.
    pub failed: u64,
    /// Calls that the cache answered.
    pub hits: u64,
    /// Calls that had to ask the store.
    pub misses: u64,
    /// Good keys that left the cache because they changed, or may have changed.
    pub evicted_as_changed: u64,
    /// Good keys that left the cache because it was full.
    pub evicted_for_room: u64,
    /// Digests of good keys in the cache.
    pub cached_good: usize,
    /// Digests without a good key in the cache.
    pub cached_unknown: usize,
}

/// The counted events: how a call was answered, and why a good key left the cache.
#[derive(Clone, Copy)]
pub(crate) enum Counted {
    HitGood,
    HitRefused,
    MissGood,
    MissRefused,
    MissFailed,
    /// The string cannot be a key. Neither the cache nor the store is read.
    NotAKey,
    EvictedAsChanged,
    EvictedForRoom,
}

/// The counters of a verifier.
#[derive(Default)]
pub(crate) struct Counts(Tally<8>);

impl Counts {
    pub(crate) fn count(&self, what: Counted) {
        self.0.count(what as usize);
    }

    pub(crate) fn add(&self, what: Counted, times: usize) {
        self.0.add(what as usize, times as u64);
    }

    /// The counts, with the sizes of the caches.
    pub(crate) fn read(&self, (cached_good, cached_unknown): (usize, usize)) -> VerifierCounts {
        let counts = self.0.read();
        let of = |what: Counted| counts[what as usize];
        VerifierCounts {
            good: of(Counted::HitGood) + of(Counted::MissGood),
            refused: of(Counted::HitRefused) + of(Counted::MissRefused) + of(Counted::NotAKey),
            failed: of(Counted::MissFailed),
            hits: of(Counted::HitGood) + of(Counted::HitRefused),
            misses: of(Counted::MissGood) + of(Counted::MissRefused) + of(Counted::MissFailed),
            evicted_as_changed: of(Counted::EvictedAsChanged),
            evicted_for_room: of(Counted::EvictedForRoom),
            cached_good,
            cached_unknown,
        }
    }
}
