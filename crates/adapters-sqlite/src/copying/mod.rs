//! Copies all rows to or from another database. See decision 84.

mod export;
mod import;

use diesel_mapping::copying::CopyError;

/// Does the work on a thread that may block.
async fn blocking(work: impl FnOnce() -> Result<(), CopyError> + Send + 'static) -> Result<(), CopyError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|cut_off| Err(CopyError::Database(Box::new(cut_off))))
}
