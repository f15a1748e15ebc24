use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quick_cache::sync::Cache;

use super::clock::Mark;
use super::digest::CredentialDigest;
use super::{Caller, KeyVerifierSettings, Refusal, Verdict};
use crate::ActiveApiKey;

/// The answers of Gatepost by digest. Valid and refused keys have separate caches, so that a flood of unknown keys
/// never evicts a valid key.
pub(super) struct Verdicts {
    good: Cache<CredentialDigest, Arc<Good>>,
    refused: Cache<CredentialDigest, Refused>,
    max_age: Duration,
    trust_max: Duration,
    refused_max_age: Duration,
}

struct Good {
    caller: Caller,
    /// In seconds since 1970-01-01.
    expires_at: Option<i64>,
    asked_at: Mark,
    /// Set by the request that starts a refresh, so that only one does.
    is_refreshing: AtomicBool,
    /// Set when a call about the key got no answer. The next answer replaces the entry.
    is_unanswered: AtomicBool,
}

#[derive(Clone)]
struct Refused {
    why: Refusal,
    asked_at: Mark,
    max_age: Duration,
}

/// The result of a look-up in the caches.
pub(super) enum Recall {
    /// The verdict holds.
    Known(Verdict),
    /// The verdict holds, and this request should start a refresh.
    Ageing(Caller),
    /// The key was valid. The verdict holds if the call about the key gets no answer.
    Stale(Caller),
    /// The key was valid, and the last call about the key got no answer.
    Unanswered(Caller),
    /// No verdict holds: ask Gatepost.
    Unknown,
}

impl Verdicts {
    pub(super) fn new(settings: &KeyVerifierSettings) -> Self {
        Self {
            good: Cache::new(settings.keys_max),
            refused: Cache::new(settings.refused_max),
            max_age: settings.max_age,
            trust_max: settings.trust_max.max(settings.max_age),
            refused_max_age: settings.refused_max_age,
        }
    }

    /// Looks the digest up, as of `now`.
    pub(super) fn recall(&self, digest: &CredentialDigest, now: Mark) -> Recall {
        let Some(good) = self.good.get(digest) else {
            let refused = self.refused.get(digest).filter(|refused| now.since(refused.asked_at) < refused.max_age);
            return refused.map_or(Recall::Unknown, |refused| Recall::Known(Err(refused.why)));
        };
        // Gatepost decides whether the key has expired, since this machine's clock may be wrong.
        if good.expires_at.is_some_and(|end| now.is_past(end)) {
            return Recall::Unknown;
        }
        let age = now.since(good.asked_at);
        let caller = good.caller.clone();
        if age < self.max_age {
            let is_ageing = age >= self.max_age / 2 && !good.is_refreshing.swap(true, Ordering::Relaxed);
            if is_ageing { Recall::Ageing(caller) } else { Recall::Known(Ok(caller)) }
        } else if age < self.trust_max {
            let is_unanswered = good.is_unanswered.load(Ordering::Relaxed);
            if is_unanswered { Recall::Unanswered(caller) } else { Recall::Stale(caller) }
        } else {
            Recall::Unknown
        }
    }

    /// Notes that a call about the digest got no answer.
    pub(super) fn note_unanswered(&self, digest: &CredentialDigest) {
        if let Some(good) = self.good.peek(digest) {
            good.is_unanswered.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the last answer about the digest was a valid key.
    pub(super) fn was_good(&self, digest: &CredentialDigest) -> bool {
        self.good.peek(digest).is_some()
    }

    /// How many valid and how many refused digests are cached.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.good.len(), self.refused.len())
    }

    /// Caches an answer to a call that was sent at `asked_at`.
    pub(super) fn remember(
        &self,
        digest: CredentialDigest,
        said: Result<ActiveApiKey, Refusal>,
        asked_at: Mark,
    ) -> Verdict {
        match said {
            Ok(key) => {
                let (expires_at, caller) = (key.expires_at_unix_seconds, Caller::of(key));
                let (is_refreshing, is_unanswered) = (AtomicBool::new(false), AtomicBool::new(false));
                let good = Good { caller: caller.clone(), expires_at, asked_at, is_refreshing, is_unanswered };
                self.good.insert(digest, Arc::new(good));
                Ok(caller)
            }
            Err(why) => {
                self.good.remove(&digest);
                let max_age = match why {
                    Refusal::RateLimited { retry_after } => self.refused_max_age.min(retry_after),
                    _ => self.refused_max_age,
                };
                self.refused.insert(digest, Refused { why: why.clone(), asked_at, max_age });
                Err(why)
            }
        }
    }
}
