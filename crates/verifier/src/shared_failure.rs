use std::error::Error;
use std::fmt;
use std::sync::Arc;

use domain::ports::StoreError;

/// Returns the same failure for another caller. The source of an error does not implement `Clone`, so it is shared.
pub(crate) fn shared(error: &Arc<StoreError>) -> StoreError {
    match &**error {
        StoreError::Unavailable(_) => StoreError::Unavailable(Box::new(SharedSource(Arc::clone(error)))),
        StoreError::Corrupt { table, column, row } => StoreError::Corrupt { table, column, row: row.clone() },
        StoreError::Duplicate { what } => StoreError::Duplicate { what },
    }
}

/// Displays as the source of the error that it holds.
#[derive(Debug)]
struct SharedSource(Arc<StoreError>);

impl fmt::Display for SharedSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.source().map_or(Ok(()), |source| fmt::Display::fmt(source, formatter))
    }
}

impl Error for SharedSource {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()?.source()
    }
}
