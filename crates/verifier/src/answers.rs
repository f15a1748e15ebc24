use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{Clock, CredentialStore, StoreError};
use domain::webhooks::OwnerNumber;
use domain::{CredentialDigest, Home, OwnerId, OwnerRates, Timestamp};
use quick_cache::OptionsBuilder;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, UnitWeighter};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::UNKNOWN_TTL;
use crate::counts::{Counted, Counts};
use crate::credential::Credential;
use crate::fence::{Fence, Mark, Trust};
use crate::fills::Fills;
use crate::last_use::Used;
use crate::look_ups::{LookUps, OfOwner};
use crate::sync::SHARDS;

/// Answers for digests of one kind of credential. Below, "key" stands for any kind. Good keys are in one cache, digests
/// without a good key are in another, so that a flood of garbage never evicts a good key. If neither cache has the
/// digest, one read of the store answers all concurrent requests for the digest.
pub(crate) struct Answers<C: Credential> {
    pub(crate) store: Arc<dyn CredentialStore<C::Stored>>,
    /// One for each shard, in their order: a look-up in one shard waits for no other.
    look_ups: Vec<Arc<LookUps<C>>>,
    clock: Arc<dyn Clock>,
    /// When the process started, by the monotonic clock.
    start: Instant,
    /// The age of an answer at which the key is read from the store again. A process that makes every change itself
    /// keeps using an older answer, and relies on [`Rounds`](crate::rounds::Rounds) to find changes made by SQL.
    max_age: Duration,
    /// Whether a key is suspended with the member who made it.
    with_members: bool,
    good: Cache<CredentialDigest, Arc<C>>,
    /// Digests without a good key, each with the instant until which the entry counts, and the key that is not good, if
    /// there is one.
    unknown: Cache<CredentialDigest, (Instant, Option<C::Id>)>,
    /// The last credentials that were evicted as changed: a change of a label must not renew a spent allowance.
    changed: Cache<CredentialDigest, Arc<C>>,
    fills: Fills<Fill<C>>,
    pub(crate) counts: Counts,
    /// `None` if only this process changes keys: every change then evicts its key here, and the cache is always right.
    /// One for each shard, in their order.
    pub(crate) fences: Vec<Fence>,
}

/// The most changed credentials whose spent allowance is kept until their next use.
const CHANGED_MAX: usize = 4_096;

/// How much is remembered of one kind of credential, and for how long.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// The most good credentials.
    pub(crate) good_max: usize,
    /// The most digests without a good credential.
    pub(crate) unknown_max: usize,
    /// See [`VerifierSettings::max_age`](crate::VerifierSettings::max_age).
    pub(crate) max_age: Duration,
    /// See [`CredentialStores::members`](crate::CredentialStores::members).
    pub(crate) with_members: bool,
}

/// The good key of a digest; or, if there is none, the stored key that is not good, if there is one.
pub(crate) type Found<C> = Result<Arc<C>, Option<<C as Used>::Id>>;

/// The result of a fill. Waiting requests share a failure too, so that they do not call a failed store one after the
/// other.
type Fill<C> = OnceCell<Result<Found<C>, Arc<StoreError>>>;

impl<C: Credential> Answers<C> {
    pub(crate) fn new(
        store: Arc<dyn CredentialStore<C::Stored>>,
        clock: Arc<dyn Clock>,
        fences: Vec<Fence>,
        limits: Limits,
    ) -> Self {
        let shards = fences.len().max(1);
        let look_ups = (0..shards).map(|_| LookUps::new(Arc::clone(&store), shards)).collect();
        let (good, unknown) = (bounded(limits.good_max), bounded(limits.unknown_max));
        let changed = bounded(CHANGED_MAX.min(limits.good_max));
        let (start, max_age, with_members) = (Instant::now(), limits.max_age, limits.with_members);
        let (fills, counts) = (Fills::new(), Counts::default());
        Self { store, look_ups, clock, start, max_age, with_members, good, unknown, changed, fills, counts, fences }
    }

    /// How long the process has run, by the monotonic clock.
    pub(crate) fn age(&self) -> Duration {
        self.start.elapsed()
    }

    /// How far answers from the cache are trusted at this age of the process.
    pub(crate) fn trust(&self, age: Duration) -> Trust {
        let now = self.clock.machine_time();
        self.fences.iter().map(|fence| fence.trust(age, now)).min().unwrap_or(Trust::Full)
    }

    /// The same for the shard that is trusted most.
    pub(crate) fn trust_in_best(&self, age: Duration) -> Trust {
        let now = self.clock.machine_time();
        self.fences.iter().map(|fence| fence.trust(age, now)).max().unwrap_or(Trust::Full)
    }

    /// The member with whom the credential is suspended, if there is one.
    fn member(&self, credential: &C) -> Option<OwnerId> {
        self.with_members.then(|| credential.member()).flatten()
    }

    /// How far cached answers under this digest are trusted. Unless all shards are trusted, the shards of the owner and of the
    /// member decide.
    fn trust_in(&self, digest: &CredentialDigest, age: Duration) -> Trust {
        match self.trust(age) {
            Trust::Full => Trust::Full,
            least if self.fences.len() < 2 => least,
            least => self.good.peek(digest).map_or(least, |credential| {
                let now = self.clock.machine_time();
                let in_shard = |owner: &OwnerId| self.fences[Home::of(owner).shard(self.fences.len())].trust(age, now);
                let of_owner = in_shard(credential.owner());
                self.member(&credential).map_or(of_owner, |member| in_shard(&member).min(of_owner))
            }),
        }
    }

    /// See [`Verifier::feed_age`](crate::Verifier::feed_age).
    pub(crate) fn feed_age(&self) -> Option<Duration> {
        self.fences.iter().map(|fence| fence.unread_for(self.age(), self.clock.machine_time())).max()
    }

    /// The answer of the caches about the digest at `now`. `None` if they have no entry, or one that is not trusted: read
    /// the store.
    pub(crate) fn recall(&self, digest: &CredentialDigest, now: Timestamp) -> Option<Found<C>> {
        // Read the fence before the cache: the fence only covers later reads of the cache.
        let age = self.age();
        let trust = self.trust_in(digest, age);
        match self.good.get(digest) {
            // An expiry is never undone, so an expired key is refused even if the cache is not trusted.
            Some(key) if key.has_expired(now) => Some(Err(Some(key.id()))),
            Some(key) if key.is_idle(now) => None,
            Some(key) if trust == Trust::Full && key.confirmation().is_fresh(age, self.max_age) => Some(Ok(key)),
            // An old answer is better than none while the store is unavailable.
            Some(key) if trust == Trust::Stale || self.fences.is_empty() => Some(Ok(key)),
            Some(_) => None,
            None => {
                let (until, known) = self.unknown.get(digest)?;
                (Instant::now() < until).then_some(Err(known))
            }
        }
    }

    /// Reads the key from the store. Of several concurrent calls for the same digest, one reads.
    pub(crate) async fn ask(&self, digest: &CredentialDigest) -> Result<Found<C>, StoreError> {
        let fill = match self.fills.join(digest, || self.recall(digest, self.clock.now())) {
            Ok(known) => return Ok(known),
            Err(fill) => fill,
        };
        // If the call that reads is dropped, the next waiting call reads.
        let outcome = fill.get_or_init(async || {
            let (began, age) = (Instant::now(), self.age());
            let found = self.look_up(digest).await;
            let now = self.clock.now();
            let found = found.map(|stored| match stored {
                Some((key, rates)) if C::is_good(&key, now) => Ok(self.known_or_new(digest, key, rates, age)),
                other => Err(other.map(|(key, _)| C::stored_id(&key))),
            });
            fill.complete(|| match &found {
                Ok(Ok(key)) => self.remember(digest, key),
                Ok(Err(known)) => {
                    self.good.remove(digest);
                    self.unknown.insert(*digest, (began + UNKNOWN_TTL, *known));
                }
                Err(_) => {}
            });
            found.map_err(Arc::new)
        });
        outcome.await.clone().map_err(|error| StoreError::for_another(&error))
    }

    /// The stored credential under this digest. Look-ups in the same shard share reads.
    pub(crate) async fn look_up(&self, digest: &CredentialDigest) -> Result<Option<OfOwner<C>>, StoreError> {
        self.look_ups[Home::of_digest(digest).shard(self.look_ups.len())].find(digest).await
    }

    /// Caches a good key, which may displace another one.
    fn remember(&self, digest: &CredentialDigest, key: &Arc<C>) {
        // The cache also hands out the entry that the new one replaces.
        let mut left = Default::default();
        self.good.insert_with_lifecycle(*digest, Arc::clone(key), &mut left);
        self.counts.add(Counted::EvictedForRoom, left.iter().flatten().filter(|(other, _)| other != digest).count());
    }

    /// [`Remembered::evict`] for keys with unknown digests. Scans all cached keys, about 10 ms for a million.
    pub(crate) fn evict_matching(&self, is_changed: impl Fn(&C) -> bool) {
        self.fills.spoil_all();
        self.good.retain(|digest, key| {
            let is_changed = is_changed(key);
            if is_changed {
                self.counts.count(Counted::EvictedAsChanged);
                self.changed.insert(*digest, Arc::clone(key));
            }
            !is_changed
        });
    }

    /// How many digests are cached: good, and without a good key.
    pub(crate) fn count(&self) -> (usize, usize) {
        (self.good.len(), self.unknown.len())
    }

    /// The digests of cached keys that begin with `first_byte`.
    pub(crate) fn cached_in(&self, first_byte: u8) -> Vec<CredentialDigest> {
        self.good.iter().map(|(digest, _)| digest).filter(|digest| digest.as_bytes()[0] == first_byte).collect()
    }

    /// Compares cached keys with the store, after a read that began at this age of the process: confirms the keys that
    /// the store still has unchanged and good, and evicts the others.
    pub(crate) fn reconcile(
        &self,
        asked: &[CredentialDigest],
        stored: &HashMap<CredentialDigest, OfOwner<C>>,
        age: Duration,
    ) {
        let now = self.clock.now();
        for digest in asked {
            let still_good = stored.get(digest).filter(|(key, _)| C::is_good(key, now));
            match (self.good.peek(digest), still_good) {
                (Some(known), Some((key, rates))) if known.says_the_same_as(key, *rates) => confirm(&*known, key, age),
                _ => self.evict(digest),
            }
        }
    }

    /// Keeps the cached copy if it matches the stored key, because the copy holds noted uses and the spent allowance.
    fn known_or_new(&self, digest: &CredentialDigest, key: C::Stored, rates: OwnerRates, age: Duration) -> Arc<C> {
        let known = self.good.peek(digest);
        if let Some(known) = known.as_ref().filter(|known| known.says_the_same_as(&key, rates)) {
            confirm(&**known, &key, age);
            return Arc::clone(known);
        }
        let mut new = C::new(key, rates, age);
        if let Some(before) = known.or_else(|| self.changed.get(digest)) {
            new.continue_from(&before);
        }
        Arc::new(new)
    }
}

/// Records the result of a read of the store, which began at this age of the process, in a cached credential.
fn confirm<C: Credential>(known: &C, stored: &C::Stored, age: Duration) {
    known.confirmation().renew(age);
    if let Some(at) = C::stored_use(stored) {
        known.last_use().read(at);
    }
}

/// The effects of changes on the answers about any kind of credential.
pub(crate) trait Remembered: Send + Sync {
    /// Removes `digest` from the caches. After this returns, no answer uses a read that began earlier.
    fn evict(&self, digest: &CredentialDigest);

    /// The same for all keys of these owners, whether they are cached as good or not.
    fn evict_owners(&self, owners: &HashSet<OwnerNumber>);

    /// The same for every key.
    fn evict_all(&self);

    /// Renews the trust in the cache: every key that was changed before `mark` has been evicted.
    fn vouch(&self, shard: usize, mark: Mark);
}

impl<C: Credential> Remembered for Answers<C> {
    fn evict(&self, digest: &CredentialDigest) {
        self.fills.spoil(digest, || {
            if let Some((_, before)) = self.good.remove(digest) {
                self.counts.count(Counted::EvictedAsChanged);
                self.changed.insert(*digest, before);
            }
            self.unknown.remove(digest);
        });
    }

    fn evict_owners(&self, owners: &HashSet<OwnerNumber>) {
        let has = |owner: &OwnerId| owners.contains(&OwnerNumber::of(owner));
        self.evict_matching(|key| has(key.owner()) || self.member(key).is_some_and(|member| has(&member)));
        self.unknown.clear();
    }

    fn evict_all(&self) {
        self.fills.spoil_all();
        self.counts.add(Counted::EvictedAsChanged, self.good.len());
        self.good.clear();
        self.unknown.clear();
    }

    fn vouch(&self, shard: usize, mark: Mark) {
        if let Some(fence) = self.fences.get(shard) {
            fence.renew(mark.age(self.start), mark);
        }
    }
}

fn bounded<V: Clone>(entries_max: usize) -> Cache<CredentialDigest, V> {
    let mut options = OptionsBuilder::new();
    options.shards(SHARDS).estimated_items_capacity(entries_max).weight_capacity(entries_max as u64);
    let options = options.build().expect("both capacities are set");
    Cache::with_options(options, UnitWeighter, DefaultHashBuilder::default(), DefaultLifecycle::default())
}
