//! When keys were used, as long as the store does not know it.
//!
//! A use costs its key one atomic write, and at most one in a millisecond. The first since the last flush also appends
//! the key to a sharded list, which flushes take and lists of keys read. A list and not a map: with a million keys in
//! use the map cost more than the rest of a verification. No lock is shared by all cores.
//!
//! What one flush cannot take, the next ones take in the order of ids, in rounds, as a lift goes from floor to floor.
//! Ids are in the order of creation, and so are rows on disk: ten thousand neighbours share some hundred pages, and ten
//! thousand keys of a million at random lie in almost as many.

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
    /// As the store knows it.
    pub(crate) fn new(stored: Option<Timestamp>) -> Self {
        Self { at: AtomicI64::new(stored.map_or(NEVER, Timestamp::unix_millis)), waits: AtomicBool::new(false) }
    }

    fn at(&self) -> Option<Timestamp> {
        Timestamp::from_unix_millis(self.at.load(Ordering::Acquire))
    }
}

/// What is used: a key.
pub(crate) trait Used {
    /// Which.
    fn id(&self) -> KeyId;
    /// When.
    fn last_use(&self) -> &LastUse;
}

/// The keys whose newest use is noted, and perhaps not stored yet. See decisions 23 and 40.
pub(crate) struct Uses<K> {
    shards: Box<[Mutex<Shard<K>>]>,
}

/// A key may be here twice, as two copies that the cache has held: the newest use of all counts.
struct Shard<K> {
    /// Never used before. They go first.
    firsts: Vec<Noted<K>>,
    /// What is left of the round, the lowest id last.
    round: Vec<Noted<K>>,
    /// For the next round.
    waiting: Vec<Noted<K>>,
    /// Taken by the flush that is under way. They stay visible until it ends, so that a list of keys never shows a use
    /// and then loses it.
    in_flush: Vec<Noted<K>>,
}

type Noted<K> = (KeyId, Arc<K>);

impl<K: Used> Uses<K> {
    /// None.
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::new(Shard::new())).collect() }
    }

    /// Notes a use. Answers whether it is the first that anybody knows of.
    pub(crate) fn note(&self, key: &Arc<K>, at: Timestamp) -> bool {
        let last_use = key.last_use();
        if last_use.at.load(Ordering::Relaxed) >= at.unix_millis() {
            return false;
        }
        // First the time, then the mark; a flush takes the mark first. So whoever finds it set is seen by the flush.
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

    /// How many wait for a flush.
    pub(crate) fn count(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).count()).sum()
    }

    /// Begins a flush of what waits, of `max` at most. Another must not be under way.
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

    /// Takes the same part of every shard's round: keys are spread over the shards by chance, so those are the lowest
    /// ids of all.
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

    /// Ends the flush: it has stored everything, or all of it waits again.
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

    /// The whole round of a million keys, sorted here and taken in a hundred flushes, is 0.12 s of processor time
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

/// What a failed flush gave back may have entered again meanwhile: the first finds the mark, the second does not.
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
