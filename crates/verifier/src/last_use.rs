//! When keys were used, until the store has recorded it.
//!
//! A use costs its key one atomic write, and at most one in a millisecond. The first since the last flush also appends
//! the key to a sharded list, which flushes take and lists of keys read. A list and not a map: with a million keys in
//! use the map cost more than the rest of a verification. No lock is shared by all cores.
//!
//! Later flushes take in rounds, in the order of ids, what one flush cannot take. Ids are in the order of creation, and
//! so are rows on disk: ten thousand neighbours share about a hundred pages, and ten thousand random keys of a million
//! lie in almost as many pages.

use std::collections::HashMap;
use std::sync::Arc;

use domain::{KeyId, KeyUse, Timestamp};

use super::sync::{AtomicBool, AtomicI64, Mutex, MutexGuard, Ordering, PoisonError, SHARDS};

/// The most keys with a noted use in one shard, about a million in all: while the store refuses writes, uses of
/// further keys are not noted.
const SHARD_NOTED_MAX: usize = (1 << 20) / SHARDS;
/// Before every timestamp.
const NEVER: i64 = i64::MIN;

/// When one key was last used, in Unix milliseconds, and whether it waits in [`Uses`] for a flush.
#[derive(Debug)]
pub(crate) struct LastUse {
    at: AtomicI64,
    waits: AtomicBool,
}

impl LastUse {
    /// As the store has it.
    pub(crate) fn new(stored: Option<Timestamp>) -> Self {
        Self { at: AtomicI64::new(stored.map_or(NEVER, Timestamp::unix_millis)), waits: AtomicBool::new(false) }
    }

    fn at(&self) -> Option<Timestamp> {
        Timestamp::from_unix_millis(self.at.load(Ordering::Acquire))
    }
}

/// A used item: a key.
pub(crate) trait Used {
    /// Its id.
    fn id(&self) -> KeyId;
    /// Its last use.
    fn last_use(&self) -> &LastUse;
}

/// The keys whose newest use is noted and may not be stored yet. See decisions 23 and 40.
pub(crate) struct Uses<K> {
    shards: Box<[Mutex<Shard<K>>]>,
}

/// A key may be here twice, as two copies that the cache has held: the newest use counts.
struct Shard<K> {
    /// Keys in their first use. They go first.
    firsts: Vec<Noted<K>>,
    /// The rest of the round, the lowest id last.
    round: Vec<Noted<K>>,
    /// Keys for the next round.
    waiting: Vec<Noted<K>>,
    /// Keys in the current flush. They stay visible until the flush ends, so that a list of keys never shows a use and
    /// then loses it.
    in_flush: Vec<Noted<K>>,
}

type Noted<K> = (KeyId, Arc<K>);

impl<K: Used> Uses<K> {
    /// An empty collection.
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::new(Shard::new())).collect() }
    }

    /// Notes a use. Returns whether it is the first known use of the key.
    pub(crate) fn note(&self, key: &Arc<K>, at: Timestamp) -> bool {
        let last_use = key.last_use();
        if last_use.at.load(Ordering::Relaxed) >= at.unix_millis() {
            return false;
        }
        // Writes the time before the mark; a flush clears the mark before it reads the time. So the flush sees every
        // use that finds the mark set.
        let before = last_use.at.fetch_max(at.unix_millis(), Ordering::AcqRel);
        let is_first = before == NEVER;
        if !last_use.waits.swap(true, Ordering::AcqRel) {
            let id = key.id();
            lock(&self.shards[shard_of(id)]).enter((id, Arc::clone(key)), is_first);
        }
        is_first
    }

    /// The newest noted use of each of these keys that has one.
    pub(crate) fn last_uses(&self, ids: &[KeyId]) -> HashMap<KeyId, Timestamp> {
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

    /// The number of keys that wait for a flush.
    pub(crate) fn count(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).count()).sum()
    }

    /// Begins a flush of at most `max` waiting keys. Only one flush may run at a time.
    pub(crate) fn begin_flush(&self, max: usize) -> Vec<KeyUse> {
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

    /// Takes the same part of the round of every shard: keys are distributed over the shards at random, so these are
    /// the lowest ids of all.
    fn take_of_round(&self, max: usize, uses: &mut Vec<KeyUse>) {
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

    /// Ends the flush: either everything is stored, or everything waits again.
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
            noted.1.last_use().waits.store(false, Ordering::Release);
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
        [&self.firsts, &self.round, &self.waiting, &self.in_flush].into_iter().flatten()
    }

    /// Sorting a whole round of a million keys here and taking it in a hundred flushes costs 0.12 s of processor time
    /// (`examples/hit_path`).
    fn begin_round(&mut self) {
        self.round.append(&mut self.waiting);
        self.round.sort_unstable_by(|(one, _), (other, _)| other.cmp(one));
    }

    fn take_firsts(&mut self, max: usize) -> Vec<KeyUse> {
        let taken = self.firsts.drain(..self.firsts.len().min(max));
        take(taken, &mut self.in_flush)
    }

    fn take_of_round(&mut self, count: usize) -> Vec<KeyUse> {
        let taken = self.round.drain(self.round.len().saturating_sub(count)..);
        take(taken, &mut self.in_flush)
    }

    fn end_flush(&mut self, is_stored: bool) {
        for noted in std::mem::take(&mut self.in_flush) {
            if !is_stored {
                noted.1.last_use().waits.store(true, Ordering::Release);
                self.enter(noted, false);
            }
        }
    }
}

/// A key that a failed flush gave back may have entered again meanwhile: the first copy finds the mark, the second does
/// not.
fn take<K: Used>(noted: impl Iterator<Item = Noted<K>>, in_flush: &mut Vec<Noted<K>>) -> Vec<KeyUse> {
    let begun = in_flush.len();
    in_flush.extend(noted.filter(|(_, key)| key.last_use().waits.swap(false, Ordering::AcqRel)));
    in_flush[begun..].iter().filter_map(|(id, key)| Some(KeyUse { id: *id, at: key.last_use().at()? })).collect()
}

/// The last byte of a UUIDv7 is random.
fn shard_of(id: KeyId) -> usize {
    usize::from(id.as_bytes()[15]) % SHARDS
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
