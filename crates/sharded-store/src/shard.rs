use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::CredentialDigest;
use domain::ports::{BoxError, Completion, Found, Store, StoreError};
use tokio::time::{sleep, timeout};

/// The longest time that a call for all owners waits for one shard.
const PART_MAX: Duration = Duration::from_secs(2);
/// How often a shard that does not answer is tried again.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// The most results of attempts that wait for a shard. The deliveries of further ones are sent again.
const LATE_MAX: usize = 10_000;
/// The most results that are written at a time.
const LATE_BATCH_MAX: usize = 500;

/// The kinds of calls of which a shard may answer one alone. Look-ups of credentials only read, so a shard that takes no
/// writes, or is slow to list, still verifies keys.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Call,
    LookUp,
}

/// One of the stores, and whether it answers.
pub(crate) struct Shard {
    pub(crate) number: usize,
    pub(crate) store: Store,
    /// For each [`Kind`].
    is_down: [AtomicBool; 2],
    /// Results of attempts that the shard has not taken yet.
    late: Mutex<Vec<Completion>>,
    writing: tokio::sync::Mutex<()>,
}

impl Shard {
    pub(crate) fn new(number: usize, store: Store) -> Arc<Self> {
        Arc::new(Self {
            number,
            store,
            is_down: Default::default(),
            late: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        })
    }

    /// Whether the shard answered the last call for all owners, or has answered since.
    pub(crate) fn answers(&self) -> bool {
        !self.is_down(Kind::Call).load(Ordering::Acquire)
    }

    /// Notes that the shard was migrated: calls that found no tables before do not matter any more.
    pub(crate) fn has_answered(&self) {
        self.is_down.iter().for_each(|mark| mark.store(false, Ordering::Release));
    }

    fn is_down(&self, kind: Kind) -> &AtomicBool {
        &self.is_down[kind as usize]
    }

    /// Makes a part of a call for all owners: fails at once while the shard does not answer, and after [`PART_MAX`]
    /// when it stops answering.
    pub(crate) async fn part<T>(
        self: &Arc<Self>,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.noted(Kind::Call, self.in_time(call)).await
    }

    /// The same for a look-up of credentials.
    pub(crate) async fn look_up<T>(
        self: &Arc<Self>,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.noted(Kind::LookUp, self.in_time(call)).await
    }

    /// [`Self::part`] without a time limit, for calls that may take long.
    pub(crate) async fn long_part<T>(
        self: &Arc<Self>,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.noted(Kind::Call, call).await
    }

    /// Makes another call that look-ups need: fails at once while the shard does not answer look-ups.
    pub(crate) async fn while_it_answers<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        if self.is_down(Kind::LookUp).load(Ordering::Acquire) { Err(self.unavailable()) } else { call.await }
    }

    async fn in_time<T>(&self, call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        timeout(PART_MAX, call).await.unwrap_or_else(|_| Err(self.unavailable()))
    }

    async fn noted<T>(
        self: &Arc<Self>,
        kind: Kind,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        if self.is_down(kind).load(Ordering::Acquire) {
            return Err(self.unavailable());
        }
        let answer = call.await;
        if let Err(error @ StoreError::Unavailable(_)) = &answer
            && !self.is_down(kind).swap(true, Ordering::AcqRel)
        {
            let (shard, error): (_, &dyn std::error::Error) = (self.number, error);
            tracing::warn!(
                shard,
                ?kind,
                error,
                "a shard does not answer; its owners get errors, and all others do not"
            );
            tokio::spawn(Arc::clone(self).come_back(kind));
        }
        answer
    }

    /// Tries until the shard answers such calls.
    async fn come_back(self: Arc<Self>, kind: Kind) {
        loop {
            sleep(RETRY_INTERVAL).await;
            if self.is_back(kind).await {
                break;
            }
        }
        self.is_down(kind).store(false, Ordering::Release);
        if matches!(kind, Kind::Call) {
            // The results that came in between.
            self.write_late().await;
        }
        tracing::info!(shard = self.number, ?kind, "a shard answers again");
    }

    /// Whether the shard answers such calls. Writes the results that wait for it before it takes other calls.
    async fn is_back(&self, kind: Kind) -> bool {
        match kind {
            Kind::Call => {
                let is_ready = timeout(PART_MAX, self.store.readiness.check()).await;
                matches!(is_ready, Ok(Ok(()))) && self.write_late().await
            }
            Kind::LookUp => {
                let unknown = [CredentialDigest::from_bytes([0; 32])];
                let look_up = timeout(PART_MAX, self.store.keys.credentials.find_by_digests(&unknown)).await;
                matches!(look_up, Ok(Found { failure: None, .. }))
            }
        }
    }

    /// Keeps results until the shard answers. The delivery of a dropped result is sent again.
    pub(crate) fn keep(self: &Arc<Self>, completions: impl IntoIterator<Item = Completion>) {
        let mut late = self.late();
        late.extend(completions);
        late.truncate(LATE_MAX);
        drop(late);
        if self.answers() {
            // The shard answers again by now.
            let shard = Arc::clone(self);
            tokio::spawn(async move { shard.write_late().await });
        }
    }

    /// Writes the kept results, and returns whether the shard answered.
    async fn write_late(&self) -> bool {
        let _one_at_a_time = self.writing.lock().await;
        loop {
            let batch: Vec<Completion> = self.late().iter().take(LATE_BATCH_MAX).cloned().collect();
            if batch.is_empty() {
                return true;
            }
            match timeout(PART_MAX, self.store.queue.complete(&batch)).await {
                Ok(Ok(_)) => {}
                Err(_) | Ok(Err(StoreError::Unavailable(_))) => return false,
                Ok(Err(error)) => {
                    let (shard, error): (_, &dyn std::error::Error) = (self.number, &error);
                    tracing::warn!(shard, error, "a shard refused late results of attempts, which are sent again");
                }
            }
            self.late().drain(..batch.len());
        }
    }

    fn late(&self) -> MutexGuard<'_, Vec<Completion>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unavailable(&self) -> StoreError {
        StoreError::Unavailable(BoxError::from(format!("shard {} does not answer", self.number)))
    }
}
