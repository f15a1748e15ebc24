//! What the SQL adapters share: one schema for both back ends, the types of its columns, rows, query fragments, and
//! how failures and migrations are told.
//!
//! One `table!` serves Postgres and SQLite, because the one type that differs, [`sql_types::Instant`], is our own and
//! says what it is in each. Statements that both run are built here once; what only one can say stays in its adapter.

mod failure;
mod instant;
mod kept;
pub mod keys;
mod migrations;
mod readiness;
pub mod schema;
pub mod webhooks;

pub use failure::store_error;
pub use instant::StoredInstant;
pub use kept::Kept;
pub use migrations::{KnownMigrations, MigrationUndone, apply_pending};
pub use readiness::{WRITE_PROBE, not_writable, schema_is_complete};

/// SQL types that diesel does not have.
pub mod sql_types {
    pub use crate::instant::Instant;
}
