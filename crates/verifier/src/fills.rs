//! Reads of the store in progress: at most one for each digest, and its result is not cached if the key changes during
//! the read.
//!
//! The danger: a fill reads a good key, the key is revoked, and then the fill puts the good key back into the cache. To
//! prevent this, a change removes the fill from the table ([`Fills::spoil`]), and a fill that is no longer in the table
//! does not write to the cache ([`Joined::complete`]). Both hold the same lock while they write to the cache. Cache
//! hits never take this lock. A request that arrives after the change finds no fill to join, and reads the store again.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use domain::CredentialDigest;

use super::sync::{Mutex, MutexGuard, PoisonError, SHARDS};

/// The fills in progress. `F` is the state that the requests waiting for one fill share.
pub(crate) struct Fills<F> {
    shards: Box<[Shard<F>]>,
}

type Shard<F> = Mutex<HashMap<CredentialDigest, Arc<F>>>;

impl<F: Default> Fills<F> {
    /// Starts without any fill.
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::new(HashMap::new())).collect() }
    }

    /// Joins the fill of this digest, or begins one. Calls `recall` under the lock, so that a request that arrives just
    /// after a fill has ended finds the cached result.
    pub(crate) fn join<R>(
        &self,
        digest: &CredentialDigest,
        recall: impl FnOnce() -> Option<R>,
    ) -> Result<R, Joined<'_, F>> {
        let mut fills = self.shard(digest);
        if let Some(known) = recall() {
            return Ok(known);
        }
        let fill = Arc::clone(fills.entry(*digest).or_default());
        Err(Joined { fills: self, digest: *digest, fill })
    }

    /// Ensures that no read that began before this call is cached or joined. Calls `forget` under the lock.
    pub(crate) fn spoil(&self, digest: &CredentialDigest, forget: impl FnOnce()) {
        let mut fills = self.shard(digest);
        fills.remove(digest);
        forget();
    }

    /// The same for every digest. The caller must clear the cache afterwards.
    pub(crate) fn spoil_all(&self) {
        for shard in &self.shards {
            lock(shard).clear();
        }
    }

    fn shard(&self, digest: &CredentialDigest) -> MutexGuard<'_, HashMap<CredentialDigest, Arc<F>>> {
        lock(&self.shards[usize::from(digest.as_bytes()[0]) % SHARDS])
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Membership in a fill. If the last member is dropped before the fill is complete, the table forgets the fill.
pub(crate) struct Joined<'a, F: Default> {
    fills: &'a Fills<F>,
    digest: CredentialDigest,
    fill: Arc<F>,
}

impl<F: Default> Joined<'_, F> {
    /// Ends the fill. Calls `remember` under the lock, unless the key has changed since the fill began.
    pub(crate) fn complete(&self, remember: impl FnOnce()) {
        let mut fills = self.fills.shard(&self.digest);
        if self.is_in(&fills) {
            fills.remove(&self.digest);
            remember();
        }
    }

    fn is_in(&self, fills: &HashMap<CredentialDigest, Arc<F>>) -> bool {
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
        // One reference is in the table, one is here. Requests join under the lock, so the count cannot grow now.
        if self.is_in(&fills) && Arc::strong_count(&self.fill) == 2 {
            fills.remove(&self.digest);
        }
    }
}
