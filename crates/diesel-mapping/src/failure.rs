use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error};
use domain::ports::StoreError;

/// What a failed statement means to callers: a key that is stored already, a value that cannot be read, or a store
/// that does not work now.
pub fn store_error(error: Error) -> StoreError {
    match error {
        Error::DatabaseError(DatabaseErrorKind::UniqueViolation, violation) => {
            StoreError::Duplicate { what: duplicate(&*violation) }
        }
        // The driver could not read a value: it names neither table, column nor row.
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
