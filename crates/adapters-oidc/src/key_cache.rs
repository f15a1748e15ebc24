use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::key_set::KeySet;

/// How often the keys are fetched anew while that works.
const REFRESH_EVERY: Duration = Duration::from_mins(10);
/// How soon a failed fetch is tried again: doubled from the one to the other.
const RETRY_AFTER_MIN: Duration = Duration::from_millis(250);
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);
/// Tokens with unknown keys cause one fetch in this time at most.
const DEMAND_EVERY: Duration = Duration::from_secs(30);
/// The longest that a fetch may take, both documents together; so also the longest that a token waits for one.
const FETCH_DEADLINE: Duration = Duration::from_secs(5);

/// Where keys come from.
#[async_trait]
pub(crate) trait KeySource: Send + Sync {
    async fn fetch(&self) -> Result<KeySet, FetchError>;
}

/// The keys could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("the identity provider did not answer")]
    Unreachable(#[source] reqwest::Error),
    #[error("the identity provider answered with status {0}")]
    Status(u16),
    #[error("the identity provider sent more than 1 MiB")]
    TooLarge,
    #[error("the identity provider did not answer within 5 s")]
    TimedOut,
    #[error("the identity provider's answer is unusable: {0}")]
    Malformed(&'static str),
    #[error("no fetch has ended yet")]
    NotYet,
}

/// The keys that are known, and the one task that fetches them.
///
/// Only [`run`](Self::run) fetches: so there is one fetch at a time, its connections live on the runtime of the
/// background task, and a caller who goes away cuts none off. Everybody else reads, or asks and waits.
pub(crate) struct KeyCache {
    source: Box<dyn KeySource>,
    state: watch::Sender<Known>,
}

/// What is known at one time.
#[derive(Clone)]
pub(crate) struct Known {
    /// The keys of the last good fetch, however long ago.
    pub(crate) keys: Arc<KeySet>,
    /// When that was.
    pub(crate) fetched_at: Option<Instant>,
    /// Why the last fetch failed; `None` when it did not.
    pub(crate) failure: Option<Arc<FetchError>>,
    fetches_ended: u64,
    is_under_way: bool,
    is_demanded: bool,
    demand_again_at: Option<Instant>,
}

impl KeyCache {
    pub(crate) fn new(source: Box<dyn KeySource>) -> Self {
        let nothing = Known {
            keys: Arc::new(KeySet::none()),
            fetched_at: None,
            failure: Some(Arc::new(FetchError::NotYet)),
            fetches_ended: 0,
            is_under_way: false,
            is_demanded: false,
            demand_again_at: None,
        };
        Self { source, state: watch::Sender::new(nothing) }
    }

    /// What is known now.
    pub(crate) fn known(&self) -> Known {
        self.state.borrow().clone()
    }

    /// What is known once a fetch has ended that `seen` does not reflect: waits for the one under way, or asks for
    /// one unless that was done within the last 30 s. Takes 5 s at most.
    pub(crate) async fn newer_than(&self, seen: &Known) -> Known {
        if self.is_worth_waiting(seen) {
            let mut state = self.state.subscribe();
            let is_newer = state.wait_for(|known| known.fetches_ended > seen.fetches_ended);
            // Late, or never since nobody fetches any more: what is known then has to do.
            let _ = timeout(FETCH_DEADLINE, is_newer).await;
        }
        self.known()
    }

    fn is_worth_waiting(&self, seen: &Known) -> bool {
        let mut is_worth_waiting = false;
        self.state.send_if_modified(|known| {
            let now = Instant::now();
            // Ended just now, running, or about to: asked for already, or the first of all.
            let is_coming = known.is_under_way || known.is_demanded || known.fetches_ended == 0;
            if known.fetches_ended > seen.fetches_ended || is_coming {
                is_worth_waiting = true;
                return false;
            }
            if known.demand_again_at.is_some_and(|at| now < at) {
                return false;
            }
            known.demand_again_at = Some(now + DEMAND_EVERY);
            known.is_demanded = true;
            is_worth_waiting = true;
            true
        });
        is_worth_waiting
    }

    /// Fetches for ever: now, then every 10 minutes, sooner after a failure or on demand.
    pub(crate) async fn run(&self) {
        let mut demands = self.state.subscribe();
        let mut retry_after = RETRY_AFTER_MIN;
        loop {
            let pause = if self.fetch().await {
                retry_after = RETRY_AFTER_MIN;
                REFRESH_EVERY
            } else {
                let pause = retry_after;
                retry_after = (retry_after * 2).min(RETRY_AFTER_MAX);
                pause
            };
            tokio::select! {
                () = sleep(pause) => {}
                _ = demands.wait_for(|known| known.is_demanded) => {}
            }
        }
    }

    /// Whether the keys could be had.
    async fn fetch(&self) -> bool {
        self.state.send_modify(|known| {
            known.is_under_way = true;
            known.is_demanded = false;
        });
        let outcome = timeout(FETCH_DEADLINE, self.source.fetch()).await.unwrap_or(Err(FetchError::TimedOut));
        let is_good = outcome.is_ok();
        self.state.send_modify(|known| known.take(outcome));
        is_good
    }
}

impl Known {
    fn take(&mut self, outcome: Result<KeySet, FetchError>) {
        self.is_under_way = false;
        self.fetches_ended += 1;
        match outcome {
            Ok(keys) => self.replace(keys),
            Err(failure) => {
                let error: &dyn std::error::Error = &failure;
                tracing::warn!(
                    error,
                    known_keys = self.keys.len(),
                    "the identity provider's keys could not be fetched"
                );
                self.failure = Some(Arc::new(failure));
            }
        }
    }

    fn replace(&mut self, keys: KeySet) {
        self.fetched_at = Some(Instant::now());
        self.failure = None;
        // The same keys stay the same object, and so do the verdicts that rest on it.
        if !self.keys.is_same_document(&keys) {
            tracing::info!(keys = keys.len(), "the identity provider's keys are new");
            self.keys = Arc::new(keys);
        }
    }
}
