use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use counters::Pending;
use domain::ports::{Clock, CredentialStore, StoreError};
use domain::{CredentialDigest, CredentialUse, FailuresInARow, Hour, InHour, Streak, Timestamp, UsageCounts};
use tokio::sync::{Mutex, Notify};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::answers::{Answers, Limits};
use crate::counts::Counted;
use crate::credential::Credential;
use crate::fence::Fence;
use crate::last_use::{Taken, Used, Uses};
use crate::rounds::Rounds;
use crate::stored_uses::StoredUses;
use crate::{FLUSH_AT_STOP_MAX, FLUSH_BATCH_MAX, FLUSH_INTERVAL, FLUSH_REST};

/// The memory of this process of one kind of credential: the good ones, and their uses.
pub(crate) struct Register<C: Credential> {
    pub(crate) answers: Arc<Answers<C>>,
    counts: Arc<C::Counts>,
    clock: Arc<dyn Clock>,
    max_age: Duration,
    uses: Uses<C>,
    /// The number of refused uses of each stored credential since the last flush.
    refusals: Pending<C::Id, u64>,
    stored_uses: StoredUses<C::Id>,
    flushing: Mutex<()>,
    /// Wakes [`Register::run`] when a credential is used for the first time ever.
    first_use: Notify,
}

impl<C: Credential> Register<C> {
    pub(crate) fn new(
        store: Arc<dyn CredentialStore<C::Stored>>,
        counts: Arc<C::Counts>,
        clock: Arc<dyn Clock>,
        fences: Vec<Fence>,
        limits: Limits,
    ) -> Self {
        Self {
            answers: Arc::new(Answers::new(store, Arc::clone(&clock), fences, limits)),
            counts,
            clock,
            max_age: limits.max_age,
            uses: Uses::new(),
            refusals: Pending::new(FLUSH_BATCH_MAX),
            stored_uses: StoredUses::new(),
            flushing: Mutex::new(()),
            first_use: Notify::new(),
        }
    }

    /// Returns the credential for the `presented` string if it is good now, and notes its use. Reads the store only
    /// for a string that `may_exist`.
    pub(crate) async fn verify(
        &self,
        presented: &str,
        may_exist: impl Fn(&str) -> bool,
    ) -> Result<Option<Arc<C>>, StoreError> {
        let counts = &self.answers.counts;
        let Some(digest) = CredentialDigest::of_presented(presented) else {
            counts.count(Counted::NotAKey);
            return Ok(None);
        };
        let now = self.clock.now();
        match self.answers.recall(&digest, now) {
            Some(Ok(found)) => {
                counts.count(Counted::HitGood);
                self.note(&found, now);
                Ok(Some(found))
            }
            Some(Err(known)) => {
                counts.count(Counted::HitRefused);
                self.count_refusal(known);
                Ok(None)
            }
            None if !may_exist(presented) => {
                counts.count(Counted::NotAKey);
                Ok(None)
            }
            // Boxed, so that the future of a cache hit stays small.
            None => Box::pin(self.ask(&digest)).await,
        }
    }

    /// Confirms the cache in rounds, and writes noted uses every [`FLUSH_INTERVAL`], and a first use at once. When
    /// `stop` is cancelled, writes as many uses as it can within [`FLUSH_AT_STOP_MAX`].
    pub(crate) async fn run(&self, stop: &CancellationToken) {
        let flushing = async {
            let (mut rest, mut failures) = (Duration::ZERO, FailuresInARow::default());
            while stop.run_until_cancelled(self.wait(rest)).await.is_some() {
                let began = Instant::now();
                log::<C>(&self.flush_once().await, &mut failures);
                rest = began.elapsed() * FLUSH_REST;
            }
            log::<C>(&timeout(FLUSH_AT_STOP_MAX, self.flush()).await.unwrap_or(Ok(())), &mut failures);
            let lost = self.uses.count();
            if lost > 0 {
                tracing::warn!(lost, "shutdown ended before all last uses of {} were written", C::NAME);
            }
        };
        let confirming = Rounds::new(Arc::clone(&self.answers), self.max_age).run(stop);
        tokio::join!(confirming, flushing);
    }

    /// Writes all noted uses. Uses that cannot be written stay noted.
    pub(crate) async fn flush(&self) -> Result<(), StoreError> {
        // Count once: uses that are noted during the flush wait for the next one.
        let rounds = self.uses.count().div_ceil(FLUSH_BATCH_MAX);
        for _ in 0..rounds.max(usize::from(!self.refusals.is_empty())) {
            self.flush_once().await?;
        }
        Ok(())
    }

    /// The newest use of each of these that is noted, or was just written.
    pub(crate) fn last_uses(&self, ids: &[C::Id]) -> HashMap<C::Id, Timestamp> {
        let mut newest = self.uses.last_uses(ids);
        self.stored_uses.add_to(&mut newest, ids);
        newest
    }

    /// Notes that a use was beyond the rate limit.
    pub(crate) fn note_limited(&self, used: &Arc<C>) {
        self.uses.note_limited(used);
    }

    /// Writes at most [`FLUSH_BATCH_MAX`] noted uses in one statement, and their counts in another.
    async fn flush_once(&self) -> Result<(), StoreError> {
        let _one_at_a_time = self.flushing.lock().await;
        let mut flush = Flush { uses: &self.uses, refusals: &self.refusals, refused: Vec::new(), is_stored: false };
        let taken = self.uses.begin_flush(FLUSH_BATCH_MAX);
        flush.refused = self.refusals.take().into_iter().collect();
        let uses: Vec<CredentialUse<C::Id>> = taken.iter().map(|one| one.used).collect();
        if !uses.is_empty() {
            self.answers.store.record_uses(&uses).await?;
        }
        let usage = usage(&taken, &flush.refused, self.clock.now());
        if !usage.is_empty() {
            C::add_usage(&self.counts, &usage).await?;
        }
        if !uses.is_empty() {
            // Keep the uses before the flush ends, so that each use is always in at least one of the two places.
            self.stored_uses.keep(uses);
        }
        flush.succeed();
        Ok(())
    }

    fn count_refusal(&self, known: Option<C::Id>) {
        if let Some(id) = known.filter(|_| C::IS_COUNTED) {
            self.refusals.add([(id, 1)]);
        }
    }

    async fn ask(&self, digest: &CredentialDigest) -> Result<Option<Arc<C>>, StoreError> {
        let counts = &self.answers.counts;
        let found = self.answers.ask(digest).await.inspect_err(|_| counts.count(Counted::MissFailed))?;
        let now = self.clock.now();
        let is_good = |found: &Arc<C>| !found.has_expired(now) && !found.is_idle(now);
        let found = found.and_then(|found| if is_good(&found) { Ok(found) } else { Err(Some(found.id())) });
        let good = found.inspect(|found| self.note(found, now)).inspect_err(|known| self.count_refusal(*known)).ok();
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

    fn note(&self, used: &Arc<C>, at: Timestamp) {
        if self.uses.note(used, at) {
            self.first_use.notify_one();
        }
    }
}

/// Logs the first of several failures, and their end.
fn log<C: Credential>(flushed: &Result<(), StoreError>, failures: &mut FailuresInARow) {
    match failures.note(flushed) {
        Some(Streak::Began(error)) => tracing::warn!(error, "cannot write the last uses of {}, retrying", C::NAME),
        Some(Streak::Ended(failures)) => tracing::info!(failures, "writing the last uses of {} works again", C::NAME),
        None => {}
    }
}

/// The counts by the hour. Uses count in the hour of the last one of them, and refusals in the present hour, which is
/// exact to the length of a round.
fn usage<Id: Copy>(taken: &[Taken<Id>], refused: &[(Id, u64)], now: Timestamp) -> Vec<InHour<Id, UsageCounts>> {
    let uses = taken.iter().map(|one| InHour {
        id: one.used.id,
        hour: Hour::of(one.used.at),
        counts: UsageCounts { good: one.uses.into(), limited: one.limited.into(), refused: 0 },
    });
    let refused = refused.iter().map(|(id, times)| InHour {
        id: *id,
        hour: Hour::of(now),
        counts: UsageCounts { refused: *times, ..UsageCounts::default() },
    });
    uses.chain(refused).collect()
}

/// A flush in progress. If the flush fails, or its future is dropped, all of its uses and refusals wait again. Writing
/// a use twice is harmless. Counts count twice if they were stored anyway.
struct Flush<'a, C: Used> {
    uses: &'a Uses<C>,
    refusals: &'a Pending<C::Id, u64>,
    refused: Vec<(C::Id, u64)>,
    is_stored: bool,
}

impl<C: Used> Flush<'_, C> {
    fn succeed(mut self) {
        self.is_stored = true;
    }
}

impl<C: Used> Drop for Flush<'_, C> {
    fn drop(&mut self) {
        self.uses.end_flush(self.is_stored);
        if !self.is_stored {
            self.refusals.add(std::mem::take(&mut self.refused));
        }
    }
}
