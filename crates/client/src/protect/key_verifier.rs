use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::clock::{Clock, Mark};
use super::digest::CredentialDigest;
use super::flights::{Flight, Flights, Landing};
use super::health::{Failure, Health};
use super::scopes::Scopes;
use super::verdicts::{Recall, Verdicts};
use super::{KeyVerifierSettings, Refusal, Verdict};
use crate::{ActiveApiKey, Client, Error, FullKey};

/// Verifies API keys: asks Gatepost, and caches the answers for a moment. Create one and share it. It is cheap to
/// clone, and clones share the cache. See decision 28.
#[derive(Clone)]
pub struct KeyVerifier(Arc<Inner>);

struct Inner {
    gatepost: Client,
    settings: KeyVerifierSettings,
    verdicts: Verdicts,
    flights: Arc<Flights>,
    health: Health,
    clock: Clock,
    /// Separate limits, so that a flood of unknown keys does not delay calls for valid keys.
    calls_for_good: Semaphore,
    calls_for_others: Semaphore,
    /// The runtime of the calls. A connection belongs to the runtime that opened it, and web servers have one runtime
    /// for each worker.
    runtime: Handle,
}

impl KeyVerifier {
    /// A verifier that asks `gatepost`. Its credential must be an [`OperatorToken`](crate::OperatorToken).
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime. All calls to Gatepost run on the current runtime, so call this function in `main`.
    pub fn new(gatepost: Client) -> Self {
        Self::with_settings(gatepost, KeyVerifierSettings::default())
    }

    /// As [`KeyVerifier::new`], with other limits.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn with_settings(gatepost: Client, settings: KeyVerifierSettings) -> Self {
        Self::with_clock(gatepost, settings, Arc::new(Mark::now))
    }

    pub(super) fn with_clock(gatepost: Client, settings: KeyVerifierSettings, clock: Clock) -> Self {
        Self(Arc::new(Inner {
            gatepost,
            settings,
            verdicts: Verdicts::new(&settings),
            flights: Arc::default(),
            health: Health::default(),
            clock,
            calls_for_good: Semaphore::new(settings.calls_max.max(1)),
            calls_for_others: Semaphore::new(settings.calls_max.max(1)),
            runtime: Handle::current(),
        }))
    }

    /// The owner of the key `presented`, if the key is valid.
    ///
    /// # Errors
    ///
    /// [`Refusal::Invalid`], [`Refusal::RateLimited`] or [`Refusal::Unavailable`].
    pub async fn verify(&self, presented: &str) -> Verdict {
        let Some(digest) = CredentialDigest::of_presented(presented) else {
            return Err(Refusal::Invalid);
        };
        match self.0.verdicts.recall(&digest, (self.0.clock)()) {
            Recall::Known(verdict) => verdict,
            Recall::Ageing(caller) => {
                self.refresh(digest, presented);
                Ok(caller)
            }
            Recall::Unanswered(caller) if self.0.health.is_failing() => {
                self.refresh(digest, presented);
                Ok(caller)
            }
            // Boxed, so that the future of a hit stays small.
            Recall::Stale(_) | Recall::Unanswered(_) | Recall::Unknown => Box::pin(self.ask(digest, presented)).await,
        }
    }

    /// How many valid and how many refused keys are in the cache.
    pub fn cached(&self) -> (usize, usize) {
        self.0.verdicts.count()
    }

    /// Decides whether a request may pass, from its key as [`api_key_in`](super::api_key_in) finds it and the scopes
    /// that it needs. Middleware needs no other method.
    ///
    /// # Errors
    ///
    /// How to refuse the request.
    pub async fn admit(&self, presented: Result<&str, Refusal>, required: &Scopes) -> Verdict {
        let caller = self.verify(presented?).await?;
        if caller.scopes().covers(required) { Ok(caller) } else { Err(Refusal::MissingScope(required.clone())) }
    }

    /// Waits until no call runs.
    #[cfg(test)]
    pub(super) async fn settle(&self) {
        while !self.0.flights.is_empty() {
            tokio::task::yield_now().await;
        }
    }

    /// Starts a call to Gatepost in the background.
    fn refresh(&self, digest: CredentialDigest, presented: &str) {
        if self.0.health.may_retry((self.0.clock)())
            && let Err(flight) = self.0.flights.join(digest, || None::<()>, |landing| self.flight(landing, presented))
        {
            // The first poll starts the call; the call then runs in its own task.
            let _ = flight.now_or_never();
        }
    }

    /// Asks Gatepost, in one call with all other requests for the same key.
    async fn ask(&self, digest: CredentialDigest, presented: &str) -> Verdict {
        let recall = || match self.0.verdicts.recall(&digest, (self.0.clock)()) {
            Recall::Known(verdict) => Some(verdict),
            Recall::Ageing(caller) => Some(Ok(caller)),
            Recall::Stale(_) | Recall::Unanswered(_) | Recall::Unknown => None,
        };
        let flight = match self.0.flights.join(digest, recall, |landing| self.flight(landing, presented)) {
            Ok(known) => return known,
            Err(flight) => flight,
        };
        if let Some(verdict) = flight.await {
            return verdict;
        }
        match self.0.verdicts.recall(&digest, (self.0.clock)()) {
            Recall::Known(verdict) => verdict,
            Recall::Ageing(caller) | Recall::Stale(caller) | Recall::Unanswered(caller) => Ok(caller),
            Recall::Unknown => Err(Refusal::Unavailable),
        }
    }

    /// A call that starts when it is first polled. Its task continues if every waiting request is dropped.
    fn flight(&self, landing: Landing, presented: &str) -> Flight {
        let (inner, key) = (Arc::clone(&self.0), FullKey::new(presented));
        let runtime = self.0.runtime.clone();
        async move { runtime.spawn(inner.question(landing, key)).await.unwrap_or_default() }.boxed().shared()
    }
}

impl Inner {
    /// Asks Gatepost and caches the answer; `None` if there is no answer.
    async fn question(self: Arc<Self>, landing: Landing, key: FullKey) -> Option<Verdict> {
        let was_good = self.verdicts.was_good(landing.digest());
        let calls = if was_good { &self.calls_for_good } else { &self.calls_for_others };
        // No permit in time means that this process is busy, not that Gatepost fails: its health stays unchanged.
        let Ok(Ok(_call)) = timeout(self.settings.call_timeout, calls.acquire()).await else {
            self.verdicts.note_unanswered(landing.digest());
            return None;
        };
        let asked_at = (self.clock)();
        let said = match self.introspect(&key).await {
            Ok(said) => said,
            Err(failure) => {
                self.verdicts.note_unanswered(landing.digest());
                self.health.failed(&failure, (self.clock)());
                return None;
            }
        };
        self.health.succeeded();
        // Cached before `landing` is dropped: a request that finds no flight finds the cached answer.
        Some(self.verdicts.remember(*landing.digest(), said, asked_at))
    }

    async fn introspect(&self, key: &FullKey) -> Result<Result<ActiveApiKey, Refusal>, Failure> {
        let limit = self.settings.call_timeout;
        let answer = timeout(limit, self.introspect_persistently(key)).await.map_err(|_| Failure::TooSlow(limit))?;
        match answer {
            Ok(Some(key)) => Ok(Ok(key)),
            Ok(None) => Ok(Err(Refusal::Invalid)),
            // A proxy also answers 429, which says nothing of the key.
            Err(error) if error.status() == Some(429) && error.code() == Some("rate_limited") => {
                let retry_after = error.retry_after().unwrap_or_default();
                Ok(Err(Refusal::RateLimited { retry_after }))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Tries twice: Gatepost may close a kept connection just as the client sends, and the second try opens a new one.
    async fn introspect_persistently(&self, key: &FullKey) -> Result<Option<ActiveApiKey>, Error> {
        match self.gatepost.introspect(key, &[]).await {
            Err(Error::NoAnswer(_)) => self.gatepost.introspect(key, &[]).await,
            answer => answer,
        }
    }
}

impl fmt::Debug for KeyVerifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeyVerifier").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}
