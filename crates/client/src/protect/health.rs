use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::Error;

/// How long after a failure nothing is asked that nobody waits for.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// Whether Gatepost answers, as of the last time that it was asked. The log hears of each change.
#[derive(Default)]
pub(super) struct Health(Mutex<Option<Instant>>);

/// Why there is no answer that tells anything about a key.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("no answer within {0:?}")]
    TooSlow(Duration),
    #[error(transparent)]
    Refused(#[from] Error),
}

impl Health {
    /// Gatepost answered.
    pub(super) fn succeeded(&self) {
        if self.failed_at().take().is_some() {
            tracing::info!("Gatepost answers again");
        }
    }

    /// Gatepost did not answer, or said nothing about the key.
    pub(super) fn failed(&self, failure: &Failure) {
        if self.failed_at().replace(Instant::now()).is_none() {
            let error: &dyn std::error::Error = failure;
            tracing::warn!(error, "Gatepost cannot be asked about API keys: those known are trusted for a while");
        }
    }

    pub(super) fn is_failing(&self) -> bool {
        self.failed_at().is_some()
    }

    /// Whether it is time to try again beside a request.
    pub(super) fn may_retry(&self) -> bool {
        self.failed_at().is_none_or(|failed_at| failed_at.elapsed() >= RETRY_PAUSE)
    }

    fn failed_at(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
