use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::clock::Mark;
use super::digest::KeyDigest;
use super::flights::{Flight, Flights, Landing};
use super::health::{Failure, Health};
use super::scopes::Scopes;
use super::verdicts::{Recall, Verdicts};
use super::{Refusal, Verdict};
use crate::{ActiveApiKey, Client, Error, FullKey};

/// The bounds of a [`KeyVerifier`]. The defaults are what its documentation promises.
#[derive(Clone, Copy, Debug)]
pub struct KeyVerifierSettings {
    /// How old an answer of Gatepost may be while Gatepost answers: 1 s. Zero asks each time.
    pub max_age: Duration,
    /// How old one may be while it does not: 5 s. At least `max_age`.
    pub trust_max: Duration,
    /// How long Gatepost may take to answer before it counts as away: 1 s.
    pub call_timeout: Duration,
    /// How long a key that was refused is not asked about again: 1 s.
    pub refused_max_age: Duration,
    /// The most good keys in the cache: 100,000.
    pub keys_max: usize,
    /// The most keys that are remembered to be refused: 20,000.
    pub refused_max: usize,
    /// The most questions under way at a time, of keys that were good before and of others each: 64.
    pub calls_max: usize,
}

impl Default for KeyVerifierSettings {
    fn default() -> Self {
        Self {
            max_age: Duration::from_secs(1),
            trust_max: Duration::from_secs(5),
            call_timeout: Duration::from_secs(1),
            refused_max_age: Duration::from_secs(1),
            keys_max: 100_000,
            refused_max: 20_000,
            calls_max: 64,
        }
    }
}

/// Says whether API keys are good: asks Gatepost, and remembers its answers for a moment. Make one and share it: it is
/// cheap to clone, and clones share what they know.
#[derive(Clone)]
pub struct KeyVerifier(Arc<Inner>);

struct Inner {
    gatepost: Client,
    settings: KeyVerifierSettings,
    verdicts: Verdicts,
    flights: Arc<Flights>,
    health: Health,
    /// Apart, so that a flood of garbage does not keep good keys from being asked about in time.
    calls_for_good: Semaphore,
    calls_for_others: Semaphore,
    /// Where questions are asked: a connection is driven by the runtime that opened it, and web servers have one for
    /// each worker.
    runtime: Handle,
}

impl KeyVerifier {
    /// Asks `gatepost`, whose credential must be an [`OperatorToken`](crate::OperatorToken).
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime. What asks Gatepost lives on the runtime in which this is called: call it in `main`.
    pub fn new(gatepost: Client) -> Self {
        Self::with_settings(gatepost, KeyVerifierSettings::default())
    }

    /// [`KeyVerifier::new`] with other bounds.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn with_settings(gatepost: Client, settings: KeyVerifierSettings) -> Self {
        Self(Arc::new(Inner {
            gatepost,
            settings,
            verdicts: Verdicts::new(&settings),
            flights: Arc::default(),
            health: Health::default(),
            calls_for_good: Semaphore::new(settings.calls_max.max(1)),
            calls_for_others: Semaphore::new(settings.calls_max.max(1)),
            runtime: Handle::current(),
        }))
    }

    /// Whose key `presented` is, if it is good.
    ///
    /// # Errors
    ///
    /// [`Refusal::Invalid`], [`Refusal::RateLimited`] or [`Refusal::Unavailable`].
    pub async fn verify(&self, presented: &str) -> Verdict {
        let Some(digest) = KeyDigest::of_presented(presented) else {
            return Err(Refusal::Invalid);
        };
        match self.0.verdicts.recall(&digest, Mark::now()) {
            Recall::Known(verdict) => verdict,
            Recall::Ageing(caller) => {
                self.refresh(digest, presented);
                Ok(caller)
            }
            Recall::Stale(caller) if self.0.health.is_failing() => {
                self.refresh(digest, presented);
                Ok(caller)
            }
            // Boxed, so that the future of a hit stays small.
            Recall::Stale(_) | Recall::Unknown => Box::pin(self.ask(digest, presented)).await,
        }
    }

    /// How many keys are remembered: good ones, and refused ones.
    pub fn cached(&self) -> (usize, usize) {
        self.0.verdicts.count()
    }

    /// Whether a request passes that came with this key, as [`api_key_in`](super::api_key_in) finds it, where these
    /// scopes are needed. It is all that a middleware asks.
    ///
    /// # Errors
    ///
    /// Says how the request is to be refused.
    pub async fn admit(&self, presented: Result<&str, Refusal>, required: &Scopes) -> Verdict {
        let caller = self.verify(presented?).await?;
        if caller.scopes().covers(required) { Ok(caller) } else { Err(Refusal::MissingScope(required.clone())) }
    }

    /// Has Gatepost asked, and does not wait.
    fn refresh(&self, digest: KeyDigest, presented: &str) {
        if self.0.health.may_retry()
            && let Err(flight) = self.0.flights.join(digest, || None::<()>, |landing| self.flight(landing, presented))
        {
            // Once it is off, it needs nobody to wait for it.
            let _ = flight.now_or_never();
        }
    }

    /// Asks Gatepost, together with all who ask for the same key now.
    async fn ask(&self, digest: KeyDigest, presented: &str) -> Verdict {
        let recall = || match self.0.verdicts.recall(&digest, Mark::now()) {
            Recall::Known(verdict) => Some(verdict),
            Recall::Ageing(caller) => Some(Ok(caller)),
            Recall::Stale(_) | Recall::Unknown => None,
        };
        let flight = match self.0.flights.join(digest, recall, |landing| self.flight(landing, presented)) {
            Ok(known) => return known,
            Err(flight) => flight,
        };
        if let Some(verdict) = flight.await {
            return verdict;
        }
        match self.0.verdicts.recall(&digest, Mark::now()) {
            Recall::Known(verdict) => verdict,
            Recall::Ageing(caller) | Recall::Stale(caller) => Ok(caller),
            Recall::Unknown => Err(Refusal::Unavailable),
        }
    }

    /// A question that is off when it is first polled. Its task goes on when those who wait for it go away.
    fn flight(&self, landing: Landing, presented: &str) -> Flight {
        let (inner, key) = (Arc::clone(&self.0), FullKey::new(presented));
        let runtime = self.0.runtime.clone();
        async move { runtime.spawn(inner.question(landing, key)).await.unwrap_or_default() }.boxed().shared()
    }
}

impl Inner {
    /// Asks, and remembers the answer; `None` when there is none.
    async fn question(self: Arc<Self>, landing: Landing, key: FullKey) -> Option<Verdict> {
        let was_good = self.verdicts.was_good(landing.digest());
        let calls = if was_good { &self.calls_for_good } else { &self.calls_for_others };
        // No permit in time: we are busy, which says nothing of Gatepost.
        let _call = timeout(self.settings.call_timeout, calls.acquire()).await.ok()?.ok()?;
        let asked_at = Mark::now();
        let said = match self.introspect(&key).await {
            Ok(said) => said,
            Err(failure) => {
                self.health.failed(&failure);
                return None;
            }
        };
        self.health.succeeded();
        // Remembered before `landing` is dropped: who finds no flight finds this.
        Some(self.verdicts.remember(*landing.digest(), said, asked_at))
    }

    async fn introspect(&self, key: &FullKey) -> Result<Result<ActiveApiKey, Refusal>, Failure> {
        let limit = self.settings.call_timeout;
        let answer = timeout(limit, self.introspect_persistently(key)).await.map_err(|_| Failure::TooSlow(limit))?;
        match answer {
            Ok(Some(key)) => Ok(Ok(key)),
            Ok(None) => Ok(Err(Refusal::Invalid)),
            Err(error) if error.status() == Some(429) => {
                let retry_after = error.retry_after().unwrap_or_default();
                Ok(Err(Refusal::RateLimited { retry_after }))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A kept connection that Gatepost closes just when we send is no outage: one more try opens another.
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
