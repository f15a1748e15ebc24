use std::time::Duration;

use domain::ports::StoreError;

/// How long a call may take before it fails as unavailable. Callers of the HTTP API get an answer within 5 s.
pub(crate) const DEADLINE: Duration = Duration::from_secs(4);

/// How long a statement waits for another program that writes to the same file. Half of [`DEADLINE`], so that a call that
/// was queued behind a statement that timed out still has time for its own.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// The result of the call, or an error when the call takes longer than [`DEADLINE`].
pub(crate) async fn within_deadline<T>(call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    tokio::time::timeout(DEADLINE, call).await.unwrap_or_else(|_| Err(unavailable("SQLite did not answer in time")))
}

/// The error of a store that is unavailable, with the reason for the log.
pub(crate) fn unavailable(reason: &'static str) -> StoreError {
    StoreError::Unavailable(reason.into())
}
