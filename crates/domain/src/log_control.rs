use std::sync::Arc;

use crate::audit::{Audit, FieldChange, Origin};
use crate::ports::{InvalidLogFilter, LogFilters, StoreError};

/// Lets operators see and change the log filter of this instance. See decision 99.
#[derive(Clone)]
pub struct LogControl {
    filters: Arc<dyn LogFilters>,
    audit: Audit,
}

/// Why the filter of the log did not change.
#[derive(Debug, thiserror::Error)]
pub enum ChangeLogError {
    /// The text is not a filter.
    #[error(transparent)]
    Invalid(#[from] InvalidLogFilter),
    /// The text is longer than [`LogControl::FILTER_LENGTH_MAX`].
    #[error("must have at most {} characters", LogControl::FILTER_LENGTH_MAX)]
    TooLong,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl LogControl {
    /// The longest filter that can be chosen, in characters: the audit log has it as a whole.
    pub const FILTER_LENGTH_MAX: usize = FieldChange::LENGTH_MAX;

    /// Controls the log behind this port.
    pub fn new(filters: Arc<dyn LogFilters>, audit: Audit) -> Self {
        Self { filters, audit }
    }

    /// The filter that applies.
    pub fn filter(&self) -> String {
        self.filters.present()
    }

    /// Records another filter in the audit log, and then applies it. Returns the previous one.
    ///
    /// # Errors
    ///
    /// See [`ChangeLogError`]. The filter has not changed then.
    pub async fn change(&self, filter: &str, origin: &Origin) -> Result<String, ChangeLogError> {
        if filter.chars().count() > Self::FILTER_LENGTH_MAX {
            return Err(ChangeLogError::TooLong);
        }
        let apply = self.filters.parse(filter)?;
        let before = self.filters.present();
        self.audit.record_log_filter(&before, filter, origin).await?;
        apply();
        Ok(before)
    }
}
