use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{Clock, KeyStore, StoreError};
use domain::{ApiKey, KeyDigest, KeyId, Timestamp};
use quick_cache::OptionsBuilder;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, UnitWeighter};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::fence::{Fence, Mark, Trust};
use crate::fills::Fills;
use crate::look_ups::LookUps;
use crate::shared_failure::shared;
use crate::sync::SHARDS;
use crate::{UNKNOWN_TTL, VerifiedKey, VerifierSettings};

/// The cached answers: good keys in one cache, unknown digests in another, so that a flood of garbage evicts no good
/// key. For other digests the store is read, once for all callers that need the same digest.
pub(crate) struct Answers {
    pub(crate) store: Arc<dyn KeyStore>,
    pub(crate) look_ups: Arc<LookUps>,
    clock: Arc<dyn Clock>,
    /// The monotonic clock, as the age of the process.
    start: Instant,
    /// The age at which an answer must be read again. A process that makes every change itself continues with an older
    /// answer, and leaves it to [`Rounds`](crate::rounds::Rounds) to find changes that were made by SQL.
    max_age: Duration,
    good: Cache<KeyDigest, Arc<VerifiedKey>>,
    /// Digests without a good key, each with the instant until which that answer is used.
    unknown: Cache<KeyDigest, Instant>,
    fills: Fills<Fill>,
    /// `None` when only this process changes keys: then every change evicts here, and the cache is always right.
    pub(crate) fence: Option<Fence>,
}

/// The cached answer about a digest.
pub(crate) enum Recall {
    /// The digest of this good key.
    Good(Arc<VerifiedKey>),
    /// Not the digest of a good key.
    NotGood,
    /// Not cached, or not to be trusted: the store must be read.
    Unsure,
}

/// The result of a fill: the good key, or none. Waiters share a failure as well, so that a store that is down does not
/// get one read after the other.
type Fill = OnceCell<Result<Option<Arc<VerifiedKey>>, Arc<StoreError>>>;

impl Answers {
    pub(crate) fn new(
        store: Arc<dyn KeyStore>,
        clock: Arc<dyn Clock>,
        fence: Option<Fence>,
        settings: &VerifierSettings,
    ) -> Self {
        let look_ups = LookUps::new(Arc::clone(&store));
        let (good, unknown) = (bounded(settings.keys_max), bounded(settings.unknown_max));
        let (start, max_age) = (Instant::now(), settings.max_age);
        Self { store, look_ups, clock, start, max_age, good, unknown, fills: Fills::new(), fence }
    }

    /// How long the process has run, by the monotonic clock.
    pub(crate) fn age(&self) -> Duration {
        self.start.elapsed()
    }

    /// The worth of a cached answer at this age of the process.
    pub(crate) fn trust(&self, age: Duration, now: Timestamp) -> Trust {
        self.fence.as_ref().map_or(Trust::Full, |fence| fence.trust(age, now))
    }

    /// Vouches for the cache: every change that was committed before `mark` has been evicted.
    pub(crate) fn vouch(&self, mark: Mark) {
        if let Some(fence) = &self.fence {
            fence.renew(mark.age(self.start), mark);
        }
    }

    /// The cached answer at `now`.
    pub(crate) fn recall(&self, digest: &KeyDigest, now: Timestamp) -> Recall {
        // The fence first: it vouches for the content of the cache from now on.
        let age = self.age();
        let trust = self.trust(age, now);
        match self.good.get(digest) {
            // An end is final, so refusing an expired key needs no trust.
            Some(key) if !key.is_good(now) => Recall::NotGood,
            Some(key) if trust == Trust::Full && key.is_fresh(age, self.max_age) => Recall::Good(key),
            // If the store cannot be read, an old answer is better than none.
            Some(key) if trust == Trust::Stale || self.fence.is_none() => Recall::Good(key),
            None if self.unknown.get(digest).is_some_and(|until| Instant::now() < until) => Recall::NotGood,
            Some(_) | None => Recall::Unsure,
        }
    }

    /// The answer of the store. Of the callers that need one digest at a time, one reads.
    pub(crate) async fn ask(&self, digest: &KeyDigest) -> Result<Option<Arc<VerifiedKey>>, StoreError> {
        let recall = || match self.recall(digest, self.clock.now()) {
            Recall::Good(key) => Some(Some(key)),
            Recall::NotGood => Some(None),
            Recall::Unsure => None,
        };
        let fill = match self.fills.join(digest, recall) {
            Ok(known) => return Ok(known),
            Err(fill) => fill,
        };
        // If the reading caller goes away, the next waiter reads.
        let outcome = fill.get_or_init(async || {
            let (began, age) = (Instant::now(), self.age());
            let found = self.look_ups.find(digest).await;
            let now = self.clock.now();
            let good =
                found.map(|key| key.filter(|key| key.is_good(now)).map(|key| self.known_or_new(digest, key, age)));
            fill.complete(|| match &good {
                Ok(Some(key)) => self.good.insert(*digest, Arc::clone(key)),
                Ok(None) => {
                    self.good.remove(digest);
                    self.unknown.insert(*digest, began + UNKNOWN_TTL);
                }
                Err(_) => {}
            });
            good.map_err(Arc::new)
        });
        outcome.await.clone().map_err(|error| shared(&error))
    }

    /// Evicts the answer under `digest`. When this returns, no later answer comes from an earlier read.
    pub(crate) fn evict(&self, digest: &KeyDigest) {
        self.fills.spoil(digest, || {
            self.good.remove(digest);
            self.unknown.remove(digest);
        });
    }

    /// The same for a key with an unknown digest: checks every cached key, about 10 ms for a million.
    pub(crate) fn evict_by_id(&self, id: KeyId) {
        self.fills.spoil_all();
        self.good.retain(|_, key| key.id != id);
    }

    /// The same for every key.
    pub(crate) fn evict_all(&self) {
        self.fills.spoil_all();
        self.good.clear();
        self.unknown.clear();
    }

    /// The number of cached digests, good and unknown.
    pub(crate) fn count(&self) -> (usize, usize) {
        (self.good.len(), self.unknown.len())
    }

    /// The digests of cached keys that begin with `first_byte`.
    pub(crate) fn cached_in(&self, first_byte: u8) -> Vec<KeyDigest> {
        self.good.iter().map(|(digest, _)| digest).filter(|digest| digest.as_bytes()[0] == first_byte).collect()
    }

    /// Applies a read of the store that began at this age of the process to cached keys: confirms the keys that are
    /// unchanged, and evicts the others.
    pub(crate) fn reconcile(&self, asked: &[KeyDigest], stored: &HashMap<KeyDigest, ApiKey>, age: Duration) {
        let now = self.clock.now();
        for digest in asked {
            let known = self.good.peek(digest);
            let is_same = |known: &Arc<VerifiedKey>| {
                stored.get(digest).is_some_and(|key| key.is_good(now) && known.says_the_same_as(key))
            };
            match known {
                Some(known) if is_same(&known) => known.confirm(age),
                Some(_) | None => self.evict(digest),
            }
        }
    }

    /// Keeps the cached copy if it is equal, because that copy has the noted uses and the state of the rate limit.
    fn known_or_new(&self, digest: &KeyDigest, key: ApiKey, age: Duration) -> Arc<VerifiedKey> {
        let known = self.good.peek(digest).filter(|known| known.says_the_same_as(&key));
        let known = known.inspect(|known| known.confirm(age));
        known.unwrap_or_else(|| Arc::new(VerifiedKey::new(key, age)))
    }
}

fn bounded<V: Clone>(entries_max: usize) -> Cache<KeyDigest, V> {
    let mut options = OptionsBuilder::new();
    options.shards(SHARDS).estimated_items_capacity(entries_max).weight_capacity(entries_max as u64);
    let options = options.build().expect("both capacities are set");
    Cache::with_options(options, UnitWeighter, DefaultHashBuilder::default(), DefaultLifecycle::default())
}
