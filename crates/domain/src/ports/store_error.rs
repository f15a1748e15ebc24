use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// An error of a driver or a library, kept as the source of a port's error.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The store failed. The message never contains a value that was stored or requested.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store does not answer, is overloaded, or did not answer in time. Trying again later may help.
    #[error("the store is unavailable")]
    Unavailable(#[source] BoxError),
    /// A stored value does not fit the schema.
    #[error("corrupt value in {table}.{column}, row {row}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row's id.
        row: String,
    },
    /// The id or the digest is stored already: the caller has not minted a fresh one.
    #[error("the {what} is stored already")]
    Duplicate {
        /// "id", "digest", or "id or digest" if the store does not know which.
        what: &'static str,
    },
}

impl StoreError {
    /// The same error for another caller of one failed operation. The source of an error does not implement `Clone`, so
    /// the callers share it.
    pub fn for_another(error: &Arc<Self>) -> Self {
        match &**error {
            Self::Unavailable(_) => Self::Unavailable(Box::new(SharedSource(Arc::clone(error)))),
            Self::Corrupt { table, column, row } => Self::Corrupt { table, column, row: row.clone() },
            Self::Duplicate { what } => Self::Duplicate { what },
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The errors from the outer one to the cause.
    fn chain(error: &StoreError) -> Vec<String> {
        std::iter::successors(Some(error as &dyn Error), |error| (**error).source()).map(ToString::to_string).collect()
    }

    #[test]
    fn another_caller_gets_the_same_chain() {
        let pool = StoreError::Unavailable(Box::new(StoreError::Unavailable("refused".into())));
        for error in [
            pool,
            StoreError::Corrupt { table: "api_keys", column: "owner", row: "7".to_owned() },
            StoreError::Duplicate { what: "id" },
        ] {
            let first = Arc::new(error);
            let second = Arc::new(StoreError::for_another(&first));
            assert_eq!(chain(&second), chain(&first));
            assert_eq!(chain(&StoreError::for_another(&second)), chain(&first));
        }
    }
}
