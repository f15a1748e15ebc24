use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use crate::key_set::KeySet;

/// How often the keys are fetched while fetches succeed.
const REFRESH_EVERY: Duration = Duration::from_mins(10);
/// The wait after a failed fetch, doubled from the first to the second.
const RETRY_AFTER_MIN: Duration = Duration::from_millis(250);
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);
/// Tokens with unknown keys cause at most one fetch in this time.
const DEMAND_EVERY: Duration = Duration::from_secs(30);
/// The limit of a fetch of both documents, and so of the time that a token waits for one.
pub(crate) const FETCH_DEADLINE: Duration = Duration::from_secs(5);

/// Fetches keys.
#[async_trait]
pub(crate) trait KeySource: Send + Sync {
    async fn fetch(&self) -> Result<KeySet, FetchError>;
}

/// Why the keys of the provider are not available.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("no answer from {url}")]
    Unreachable { url: Url, source: reqwest::Error },
    #[error("{url} answered with status {status}")]
    Status { url: Url, status: u16 },
    #[error("cannot set up TLS for the identity provider")]
    NoClient(#[source] reqwest::Error),
    #[error("cannot set up TLS for the identity provider")]
    NoTls(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the provider's issuer is {found:?}, but the configured issuer is {configured:?}")]
    OtherIssuer { configured: String, found: String },
    #[error("the identity provider sent more than 1 MiB")]
    TooLarge,
    #[error("the identity provider did not answer within 5 s")]
    TimedOut,
    #[error("the identity provider's answer is unusable: {0}")]
    Malformed(&'static str),
    #[error("the first fetch of the keys has not ended yet")]
    NotYet,
    #[error("the identity provider publishes no usable key")]
    NoUsableKey,
    #[error("the discovery document names no {0} that is https")]
    NoEndpoint(&'static str),
    #[error("the token endpoint refuses the client id or the client secret: {0}")]
    ClientRefused(&'static str),
    #[error("the token endpoint gets {0} sign-ins at a time, and none ended within 2 s")]
    TooManyExchanges(usize),
    #[error("the call of the token endpoint was aborted")]
    Aborted(#[source] tokio::task::JoinError),
    #[error("the key is unknown, and the last request to the identity provider is less than 30 s ago")]
    AskedRecently,
}

/// The known keys, and the one task that fetches them.
///
/// Only [`run`](Self::run) fetches. So one fetch runs at a time, its connections live on the runtime of the background
/// task, and a caller that is dropped aborts no fetch. All others read the cache, or request a fetch and wait for it.
pub(crate) struct KeyCache {
    source: Box<dyn KeySource>,
    state: watch::Sender<Known>,
}

/// The state of the cache at one time.
#[derive(Clone)]
pub(crate) struct Known {
    /// The keys of the last successful fetch, however long ago.
    pub(crate) keys: Arc<KeySet>,
    /// When the last successful fetch ended.
    pub(crate) fetched_at: Option<Instant>,
    /// Why the last fetch failed; `None` if it succeeded.
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

    /// The current state.
    pub(crate) fn known(&self) -> Known {
        self.state.borrow().clone()
    }

    /// The state as soon as the first fetch has ended, or after this time.
    pub(crate) async fn known_within(&self, max: Duration) -> Known {
        let mut state = self.state.subscribe();
        let _ = timeout(max, state.wait_for(|known| known.fetches_ended > 0)).await;
        self.known()
    }

    /// The state after a fetch that `seen` does not include; `None` if there was none. Waits for the running fetch, or
    /// requests one, unless one was requested within the last 30 s. Takes 5 s at most.
    pub(crate) async fn newer_than(&self, seen: &Known) -> Option<Known> {
        if self.is_worth_waiting(seen) {
            let mut state = self.state.subscribe();
            let is_newer = state.wait_for(|known| known.fetches_ended > seen.fetches_ended);
            // A fetch that is late, or that never runs because the task has ended, does not count.
            let _ = timeout(FETCH_DEADLINE, is_newer).await;
        }
        Some(self.known()).filter(|known| known.fetches_ended > seen.fetches_ended)
    }

    fn is_worth_waiting(&self, seen: &Known) -> bool {
        let mut is_worth_waiting = false;
        self.state.send_if_modified(|known| {
            let now = Instant::now();
            // A fetch ended just now, is running, or will run: it was requested, or is the very first.
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

    /// Fetches without end: now, then every 10 minutes, and sooner after a failure or on demand.
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

    /// Whether the fetch succeeded.
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
                    "cannot fetch the keys of the identity provider, retrying"
                );
                self.failure = Some(Arc::new(failure));
            }
        }
    }

    fn replace(&mut self, keys: KeySet) {
        self.fetched_at = Some(Instant::now());
        self.failure = None;
        // The same document keeps the same object, so the verdicts that depend on it stay valid.
        if !self.keys.is_same_document(&keys) {
            tracing::info!(keys = keys.len(), "the identity provider published new keys");
            self.keys = Arc::new(keys);
        }
    }
}
