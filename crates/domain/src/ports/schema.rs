use async_trait::async_trait;

use super::store_error::{BoxError, StoreError};

/// A migration that this program knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStatus {
    /// The name of its folder: 14 digits of a date and a time, an underscore, and words.
    pub name: String,
    /// Whether it is applied to the store.
    pub applied: bool,
}

/// Why the schema cannot be migrated or read.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// A newer program has migrated the store, which this program leaves unchanged.
    #[error("the database has migration {version}, which this version does not know: use the newer version")]
    Newer {
        /// The version of the oldest unknown migration: 14 digits.
        version: String,
    },
    /// Another instance has been migrating for too long.
    #[error("another instance has been migrating for {seconds} s")]
    Busy {
        /// How long this instance has waited for the other.
        seconds: u64,
    },
    /// One migration failed. The migrations before it are applied, unless the store applies all of them in one
    /// transaction.
    #[error("migration {name} failed")]
    Failed {
        /// The name of the migration.
        name: String,
        /// The error of the store.
        #[source]
        source: BoxError,
    },
    /// The store cannot be used as it is set up. Trying again does not help.
    #[error("the database cannot be used")]
    Unusable(#[source] BoxError),
    /// The store does not answer. Trying again later may help.
    #[error("the database is unavailable")]
    Unavailable(#[source] BoxError),
}

impl From<StoreError> for MigrateError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(source) => Self::Unavailable(source),
            error => Self::Unusable(error.into()),
        }
    }
}

/// Brings the schema of a store up to date. A store without a schema keeps the default methods: it has no migrations.
#[async_trait]
pub trait Schema: Send + Sync {
    /// Applies the migrations that the store lacks, oldest first, and returns their names.
    ///
    /// Any number of instances may call this at the same time: each migration is applied once, and the instances that
    /// wait return an empty list.
    async fn migrate(&self) -> Result<Vec<String>, MigrateError> {
        Ok(Vec::new())
    }

    /// Every migration that this program knows, oldest first. Only reads.
    async fn status(&self) -> Result<Vec<MigrationStatus>, MigrateError> {
        Ok(Vec::new())
    }
}
