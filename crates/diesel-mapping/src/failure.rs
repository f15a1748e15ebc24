use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error};
use domain::ports::{BoxError, NotReady, StoreError};

/// Writes the only row of `write_probes`. A full database, a read-only database and a standby refuse the write.
pub const WRITE_PROBE: &str = "INSERT INTO write_probes (id, writes) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET writes = write_probes.writes + 1";

/// The error of a failed statement: a duplicate, a value that cannot be read, or a store that is unavailable.
pub fn store_error(error: Error) -> StoreError {
    match error {
        Error::DatabaseError(DatabaseErrorKind::UniqueViolation, violation) => {
            StoreError::Duplicate { what: duplicate(&*violation) }
        }
        // The driver does not say which table, column or row it could not read.
        Error::DeserializationError(_) => {
            StoreError::Corrupt { table: "unknown", column: "unknown", row: "unknown".into() }
        }
        other => StoreError::Unavailable(Box::new(other)),
    }
}

/// Postgres names the constraint, SQLite the columns in its message.
fn duplicate(violation: &(dyn DatabaseErrorInformation + Send + Sync)) -> &'static str {
    let broken = violation.constraint_name().unwrap_or_else(|| violation.message());
    if broken.contains("digest") { "digest" } else { "id" }
}

/// The reason when the probe, or the check of the schema, fails.
pub fn not_writable(error: impl Into<BoxError>) -> NotReady {
    NotReady { summary: "the database does not take writes, or has no schema", source: Some(error.into()) }
}
