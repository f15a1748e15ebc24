use domain::ports::{BoxError, MigrateError};

/// Why a database is not copied. The target is as it was before, unless the copy is [unconfirmed](Self::Unconfirmed).
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The source lacks migrations of this version.
    #[error("the source lacks {pending} migrations of this version: run `gatepost migrate` on it first")]
    OldSource {
        /// How many migrations are missing.
        pending: usize,
    },
    /// The target has rows.
    #[error("the target is not empty: it has rows in {table}")]
    NotEmpty {
        /// The first table with rows.
        table: &'static str,
    },
    /// Processes use the database.
    #[error("{processes} running processes use the database: stop them first")]
    InUse {
        /// How many processes use it.
        processes: i64,
    },
    /// Another copy writes to the database.
    #[error("another copy writes to the database: wait until it has ended")]
    Copying,
    /// The target has another number of rows than the source.
    #[error("{table} has {copied} rows in the target and {count} in the source")]
    Counts {
        /// The table.
        table: &'static str,
        /// The rows in the source.
        count: i64,
        /// The rows in the target.
        copied: i64,
    },
    /// Everything is copied, and the target did not confirm the end of the copy.
    #[error(
        "everything is copied, but the target did not confirm the end of the copy: start Gatepost on it, and if it says that \
         a copy has not ended, copy again"
    )]
    Unconfirmed(#[source] BoxError),
    /// A process has used the source during the copy.
    #[error("Gatepost was started on the source during the copy, which may lack its changes: stop it, and copy again")]
    StartedAgain,
    /// The other side has stopped, and has the cause.
    #[error("the other database has stopped")]
    CutOff,
    /// The schema cannot be read or migrated.
    #[error(transparent)]
    Schema(#[from] MigrateError),
    /// The database failed.
    #[error("the database failed")]
    Database(#[source] BoxError),
}

impl From<diesel::result::Error> for CopyError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Database(Box::new(error))
    }
}
