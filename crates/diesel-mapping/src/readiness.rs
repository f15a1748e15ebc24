use domain::ports::{BoxError, NotReady};

use crate::KnownMigrations;

/// Writes the only row of `write_probes`. A full database, a read-only database and a standby refuse the write.
pub const WRITE_PROBE: &str = "INSERT INTO write_probes (id, writes) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET writes = write_probes.writes + 1";

/// The reason when the probe, or the check of the schema, fails.
pub fn not_writable(error: impl Into<BoxError>) -> NotReady {
    NotReady { summary: "the database does not take writes, or has no schema", source: Some(error.into()) }
}

/// Checks that the schema has every migration of this version.
///
/// The schema may have more: during a rolling upgrade new instances migrate while old instances still serve.
///
/// # Errors
///
/// When a migration is missing.
pub fn schema_is_complete(known: &KnownMigrations, applied: &[String]) -> Result<(), NotReady> {
    if known.are_applied(applied) {
        return Ok(());
    }
    Err(NotReady { summary: "the schema is older than this version: migrate", source: None })
}
