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

/// What is known of digests: good keys in one cache, digests that are none in another, so that a flood of garbage
/// never pushes a good key out. What neither knows, the store is asked, once for all who ask at the time.
pub(crate) struct Answers {
    pub(crate) store: Arc<dyn KeyStore>,
    pub(crate) look_ups: Arc<LookUps>,
    clock: Arc<dyn Clock>,
    /// The monotonic clock, as the age of the process.
    start: Instant,
    /// How old an answer may grow before the store is asked again. A process that makes every change itself goes on with
    /// an older one, and leaves it to [`Rounds`](crate::rounds::Rounds) to find what was changed by SQL.
    max_age: Duration,
    good: Cache<KeyDigest, Arc<VerifiedKey>>,
    /// Digests that are no good key, each until when that is believed.
    unknown: Cache<KeyDigest, Instant>,
    fills: Fills<Fill>,
    /// `None` when this process alone changes keys: then every change evicts here, and the cache is always right.
    pub(crate) fence: Option<Fence>,
}

/// What the caches say of a digest.
pub(crate) enum Recall {
    /// It is this key, which is good.
    Good(Arc<VerifiedKey>),
    /// It is no good key.
    NotGood,
    /// They do not know, or may not be trusted: the store is to be asked.
    Unsure,
}

/// What a fill found: the good key, or that there is none. A failure is shared as well, so that a store that is down
/// is not asked by one waiter after the other.
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

    /// What an answer from the cache is worth at this age of the process.
    pub(crate) fn trust(&self, age: Duration, now: Timestamp) -> Trust {
        self.fence.as_ref().map_or(Trust::Full, |fence| fence.trust(age, now))
    }

    /// Vouches for the cache: every change that was committed before `mark` has been evicted.
    pub(crate) fn vouch(&self, mark: Mark) {
        if let Some(fence) = &self.fence {
            fence.renew(mark.age(self.start), mark);
        }
    }

    /// What the caches say at `now`.
    pub(crate) fn recall(&self, digest: &KeyDigest, now: Timestamp) -> Recall {
        // The fence first: it vouches for what the cache holds after it was asked.
        let age = self.age();
        let trust = self.trust(age, now);
        match self.good.get(digest) {
            // An end is never taken back, so to refuse an expired key needs no trust.
            Some(key) if !key.is_good(now) => Recall::NotGood,
            Some(key) if trust == Trust::Full && key.is_fresh(age, self.max_age) => Recall::Good(key),
            // Where the store cannot be asked, an old answer is better than none.
            Some(key) if trust == Trust::Stale || self.fence.is_none() => Recall::Good(key),
            None if self.unknown.get(digest).is_some_and(|until| Instant::now() < until) => Recall::NotGood,
            Some(_) | None => Recall::Unsure,
        }
    }

    /// What the store says. Of those who ask for one digest at a time, one reads.
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
        // When the one who reads goes away, the next in line reads.
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

    /// Forgets what is known under `digest`. When this returns, no later answer rests on what was read before.
    pub(crate) fn evict(&self, digest: &KeyDigest) {
        self.fills.spoil(digest, || {
            self.good.remove(digest);
            self.unknown.remove(digest);
        });
    }

    /// The same for a key whose digest is not known: it looks at every cached key, some 10 ms for a million.
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

    /// How many digests are remembered, good and unknown.
    pub(crate) fn count(&self) -> (usize, usize) {
        (self.good.len(), self.unknown.len())
    }

    /// The digests of cached keys that begin with `first_byte`.
    pub(crate) fn cached_in(&self, first_byte: u8) -> Vec<KeyDigest> {
        self.good.iter().map(|(digest, _)| digest).filter(|digest| digest.as_bytes()[0] == first_byte).collect()
    }

    /// Takes the store's word on cached keys, of a read that began at this age of the process: keys that it says the same
    /// of are confirmed, and the others are forgotten.
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

    /// Keeps the copy that is cached if it says the same: it has noted uses, and what was spent of the rate limit.
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
