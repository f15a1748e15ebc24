use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::ports::{ChangeFeed, Clock, KeyStore, NotReady, ReadinessCheck, RecentUses, StoreError};
use domain::{CredentialDigest, FailuresInARow, KeyId, RateLimit, Timestamp};
use tokio::sync::{Mutex, Notify};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

#[cfg(doc)]
use crate::TRUST_MAX;
use crate::answers::{Answers, Recall};
use crate::counts::{Counted, VerifierCounts};
use crate::evicting_store::EvictingStore;
use crate::feed_reader::FeedReader;
use crate::fence::{Fence, Trust};
use crate::last_use::Uses;
use crate::limiter::{Allowance, Limiter};
use crate::rounds::Rounds;
use crate::stored_uses::StoredUses;
use crate::when_stale::WhenStale;
use crate::{FLUSH_AT_STOP_MAX, FLUSH_BATCH_MAX, FLUSH_INTERVAL, FLUSH_REST, VerifiedKey};

/// The settings of verification that an operator may change.
#[derive(Clone, Copy, Debug)]
pub struct VerifierSettings {
    /// The most good keys in the cache. The actual limit differs by a few per cent, because it applies to each shard.
    pub keys_max: usize,
    /// The most digests without a good key that the cache remembers.
    pub unknown_max: usize,
    /// How old an answer may become before the store must confirm it. At least a few seconds.
    pub max_age: Duration,
    /// What happens to cached keys while reads of the change feed fail.
    pub when_stale: WhenStale,
    /// How often each key may be used; `None` means without a limit.
    pub rate_limit: Option<RateLimit>,
}

impl Default for VerifierSettings {
    fn default() -> Self {
        let max_age = Duration::from_mins(10);
        Self { keys_max: 200_000, unknown_max: 50_000, max_age, when_stale: WhenStale::Refuse, rate_limit: None }
    }
}

/// Answers whether a key is good, and remembers when it was used.
pub struct Verifier {
    answers: Arc<Answers>,
    clock: Arc<dyn Clock>,
    /// The feed of changes by other processes; `None` if only this process changes keys.
    feed: Option<Arc<dyn ChangeFeed>>,
    max_age: Duration,
    uses: Uses<VerifiedKey>,
    stored_uses: StoredUses,
    flushing: Mutex<()>,
    /// Wakes [`Verifier::run`] when a key is used for the first time ever.
    first_use: Notify,
    limiter: Option<Limiter>,
}

impl Verifier {
    /// [`Verifier::single`] with the default settings.
    pub fn new(store: Arc<dyn KeyStore>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Self::single(store, clock, VerifierSettings::default())
    }

    /// For a store that only this process uses. The verifier always trusts its cache, because every change goes through
    /// [`Verifier::key_store`]. If other processes change the store too, revoked keys stay good in this process.
    pub fn single(store: Arc<dyn KeyStore>, clock: Arc<dyn Clock>, settings: VerifierSettings) -> Arc<Self> {
        Self::build(store, None, clock, settings)
    }

    /// For a store that several processes use. The verifier trusts its cache as long as [`Verifier::run`] succeeds in
    /// reading the `feed`. Until [`Verifier::run`] has read the feed, every key is read from the store.
    pub fn shared(
        store: Arc<dyn KeyStore>,
        feed: Arc<dyn ChangeFeed>,
        clock: Arc<dyn Clock>,
        settings: VerifierSettings,
    ) -> Arc<Self> {
        Self::build(store, Some(feed), clock, settings)
    }

    fn build(
        store: Arc<dyn KeyStore>,
        feed: Option<Arc<dyn ChangeFeed>>,
        clock: Arc<dyn Clock>,
        settings: VerifierSettings,
    ) -> Arc<Self> {
        let fence = feed.is_some().then(|| Fence::new(settings.when_stale.serve_max()));
        let max_age = settings.max_age;
        let answers = Arc::new(Answers::new(store, Arc::clone(&clock), fence, &settings));
        let limiter = settings.rate_limit.map(Limiter::new);
        Arc::new(Self {
            answers,
            clock,
            feed,
            max_age,
            uses: Uses::new(),
            stored_uses: StoredUses::default(),
            flushing: Mutex::new(()),
            first_use: Notify::new(),
            limiter,
        })
    }

    /// The store through which this process must change keys. Each call evicts the changed keys from the cache before
    /// it returns, and does so even if the caller is dropped.
    pub fn key_store(&self) -> Arc<dyn KeyStore> {
        Arc::new(EvictingStore::new(Arc::clone(&self.answers)))
    }

    /// Returns the key for the `presented` string if the key is good now, and notes its use.
    ///
    /// # Errors
    ///
    /// When the answer requires a read of the store and the read fails. Whether the key is good is unknown then.
    pub async fn verify(&self, presented: &str) -> Result<Option<Arc<VerifiedKey>>, StoreError> {
        let counts = &self.answers.counts;
        let Some(digest) = CredentialDigest::of_presented(presented) else {
            counts.count(Counted::NotAKey);
            return Ok(None);
        };
        let now = self.clock.now();
        match self.answers.recall(&digest, now) {
            Recall::Good(key) => {
                counts.count(Counted::HitGood);
                self.note(&key, now);
                Ok(Some(key))
            }
            Recall::NotGood => {
                counts.count(Counted::HitRefused);
                Ok(None)
            }
            // Boxed, so that the future of a cache hit stays small.
            Recall::Unsure => Box::pin(self.ask(&digest)).await,
        }
    }

    /// Takes one use from the allowance of a key that [`Verifier::verify`] has found good. `None` if there is no rate
    /// limit. Each process counts separately, and the count starts again after the key leaves the cache.
    pub fn spend(&self, key: &Arc<VerifiedKey>) -> Option<Allowance> {
        self.limiter.as_ref().map(|limiter| limiter.spend(key))
    }

    /// How many digests are cached: those of good keys, and those without a good key.
    pub fn cached(&self) -> (usize, usize) {
        self.answers.count()
    }

    /// What the verifier has answered so far.
    pub fn counts(&self) -> VerifierCounts {
        self.answers.counts.read(self.cached())
    }

    /// How long ago the last successful read of the change feed began: a key that another process revoked earlier is
    /// refused here. Before the first read it is the age of the verifier. `None` without a feed.
    pub fn feed_age(&self) -> Option<Duration> {
        self.answers.feed_age()
    }

    /// Reads the change feed, if there is one, and confirms cached keys in rounds. Writes noted uses every
    /// [`FLUSH_INTERVAL`], and a key's first use at once. When `stop` is cancelled, writes as many uses as it can
    /// within [`FLUSH_AT_STOP_MAX`].
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let reading = async {
            if let Some(feed) = &self.feed {
                let (feed, answers, clock) = (Arc::clone(feed), Arc::clone(&self.answers), Arc::clone(&self.clock));
                FeedReader::new(feed, answers, clock).run(&stop).await;
            }
        };
        let flushing = async {
            let (mut rest, mut failures) = (Duration::ZERO, FailuresInARow::default());
            while stop.run_until_cancelled(self.wait(rest)).await.is_some() {
                let began = Instant::now();
                log(&self.flush_once().await, &mut failures);
                rest = began.elapsed() * FLUSH_REST;
            }
            log(&timeout(FLUSH_AT_STOP_MAX, self.flush()).await.unwrap_or(Ok(())), &mut failures);
            let lost = self.uses.count();
            if lost > 0 {
                tracing::warn!(lost, "shutdown ended before all last uses of keys were written");
            }
        };
        let confirming = Rounds::new(Arc::clone(&self.answers), self.max_age).run(&stop);
        tokio::join!(reading, confirming, flushing);
    }

    /// Writes all noted uses. Uses whose write fails stay noted.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn flush(&self) -> Result<(), StoreError> {
        // Count once: uses that are noted during the flush wait for the next one.
        for _ in 0..self.uses.count().div_ceil(FLUSH_BATCH_MAX) {
            self.flush_once().await?;
        }
        Ok(())
    }

    /// Writes at most [`FLUSH_BATCH_MAX`] noted uses, in one statement.
    async fn flush_once(&self) -> Result<(), StoreError> {
        let _one_at_a_time = self.flushing.lock().await;
        let flush = Flush { uses: &self.uses, is_stored: false };
        let uses = self.uses.begin_flush(FLUSH_BATCH_MAX);
        if !uses.is_empty() {
            self.answers.store.record_uses(&uses).await?;
            // Keep the uses before the flush ends, so that each use is always in at least one of the two places.
            self.stored_uses.keep(uses);
        }
        flush.succeed();
        Ok(())
    }

    async fn ask(&self, digest: &CredentialDigest) -> Result<Option<Arc<VerifiedKey>>, StoreError> {
        let counts = &self.answers.counts;
        let found = self.answers.ask(digest).await.inspect_err(|_| counts.count(Counted::MissFailed))?;
        let now = self.clock.now();
        let good = found.filter(|key| key.is_good(now)).inspect(|key| self.note(key, now));
        counts.count(if good.is_some() { Counted::MissGood } else { Counted::MissRefused });
        Ok(good)
    }

    async fn wait(&self, rest: Duration) {
        sleep(rest).await;
        tokio::select! {
            () = sleep(FLUSH_INTERVAL.saturating_sub(rest)) => {}
            () = self.first_use.notified() => {}
        }
    }

    fn note(&self, key: &Arc<VerifiedKey>, at: Timestamp) {
        if self.uses.note(key, at) {
            self.first_use.notify_one();
        }
    }
}

/// Ready if a presented key would get an answer. This requires neither a writable database nor the identity provider.
#[async_trait]
impl ReadinessCheck for Verifier {
    fn name(&self) -> &'static str {
        "verification"
    }

    async fn check(&self) -> Result<(), NotReady> {
        let trust = self.answers.trust(self.answers.age());
        if trust == Trust::Full && self.feed.is_some() {
            return Ok(());
        }
        // Any digest works, because only the success of the read matters.
        match self.answers.look_ups.find(&CredentialDigest::from_bytes([0; 32])).await {
            Err(_) if trust == Trust::Stale => Ok(()),
            Err(error) => {
                Err(NotReady { summary: "cannot look up keys in the database", source: Some(Box::new(error)) })
            }
            Ok(_) => Ok(()),
        }
    }
}

/// Logs the first of several failures, and their end.
fn log(flushed: &Result<(), StoreError>, failures: &mut FailuresInARow) {
    match flushed {
        Err(error) if failures.count() => {
            tracing::warn!(error = error as &dyn std::error::Error, "cannot write the last uses of keys, retrying");
        }
        Err(_) => {}
        Ok(()) => {
            if let Some(failures) = failures.end() {
                tracing::info!(failures, "writing the last uses of keys works again");
            }
        }
    }
}

/// A flush in progress. If the flush fails, or its future is dropped, all of its uses wait again. Writing a use twice
/// is harmless.
struct Flush<'a> {
    uses: &'a Uses<VerifiedKey>,
    is_stored: bool,
}

impl Flush<'_> {
    fn succeed(mut self) {
        self.is_stored = true;
    }
}

impl Drop for Flush<'_> {
    fn drop(&mut self) {
        self.uses.end_flush(self.is_stored);
    }
}

impl RecentUses<KeyId> for Verifier {
    fn last_uses(&self, ids: &[KeyId]) -> HashMap<KeyId, Timestamp> {
        let mut newest = self.uses.last_uses(ids);
        self.stored_uses.add_to(&mut newest, ids);
        newest
    }
}
