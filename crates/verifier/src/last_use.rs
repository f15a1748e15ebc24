//! When keys and sessions were used, until the store has recorded it.
//!
//! A use costs one atomic addition to the key, and once per millisecond another atomic write. The first use since the
//! last flush also appends the key to a sharded list. Flushes drain the list, and lists of keys read it. It is a list
//! rather than a map: with a million keys in use, a map cost more than the rest of a verification. No lock is shared by
//! all cores.
//!
//! If there are too many uses for one flush, the next flushes take the rest in the order of ids, round after round,
//! like an elevator that sweeps from floor to floor. Ids follow the order of creation, and so do rows on disk: ten
//! thousand neighbouring rows share about a hundred pages, but ten thousand random rows of a million lie on almost ten
//! thousand.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use domain::{CredentialUse, Timestamp};

use super::sync::{AtomicI64, AtomicU64, Mutex, MutexGuard, Ordering, PoisonError, SHARDS};

/// The most keys with a noted use in one shard, about a million in total. If the store rejects writes for so long that
/// a shard is full, uses of further keys are not noted.
const SHARD_NOTED_MAX: usize = (1 << 20) / SHARDS;
/// The value of a key that was never used; less than every timestamp.
const NEVER: i64 = i64::MIN;

/// One use in [`LastUse::counts`].
const ONE_USE: u64 = 1;
/// One use beyond the rate limit in [`LastUse::counts`].
const ONE_LIMITED: u64 = 1 << 32;
/// The most that is put back after a failed flush, so that neither half of [`LastUse::counts`] overflows before the next
/// one.
const PUT_BACK_MAX: u32 = u32::MAX / 2;

/// When one credential was last used, in Unix milliseconds, and how often since the last flush.
#[derive(Debug)]
pub(crate) struct LastUse {
    at: AtomicI64,
    /// The uses in the lower half, and the uses beyond the rate limit in the upper half. The key waits in [`Uses`] for
    /// a flush when it is not zero.
    counts: AtomicU64,
}

/// The uses of one key in a flush.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken<Id> {
    /// The last use.
    pub(crate) used: CredentialUse<Id>,
    /// How often the key was used.
    pub(crate) uses: u32,
    /// How many of the uses were beyond the rate limit.
    pub(crate) limited: u32,
}

impl LastUse {
    /// Starts with the last use that the store has recorded.
    pub(crate) fn new(stored: Option<Timestamp>) -> Self {
        Self { at: AtomicI64::new(stored.map_or(NEVER, Timestamp::unix_millis)), counts: AtomicU64::new(0) }
    }

    /// Moves the last use forward to one that the store has recorded. It may come from another process.
    pub(crate) fn read(&self, stored: Timestamp) {
        self.at.fetch_max(stored.unix_millis(), Ordering::AcqRel);
    }

    /// The newest use that this process has noted or read.
    pub(crate) fn at(&self) -> Option<Timestamp> {
        Timestamp::from_unix_millis(self.at.load(Ordering::Acquire))
    }
}

/// A key or session with noted uses. Below, "key" stands for both.
pub(crate) trait Used {
    /// Its kind of id.
    type Id: Copy + Ord + Hash + AsRef<[u8; 16]> + Send + Sync;

    /// Identifies the key.
    fn id(&self) -> Self::Id;
    /// Where the key's last use is noted.
    fn last_use(&self) -> &LastUse;
}

/// The keys with a newest use that is noted, and may not be stored yet. See decisions 32 and 40.
pub(crate) struct Uses<K: Used> {
    shards: Box<[Mutex<Shard<K>>]>,
}

/// A shard may hold a key twice, as two copies that were cached one after the other. The newest use of all copies
/// counts.
struct Shard<K: Used> {
    /// Keys that were never used before. Flushes take them first.
    firsts: Vec<Noted<K>>,
    /// The keys left in this round, the lowest id last.
    round: Vec<Noted<K>>,
    /// Keys for the next round.
    waiting: Vec<Noted<K>>,
    /// Keys that the current flush has taken. They stay visible until the flush ends, so that a use does not disappear
    /// from lists of keys in between.
    in_flush: Vec<(Noted<K>, u64)>,
}

type Noted<K> = (<K as Used>::Id, Arc<K>);

impl<K: Used> Uses<K> {
    /// Starts without any noted use.
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::new(Shard::new())).collect() }
    }

    /// Notes a use. Returns whether it is the first use of the key, as far as the store and this process have recorded.
    pub(crate) fn note(&self, key: &Arc<K>, at: Timestamp) -> bool {
        let last_use = key.last_use();
        // Set the time before the count; a flush takes the count before it reads the time. So if uses are counted
        // already here, the next flush reads this time.
        let is_first = last_use.at.load(Ordering::Relaxed) < at.unix_millis()
            && last_use.at.fetch_max(at.unix_millis(), Ordering::AcqRel) == NEVER;
        self.add(key, ONE_USE, is_first);
        is_first
    }

    /// Notes that a use was beyond the rate limit.
    pub(crate) fn note_limited(&self, key: &Arc<K>) {
        self.add(key, ONE_LIMITED, false);
    }

    fn add(&self, key: &Arc<K>, what: u64, is_first: bool) {
        if key.last_use().counts.fetch_add(what, Ordering::AcqRel) == 0 {
            let id = key.id();
            lock(&self.shards[shard_of(id)]).enter((id, Arc::clone(key)), is_first);
        }
    }

    /// The newest noted use of each of these keys; keys without a noted use are left out.
    pub(crate) fn last_uses(&self, ids: &[K::Id]) -> HashMap<K::Id, Timestamp> {
        let mut newest = HashMap::new();
        let mut ids = ids.to_vec();
        ids.sort_unstable_by_key(|id| (shard_of(*id), *id));
        for ids in ids.chunk_by(|one, next| shard_of(*one) == shard_of(*next)) {
            let shard = lock(&self.shards[shard_of(ids[0])]);
            for (id, key) in shard.noted().filter(|(id, _)| ids.binary_search(id).is_ok()) {
                let Some(at) = key.last_use().at() else { continue };
                newest.entry(*id).and_modify(|newest| *newest = at.max(*newest)).or_insert(at);
            }
        }
        newest
    }

    /// How many keys wait for a flush.
    pub(crate) fn count(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).count()).sum()
    }

    /// Begins a flush of at most `max` waiting keys. No other flush may be in progress.
    pub(crate) fn begin_flush(&self, max: usize) -> Vec<Taken<K::Id>> {
        let mut uses = Vec::new();
        for shard in &self.shards {
            uses.extend(lock(shard).take_firsts(max - uses.len()));
        }
        self.take_of_round(max, &mut uses);
        if uses.len() < max {
            for shard in &self.shards {
                lock(shard).begin_round();
            }
            self.take_of_round(max, &mut uses);
        }
        uses
    }

    /// Takes the same fraction of every shard's round. Keys are distributed over the shards at random, so these are
    /// roughly the lowest ids overall.
    fn take_of_round(&self, max: usize, uses: &mut Vec<Taken<K::Id>>) {
        let left: usize = self.shards.iter().map(|shard| lock(shard).round.len()).sum();
        let room = left.min(max - uses.len());
        let (mut passed, mut taken) = (0, 0);
        for shard in &self.shards {
            let mut shard = lock(shard);
            passed += shard.round.len();
            let part = (passed * room).checked_div(left).unwrap_or(0) - taken;
            taken += part;
            uses.extend(shard.take_of_round(part));
        }
    }

    /// Ends the flush. If it was not stored, all of its keys wait again.
    pub(crate) fn end_flush(&self, is_stored: bool) {
        for shard in &self.shards {
            lock(shard).end_flush(is_stored);
        }
    }
}

impl<K: Used> Shard<K> {
    fn new() -> Self {
        Self { firsts: Vec::new(), round: Vec::new(), waiting: Vec::new(), in_flush: Vec::new() }
    }

    fn enter(&mut self, noted: Noted<K>, is_first: bool) {
        if self.count() >= SHARD_NOTED_MAX {
            noted.1.last_use().counts.store(0, Ordering::Release);
        } else if is_first {
            self.firsts.push(noted);
        } else {
            self.waiting.push(noted);
        }
    }

    fn count(&self) -> usize {
        self.firsts.len() + self.round.len() + self.waiting.len()
    }

    fn noted(&self) -> impl Iterator<Item = &Noted<K>> {
        let waiting = [&self.firsts, &self.round, &self.waiting].into_iter().flatten();
        waiting.chain(self.in_flush.iter().map(|(noted, _)| noted))
    }

    /// Sorting a round of a million keys, and taking it in a hundred flushes, costs 0.12 s of processor time in total
    /// (`examples/hit_path`).
    fn begin_round(&mut self) {
        self.round.append(&mut self.waiting);
        self.round.sort_unstable_by(|(one, _), (other, _)| other.cmp(one));
    }

    fn take_firsts(&mut self, max: usize) -> Vec<Taken<K::Id>> {
        let taken = self.firsts.drain(..self.firsts.len().min(max));
        take(taken, &mut self.in_flush)
    }

    fn take_of_round(&mut self, count: usize) -> Vec<Taken<K::Id>> {
        let taken = self.round.drain(self.round.len().saturating_sub(count)..);
        take(taken, &mut self.in_flush)
    }

    fn end_flush(&mut self, is_stored: bool) {
        for (noted, taken) in std::mem::take(&mut self.in_flush) {
            if !is_stored {
                noted.1.last_use().counts.fetch_add(bounded(taken), Ordering::AcqRel);
                self.enter(noted, false);
            }
        }
    }
}

/// Moves keys into the flush. A key that a failed flush returned may also have entered the list again through a new
/// use: the first of its two entries finds the counts and is taken, the second is dropped.
fn take<K: Used>(noted: impl Iterator<Item = Noted<K>>, in_flush: &mut Vec<(Noted<K>, u64)>) -> Vec<Taken<K::Id>> {
    let begun = in_flush.len();
    in_flush.extend(noted.filter_map(|noted| {
        let counts = noted.1.last_use().counts.swap(0, Ordering::AcqRel);
        (counts > 0).then_some((noted, counts))
    }));
    let taken = |((id, key), counts): &(Noted<K>, u64)| {
        let (uses, limited) = halves(*counts);
        Some(Taken { used: CredentialUse { id: *id, at: key.last_use().at()? }, uses, limited })
    };
    in_flush[begun..].iter().filter_map(taken).collect()
}

/// The uses, and the uses beyond the rate limit.
fn halves(counts: u64) -> (u32, u32) {
    let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    (half(counts), half(counts >> 32))
}

fn bounded(counts: u64) -> u64 {
    let (uses, limited) = halves(counts);
    u64::from(uses.min(PUT_BACK_MAX)) * ONE_USE + u64::from(limited.min(PUT_BACK_MAX)) * ONE_LIMITED
}

/// Uses the last byte of the id, which is random in a UUIDv7.
fn shard_of(id: impl AsRef<[u8; 16]>) -> usize {
    usize::from(id.as_ref()[15]) % SHARDS
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
