//! Current reads of the store: one for each digest. A read is not cached if its key has changed meanwhile.
//!
//! The danger is a fill that reads a good key, is overtaken by its revocation, and then puts the good key back into the
//! cache. Here a change removes the fill from the table ([`Fills::spoil`]), and a fill that is not in the table caches
//! nothing ([`Joined::complete`]). Both hold the same lock while they touch the cache; hits never take that lock. A
//! request that comes after the change finds no fill to join, and reads again.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use domain::KeyDigest;

use super::sync::{Mutex, MutexGuard, PoisonError, SHARDS};

/// The current fills. Callers that wait for one fill share an `F`.
pub(crate) struct Fills<F> {
    shards: Box<[Shard<F>]>,
}

type Shard<F> = Mutex<HashMap<KeyDigest, Arc<F>>>;

impl<F: Default> Fills<F> {
    /// A table without fills.
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::new(HashMap::new())).collect() }
    }

    /// Joins the fill of this digest, or begins one. Calls `recall` under the lock, so that a caller that comes just
    /// after the end of a fill finds its result.
    pub(crate) fn join<R>(&self, digest: &KeyDigest, recall: impl FnOnce() -> Option<R>) -> Result<R, Joined<'_, F>> {
        let mut fills = self.shard(digest);
        if let Some(known) = recall() {
            return Ok(known);
        }
        let fill = Arc::clone(fills.entry(*digest).or_default());
        Err(Joined { fills: self, digest: *digest, fill })
    }

    /// Prevents every read that began before this call from being cached or joined; calls `forget` under the lock.
    pub(crate) fn spoil(&self, digest: &KeyDigest, forget: impl FnOnce()) {
        let mut fills = self.shard(digest);
        fills.remove(digest);
        forget();
    }

    /// The same for every digest. The caller clears the cache afterwards.
    pub(crate) fn spoil_all(&self) {
        for shard in &self.shards {
            lock(shard).clear();
        }
    }

    fn shard(&self, digest: &KeyDigest) -> MutexGuard<'_, HashMap<KeyDigest, Arc<F>>> {
        lock(&self.shards[usize::from(digest.as_bytes()[0]) % SHARDS])
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A share of a fill. If the last share is dropped and nobody has completed the fill, the fill has no effect.
pub(crate) struct Joined<'a, F: Default> {
    fills: &'a Fills<F>,
    digest: KeyDigest,
    fill: Arc<F>,
}

impl<F: Default> Joined<'_, F> {
    /// Completes the fill: calls `remember` under the lock, unless the key has changed since the fill began.
    pub(crate) fn complete(&self, remember: impl FnOnce()) {
        let mut fills = self.fills.shard(&self.digest);
        if self.is_in(&fills) {
            fills.remove(&self.digest);
            remember();
        }
    }

    fn is_in(&self, fills: &HashMap<KeyDigest, Arc<F>>) -> bool {
        fills.get(&self.digest).is_some_and(|fill| Arc::ptr_eq(fill, &self.fill))
    }
}

impl<F: Default> Deref for Joined<'_, F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.fill
    }
}

impl<F: Default> Drop for Joined<'_, F> {
    fn drop(&mut self) {
        let mut fills = self.fills.shard(&self.digest);
        // One share of the table and this one: others join under the lock, so none can join now.
        if self.is_in(&fills) && Arc::strong_count(&self.fill) == 2 {
            fills.remove(&self.digest);
        }
    }
}
