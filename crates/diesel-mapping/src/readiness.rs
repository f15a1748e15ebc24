use domain::ports::{BoxError, NotReady};

use crate::KnownMigrations;

/// Changes the one row of `write_probes`: a database that is full, read-only or a standby refuses it.
pub const WRITE_PROBE: &str = "INSERT INTO write_probes (id, writes) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET writes = write_probes.writes + 1";

/// The answer when the probe, or the look at the schema, failed.
pub fn not_writable(error: impl Into<BoxError>) -> NotReady {
    NotReady { summary: "the database does not take writes, or has no schema", source: Some(error.into()) }
}

/// Whether the schema has all that this program knows of.
///
/// More is fine: during a rolling upgrade the new instances have migrated, and the old ones still serve.
///
/// # Errors
///
/// When something is missing.
pub fn schema_is_complete(known: &KnownMigrations, applied: &[String]) -> Result<(), NotReady> {
    if known.are_applied(applied) {
        return Ok(());
    }
    Err(NotReady { summary: "the schema is older than this version: migrate", source: None })
}
