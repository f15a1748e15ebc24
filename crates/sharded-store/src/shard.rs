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

/// One of the stores, and whether it answers.
pub(crate) struct Shard {
    pub(crate) number: usize,
    pub(crate) store: Store,
    is_down: AtomicBool,
    /// The same for look-ups of credentials alone: a shard that takes no writes, or is slow to list, refuses no key.
    refuses_look_ups: AtomicBool,
    /// Results of attempts that the shard has not taken yet.
    late: Mutex<Vec<Completion>>,
    writing: tokio::sync::Mutex<()>,
}

impl Shard {
    pub(crate) fn new(number: usize, store: Store) -> Arc<Self> {
        Arc::new(Self {
            number,
            store,
            is_down: AtomicBool::new(false),
            refuses_look_ups: AtomicBool::new(false),
            late: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        })
    }

    /// Whether the shard answered the last call for all owners, or has answered since.
    pub(crate) fn answers(&self) -> bool {
        !self.is_down.load(Ordering::Acquire)
    }

    /// Notes that the shard was migrated: calls that found no tables before do not matter any more.
    pub(crate) fn has_answered(&self) {
        self.is_down.store(false, Ordering::Release);
        self.refuses_look_ups.store(false, Ordering::Release);
    }

    /// Makes a part of a call for all owners: fails at once while the shard does not answer, and after [`PART_MAX`]
    /// when it stops answering.
    pub(crate) async fn part<T>(
        self: &Arc<Self>,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        if !self.answers() {
            return Err(self.unavailable());
        }
        let answer = timeout(PART_MAX, call).await.unwrap_or_else(|_| Err(self.unavailable()));
        self.note(answer)
    }

    /// Makes a part of a look-up of credentials: fails at once while the shard does not answer look-ups.
    pub(crate) async fn look_up<T>(
        self: &Arc<Self>,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let in_time = async { timeout(PART_MAX, call).await.unwrap_or_else(|_| Err(self.unavailable())) };
        let answer = self.while_it_answers(in_time).await;
        if let Err(error @ StoreError::Unavailable(_)) = &answer
            && !self.refuses_look_ups.swap(true, Ordering::AcqRel)
        {
            let (shard, error): (_, &dyn std::error::Error) = (self.number, error);
            tracing::warn!(shard, error, "a shard does not answer look-ups of keys and sessions");
            tokio::spawn(Arc::clone(self).look_up_again());
        }
        answer
    }

    /// Makes another call that look-ups need: fails at once while the shard does not answer look-ups.
    pub(crate) async fn while_it_answers<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        if self.refuses_look_ups.load(Ordering::Acquire) { Err(self.unavailable()) } else { call.await }
    }

    /// Tries until the shard answers a look-up.
    async fn look_up_again(self: Arc<Self>) {
        let of_nobody = [CredentialDigest::from_bytes([0; 32])];
        loop {
            sleep(RETRY_INTERVAL).await;
            let look_up = self.store.keys.credentials.find_by_digests(&of_nobody);
            if matches!(timeout(PART_MAX, look_up).await, Ok(Found { failure: None, .. })) {
                break;
            }
        }
        self.refuses_look_ups.store(false, Ordering::Release);
        tracing::info!(shard = self.number, "a shard answers look-ups again");
    }

    /// The same as [`Self::part`] without a time limit, for calls that may take long.
    pub(crate) async fn long_part<T>(
        self: &Arc<Self>,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        if self.answers() { self.note(call.await) } else { Err(self.unavailable()) }
    }

    fn note<T>(self: &Arc<Self>, answer: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error @ StoreError::Unavailable(_)) = &answer
            && !self.is_down.swap(true, Ordering::AcqRel)
        {
            let (shard, error): (_, &dyn std::error::Error) = (self.number, error);
            tracing::warn!(shard, error, "a shard does not answer; its owners get errors, and all others do not");
            tokio::spawn(Arc::clone(self).come_back());
        }
        answer
    }

    /// Tries until the shard answers, and writes the results that wait for it.
    async fn come_back(self: Arc<Self>) {
        loop {
            sleep(RETRY_INTERVAL).await;
            let is_ready = timeout(PART_MAX, self.store.readiness.check()).await;
            if matches!(is_ready, Ok(Ok(()))) && self.write_late().await {
                break;
            }
        }
        self.is_down.store(false, Ordering::Release);
        // The results that came in between.
        self.write_late().await;
        tracing::info!(shard = self.number, "a shard answers again");
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
