use std::time::Duration;

use domain::ports::StoreError;

/// The longest that a call may take before its caller is told that the store is unavailable. Callers of the HTTP API
/// are promised an answer within 5 s.
pub(crate) const DEADLINE: Duration = Duration::from_secs(4);

/// How long a statement waits for another process that writes to the same file. Half of [`DEADLINE`], so that a call
/// that queued behind one that waited in vain has its own chance.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// The call's answer, or that it took too long.
pub(crate) async fn within_deadline<T>(call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    tokio::time::timeout(DEADLINE, call).await.unwrap_or_else(|_| Err(unavailable("SQLite did not answer in time")))
}

/// The store is unavailable, because of `reason`.
pub(crate) fn unavailable(reason: &'static str) -> StoreError {
    StoreError::Unavailable(reason.into())
}
