use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quick_cache::sync::Cache;

use super::clock::Mark;
use super::digest::KeyDigest;
use super::{Caller, KeyVerifierSettings, Refusal, Verdict};
use crate::ActiveApiKey;

/// What Gatepost said of digests: good keys in one cache, what it refused in another, so that a flood of garbage never
/// pushes a good key out.
pub(super) struct Verdicts {
    good: Cache<KeyDigest, Arc<Good>>,
    refused: Cache<KeyDigest, Refused>,
    max_age: Duration,
    trust_max: Duration,
    refused_max_age: Duration,
}

struct Good {
    caller: Caller,
    /// In seconds since 1970-01-01.
    expires_at: Option<i64>,
    asked_at: Mark,
    /// One request is enough to have it asked for again.
    is_refreshing: AtomicBool,
}

#[derive(Clone)]
struct Refused {
    why: Refusal,
    asked_at: Mark,
    max_age: Duration,
}

/// What the caches say.
pub(super) enum Recall {
    /// It holds.
    Known(Verdict),
    /// It holds, and this request is the one that should have it asked for again.
    Ageing(Caller),
    /// It was good, and holds only while Gatepost cannot be asked.
    Stale(Caller),
    /// Gatepost must be asked.
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

    /// What is known of the digest at `now`.
    pub(super) fn recall(&self, digest: &KeyDigest, now: Mark) -> Recall {
        let Some(good) = self.good.get(digest) else {
            let refused = self.refused.get(digest).filter(|refused| now.since(refused.asked_at) < refused.max_age);
            return refused.map_or(Recall::Unknown, |refused| Recall::Known(Err(refused.why)));
        };
        // Whether it has ended is for Gatepost to say: this machine's clock may be wrong.
        if good.expires_at.is_some_and(|end| now.is_past(end)) {
            return Recall::Unknown;
        }
        let age = now.since(good.asked_at);
        let caller = good.caller.clone();
        if age < self.max_age {
            let is_ageing = age >= self.max_age / 2 && !good.is_refreshing.swap(true, Ordering::Relaxed);
            if is_ageing { Recall::Ageing(caller) } else { Recall::Known(Ok(caller)) }
        } else if age < self.trust_max {
            Recall::Stale(caller)
        } else {
            Recall::Unknown
        }
    }

    /// Whether the digest was a good key's when it was last asked for.
    pub(super) fn was_good(&self, digest: &KeyDigest) -> bool {
        self.good.peek(digest).is_some()
    }

    /// How many digests are remembered, good and refused.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.good.len(), self.refused.len())
    }

    /// Remembers what Gatepost said when it was asked at `asked_at`.
    pub(super) fn remember(&self, digest: KeyDigest, said: Result<ActiveApiKey, Refusal>, asked_at: Mark) -> Verdict {
        match said {
            Ok(key) => {
                let (expires_at, caller) = (key.expires_at_unix_seconds, Caller::of(key));
                let is_refreshing = AtomicBool::new(false);
                self.good
                    .insert(digest, Arc::new(Good { caller: caller.clone(), expires_at, asked_at, is_refreshing }));
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
