//! When keys were used, as long as the store does not know it.
//!
//! A use costs its key one atomic write, and at most one in a millisecond. The first since the last flush also appends
//! the key to a sharded list, which flushes take and lists of keys read. A list and not a map: with a million keys in
//! use the map cost more than the rest of a verification. No lock is shared by all cores.

use std::collections::VecDeque;
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

/// The keys whose newest use is noted, and perhaps not stored yet.
pub(crate) struct Uses<K> {
    shards: Box<[Mutex<Shard<K>>]>,
}

/// A key may be here twice, as two copies that the cache has held: the newest use of all counts.
struct Shard<K> {
    /// Those that wait longest come first; before them, keys that were never used before.
    waiting: VecDeque<(KeyId, Arc<K>)>,
    /// Taken by the flush that is under way. They stay visible until it ends, so that a list of keys never shows a use
    /// and then loses it.
    in_flush: Vec<(KeyId, Arc<K>)>,
}

impl<K: Used> Uses<K> {
    /// None.
    pub(crate) fn new() -> Self {
        let empty = || Mutex::new(Shard { waiting: VecDeque::new(), in_flush: Vec::new() });
        Self { shards: (0..SHARDS).map(|_| empty()).collect() }
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
            // The last byte of a UUIDv7 is random.
            lock(&self.shards[usize::from(id.as_bytes()[15]) % SHARDS]).enter(id, key, is_first);
        }
        is_first
    }

    /// The newest noted use of the key.
    pub(crate) fn last_use(&self, id: KeyId) -> Option<Timestamp> {
        let shard = lock(&self.shards[usize::from(id.as_bytes()[15]) % SHARDS]);
        let copies = shard.waiting.iter().chain(&shard.in_flush).filter(|(other, _)| *other == id);
        copies.filter_map(|(_, key)| key.last_use().at()).max()
    }

    /// How many wait for a flush.
    pub(crate) fn count(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).waiting.len()).sum()
    }

    /// Begins a flush of what waits, of `max` at most. Another must not be under way.
    pub(crate) fn begin_flush(&self, max: usize) -> Vec<KeyUse> {
        let mut uses = Vec::new();
        // Even shares first, so that no shard's keys wait for another's; then what is left of them.
        for share in [max / SHARDS, max] {
            for shard in &self.shards {
                let uses_of_shard = lock(shard).begin_flush(share.min(max - uses.len()));
                uses.extend(uses_of_shard);
            }
        }
        uses
    }

    /// Ends the flush: it has stored everything, or all of it waits again.
    pub(crate) fn end_flush(&self, is_stored: bool) {
        for shard in &self.shards {
            let mut shard = lock(shard);
            for (id, key) in std::mem::take(&mut shard.in_flush) {
                if !is_stored {
                    key.last_use().waits.store(true, Ordering::Release);
                    shard.enter(id, &key, false);
                }
            }
        }
    }
}

impl<K: Used> Shard<K> {
    fn enter(&mut self, id: KeyId, key: &Arc<K>, is_first: bool) {
        if self.waiting.len() < SHARD_NOTED_MAX {
            let entry = (id, Arc::clone(key));
            if is_first { self.waiting.push_front(entry) } else { self.waiting.push_back(entry) }
        } else {
            key.last_use().waits.store(false, Ordering::Release);
        }
    }

    fn begin_flush(&mut self, max: usize) -> Vec<KeyUse> {
        let taken = self.waiting.drain(..self.waiting.len().min(max));
        // What a failed flush gave back may have entered again meanwhile: the first finds the mark, the second does not.
        let begun = self.in_flush.len();
        self.in_flush.extend(taken.filter(|(_, key)| key.last_use().waits.swap(false, Ordering::AcqRel)));
        let uses =
            self.in_flush[begun..].iter().filter_map(|(id, key)| Some(KeyUse { id: *id, at: key.last_use().at()? }));
        uses.collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
