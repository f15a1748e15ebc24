//! Checks the lock-free and hand-locked parts with a model checker: loom runs every interleaving that the C11 memory
//! model allows, up to a bound of preemptions. The tests compile the crate's sources with loom's primitives instead of
//! the standard ones.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::sync::{Arc, OnceLock};

use domain::{CredentialDigest, KeyId, Timestamp};
use loom::model::Builder;
use loom::thread;

#[path = "../src/fills.rs"]
mod fills;
#[path = "../src/last_use.rs"]
#[expect(dead_code, reason = "functions that only count are not modelled")]
mod last_use;

mod sync {
    pub(crate) use std::sync::PoisonError;

    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
    pub(crate) use loom::sync::{Mutex, MutexGuard};

    /// Few shards keep the models small; the single key of each model is in one of them.
    pub(crate) const SHARDS: usize = 2;
}

use fills::Fills;
use last_use::{LastUse, Used, Uses};
use sync::{AtomicBool, Mutex, Ordering};

fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut checker = Builder::new();
    checker.preemption_bound = Some(3);
    checker.check(model);
}

/// A store with one key, and a cache with room for the key.
struct World {
    fills: Fills<()>,
    stored_good: AtomicBool,
    cached: Mutex<Option<bool>>,
}

impl World {
    const DIGEST: CredentialDigest = CredentialDigest::from_bytes([7; 32]);

    fn new() -> loom::sync::Arc<Self> {
        let (stored_good, cached) = (AtomicBool::new(true), Mutex::new(None));
        loom::sync::Arc::new(Self { fills: Fills::new(), stored_good, cached })
    }

    fn recall(&self) -> Option<bool> {
        *self.cached.lock().unwrap()
    }

    /// Like `Answers::recall` and `Answers::ask`, except that calls do not wait for each other.
    fn verify(&self) -> bool {
        if let Some(known) = self.recall() {
            return known;
        }
        match self.fills.join(&Self::DIGEST, || self.recall()) {
            Ok(known) => known,
            Err(fill) => {
                let good = self.stored_good.load(Ordering::SeqCst);
                fill.complete(|| *self.cached.lock().unwrap() = Some(good));
                good
            }
        }
    }

    /// Like `EvictingStore`: changes the store, then evicts the key, then returns.
    fn revoke(&self) {
        self.stored_good.store(false, Ordering::SeqCst);
        self.fills.spoil(&Self::DIGEST, || *self.cached.lock().unwrap() = None);
    }
}

#[test]
fn a_fill_never_puts_a_revoked_key_back() {
    check(|| {
        let world = World::new();
        let readers: Vec<_> = (0..2)
            .map(|_| {
                let world = world.clone();
                thread::spawn(move || world.verify())
            })
            .collect();
        world.revoke();
        // The revocation has returned, but fills may still be in progress.
        assert!(!world.verify(), "a revoked key must be refused at once");
        for reader in readers {
            reader.join().unwrap();
        }
        assert_ne!(world.recall(), Some(true), "the cache must not hold a revoked key");
        assert!(!world.verify());
    });
}

#[test]
fn clearing_the_cache_also_discards_fills() {
    check(|| {
        let world = World::new();
        let reader = {
            let world = world.clone();
            thread::spawn(move || world.verify())
        };
        world.stored_good.store(false, Ordering::SeqCst);
        world.fills.spoil_all();
        *world.cached.lock().unwrap() = None;
        assert!(!world.verify());
        reader.join().unwrap();
        assert_ne!(world.recall(), Some(true));
    });
}

#[test]
fn a_fill_without_members_is_removed() {
    check(|| {
        let fills = loom::sync::Arc::new(Fills::<OnceLock<Arc<()>>>::new());
        let probe = Arc::new(());
        let join_and_leave = |fills: &Fills<OnceLock<Arc<()>>>, probe: &Arc<()>| {
            let joined = fills.join(&World::DIGEST, || None::<()>).map_or_else(|joined| joined, |()| unreachable!());
            let _ = joined.set(Arc::clone(probe));
        };
        let other = {
            let (fills, probe) = (fills.clone(), probe.clone());
            thread::spawn(move || join_and_leave(&fills, &probe))
        };
        join_and_leave(&fills, &probe);
        other.join().unwrap();
        assert_eq!(Arc::strong_count(&probe), 1, "the table must not hold an abandoned fill");
    });
}

struct Key(LastUse);

impl Key {
    const ID: KeyId = KeyId::from_bytes([7; 16]);

    fn new() -> Arc<Self> {
        Arc::new(Self(LastUse::new(None)))
    }
}

impl Used for Key {
    type Id = KeyId;

    fn id(&self) -> KeyId {
        Self::ID
    }

    fn last_use(&self) -> &LastUse {
        &self.0
    }
}

fn at(unix_millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(unix_millis).unwrap()
}

/// Flushes as `Verifier::flush` does, and returns the newest use that it has stored.
fn flush(uses: &Uses<Key>, is_stored: bool) -> Option<Timestamp> {
    flush_counted(uses, is_stored).0
}

/// The same, and how many uses it has stored.
fn flush_counted(uses: &Uses<Key>, is_stored: bool) -> (Option<Timestamp>, u32) {
    let taken = uses.begin_flush(usize::MAX);
    uses.end_flush(is_stored);
    let stored = taken.iter().filter(|_| is_stored);
    (stored.clone().map(|one| one.used.at).max(), stored.map(|one| one.uses).sum())
}

fn noted(uses: &Uses<Key>) -> Option<Timestamp> {
    uses.last_uses(&[Key::ID]).remove(&Key::ID)
}

#[test]
fn no_use_is_lost_between_a_note_and_a_flush() {
    check(|| {
        let (uses, key) = (loom::sync::Arc::new(Uses::new()), Key::new());
        let threads: Vec<_> = [1, 2]
            .map(|millis| {
                let (uses, key) = (uses.clone(), key.clone());
                thread::spawn(move || uses.note(&key, at(millis)))
            })
            .into_iter()
            .collect();
        let stored = flush(&uses, true);
        let firsts = threads.into_iter().map(|thread| u32::from(thread.join().unwrap())).sum::<u32>();
        assert_eq!(firsts, 1, "exactly one use must be the first");
        assert_eq!(stored.max(flush(&uses, true)), Some(at(2)), "the newest use must reach the store");
        assert_eq!(noted(&uses), None);
    });
}

#[test]
fn no_use_is_lost_when_a_flush_fails() {
    check(|| {
        let (uses, key) = (loom::sync::Arc::new(Uses::new()), Key::new());
        uses.note(&key, at(1));
        let noting = {
            let uses = uses.clone();
            thread::spawn(move || uses.note(&key, at(2)))
        };
        flush(&uses, false);
        assert!(noted(&uses) >= Some(at(1)), "the use must stay visible");
        noting.join().unwrap();
        assert_eq!(flush(&uses, true), Some(at(2)));
        assert_eq!(flush(&uses, true), None, "the use must be written only once");
    });
}

#[test]
fn every_use_is_counted_once_beside_a_flush_that_fails() {
    check(|| {
        let (uses, key) = (loom::sync::Arc::new(Uses::new()), Key::new());
        uses.note(&key, at(1));
        let noting = {
            let uses = uses.clone();
            thread::spawn(move || {
                // The time does not move: the count alone makes the key wait.
                uses.note(&key, at(1));
                uses.note(&key, at(1));
            })
        };
        flush(&uses, false);
        let (_, first) = flush_counted(&uses, true);
        noting.join().unwrap();
        let (_, second) = flush_counted(&uses, true);
        assert_eq!(first + second, 3);
        assert_eq!(uses.count(), 0);
    });
}
