//! Reads of the store that are under way: one for each digest, and none that may still be remembered once its key
//! has changed.
//!
//! The danger is a fill that reads a good key, is overtaken by its revocation, and then puts the good key back into
//! the cache. Here a change takes the fill out of the table ([`Fills::spoil`]), and a fill that is not in the table any
//! more remembers nothing ([`Joined::complete`]). Both hold the same lock while they touch the cache, which hits never
//! take. A request that comes after the change finds no fill to join, and reads anew.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use domain::KeyDigest;

use super::sync::{Mutex, MutexGuard, PoisonError, SHARDS};

/// The fills under way. `F` is what those who wait for one share.
pub(crate) struct Fills<F> {
    shards: Box<[Shard<F>]>,
}

type Shard<F> = Mutex<HashMap<KeyDigest, Arc<F>>>;

impl<F: Default> Fills<F> {
    /// None is under way.
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::new(HashMap::new())).collect() }
    }

    /// Joins the fill of this digest, or begins one. `recall` is asked under the lock, so that who comes just after a
    /// fill has ended finds what it remembered.
    pub(crate) fn join<R>(&self, digest: &KeyDigest, recall: impl FnOnce() -> Option<R>) -> Result<R, Joined<'_, F>> {
        let mut fills = self.shard(digest);
        if let Some(known) = recall() {
            return Ok(known);
        }
        let fill = Arc::clone(fills.entry(*digest).or_default());
        Err(Joined { fills: self, digest: *digest, fill })
    }

    /// Lets nothing be remembered, or joined, that was read before this call; `forget` is called under the lock.
    pub(crate) fn spoil(&self, digest: &KeyDigest, forget: impl FnOnce()) {
        let mut fills = self.shard(digest);
        fills.remove(digest);
        forget();
    }

    /// The same for every digest. What was remembered before is the caller's to forget, afterwards.
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

/// A part in a fill. When the last part goes and nobody has completed the fill, it is as if it had never begun.
pub(crate) struct Joined<'a, F: Default> {
    fills: &'a Fills<F>,
    digest: KeyDigest,
    fill: Arc<F>,
}

impl<F: Default> Joined<'_, F> {
    /// Ends the fill: calls `remember` under the lock, unless the key has changed since the fill began.
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
        // The table's and ours: others join under the lock, so none can now.
        if self.is_in(&fills) && Arc::strong_count(&self.fill) == 2 {
            fills.remove(&self.digest);
        }
    }
}
