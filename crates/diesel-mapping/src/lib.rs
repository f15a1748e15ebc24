//! The parts that both SQL adapters share: the schema, column types, rows, query fragments, errors and migrations.
//!
//! One `table!` serves Postgres and SQLite, because only [`sql_types::Instant`] differs, and it implements both. A
//! statement that both adapters run is built here; a statement of one database is in its adapter.

pub mod audit;
mod bound;
pub mod catalogue;
pub mod copying;
mod digest_row;
mod failure;
mod hour_row;
mod instant;
mod kept;
pub mod keys;
mod migrations;
pub mod owners;
mod place;
mod rows;
pub mod schema;
pub mod sessions;
pub mod webhooks;

pub use bound::{Bind, bound, purge};
pub use digest_row::{DigestRow, digests_of, ids_of, stored_digest};
pub use failure::{WRITE_PROBE, not_writable, store_error};
pub use hour_row::{CountsTable, HourRow, KEY_USAGE, SUBSCRIPTION_OUTCOMES, stored_count};
pub use instant::StoredInstant;
pub use kept::{Kept, owner_statement, statement};
pub use migrations::{KnownMigrations, MigrationUndone, apply_pending, schema_is_complete};
pub use place::Place;
pub use rows::{Columns, CountRow, IdRow, columns_of, values_of};

/// SQL types that diesel does not provide.
pub mod sql_types {
    pub use crate::instant::Instant;
}
