/// An error of a driver or a library, kept as the source of a port's error.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

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
