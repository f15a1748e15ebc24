/// Any error of an adapter's own, kept as the source of ours.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The store failed. Its text never holds a value that was stored or asked for.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be reached, is overloaded, or did not answer in time. Trying again later may help.
    #[error("the store is unavailable")]
    Unavailable(#[source] BoxError),
    /// A stored value is not what the schema promises.
    #[error("corrupt value in {table}.{column}, row {row}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row's id.
        row: String,
    },
    /// The id or the digest is stored already: a fault of the caller, who minted neither freshly.
    #[error("the {what} is stored already")]
    Duplicate {
        /// "id" or "digest", or both when the store cannot tell.
        what: &'static str,
    },
}
