use domain::ports::{BoxError, NotReady};

use crate::{KnownMigrations, MigrateError};

/// Changes the one row of `write_probes`: a database that is full, read-only or a standby refuses it.
pub const WRITE_PROBE: &str = "INSERT INTO write_probes (id, writes) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET writes = write_probes.writes + 1";

/// The answer when the probe, or the look at the schema, failed.
pub fn not_writable(error: impl Into<BoxError>) -> NotReady {
    NotReady { summary: "the database does not take writes, or has no schema", source: Some(error.into()) }
}

/// Whether the database has exactly the migrations that this program knows.
///
/// # Errors
///
/// When it lacks some, or has others.
pub fn schema_is_known(known: &KnownMigrations, applied: &[String]) -> Result<(), NotReady> {
    match known.status(applied) {
        Ok(status) if status.iter().all(|migration| migration.applied) => Ok(()),
        Ok(_) => Err(NotReady { summary: "the schema is older than this version: migrate", source: None }),
        Err(error @ MigrateError::Newer { .. }) => {
            Err(NotReady { summary: "the schema is newer than this version", source: Some(Box::new(error)) })
        }
        Err(other) => Err(not_writable(other)),
    }
}
