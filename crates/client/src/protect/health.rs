use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::clock::Mark;
use crate::Error;

/// How long after a failure no background refresh starts.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// Whether the last call to Gatepost succeeded. Each change is logged.
#[derive(Default)]
pub(super) struct Health(Mutex<Option<Mark>>);

/// Why a call gave no information about a key.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("no answer within {0:?}")]
    TooSlow(Duration),
    #[error(transparent)]
    Refused(#[from] Error),
}

impl Health {
    /// Records an answer.
    pub(super) fn succeeded(&self) {
        if self.failed_at().take().is_some() {
            tracing::info!("Gatepost answers again");
        }
    }

    /// Records a call without an answer, or with an error.
    pub(super) fn failed(&self, failure: &Failure, now: Mark) {
        if self.failed_at().replace(now).is_none() {
            let error: &dyn std::error::Error = failure;
            tracing::warn!(error, "Gatepost does not answer; cached API keys stay valid for a few seconds");
        }
    }

    pub(super) fn is_failing(&self) -> bool {
        self.failed_at().is_some()
    }

    /// Whether a background refresh may start.
    pub(super) fn may_retry(&self, now: Mark) -> bool {
        self.failed_at().is_none_or(|failed_at| now.since(failed_at) >= RETRY_PAUSE)
    }

    fn failed_at(&self) -> MutexGuard<'_, Option<Mark>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
