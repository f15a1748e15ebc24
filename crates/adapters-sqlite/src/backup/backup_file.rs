use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_mapping::statement;
use domain::ports::MigrateError;

use super::BackupError;
use crate::migrate::{applied_migrations, known_migrations};
use crate::undo::Undo;

#[derive(QueryableByName)]
struct Finding {
    #[diesel(sql_type = Text)]
    integrity_check: String,
}

/// Creates an empty file that only the owner may read.
pub(super) fn create(path: &Path) -> Result<File, BackupError> {
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    created.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => BackupError::Exists(path.to_owned()),
        _ => BackupError::about(path)(error),
    })
}

/// Reads the whole file: it is a database without damage, and this program knows its schema.
pub(super) fn verify(path: &Path) -> Result<(), BackupError> {
    let damaged = |reason: String| BackupError::Damaged { path: path.to_owned(), reason };
    let mut connection = open(path)?;
    connection.batch_execute("PRAGMA query_only = ON").map_err(|error| damaged(error.to_string()))?;
    let findings = statement("PRAGMA integrity_check(1)").load::<Finding>(&mut connection);
    let findings = findings.map_err(|error| damaged(error.to_string()))?;
    if let Some(finding) = findings.into_iter().find(|finding| finding.integrity_check != "ok") {
        return Err(damaged(finding.integrity_check));
    }
    let applied = applied_migrations(&mut connection).map_err(|Undo(error)| damaged(error.to_string()))?;
    if applied.is_empty() {
        return Err(damaged("it has no tables of Gatepost".to_owned()));
    }
    let schema = |source: MigrateError| BackupError::Schema { path: path.to_owned(), source };
    known_migrations().and_then(|known| known.status(&applied)).map(drop).map_err(schema)
}

/// A connection that changes no setting of the file.
pub(super) fn open(path: &Path) -> Result<SqliteConnection, BackupError> {
    let name = path.to_str().ok_or(crate::open_error::OpenError::InvalidPath)?;
    SqliteConnection::establish(name).map_err(|source| BackupError::Connect { path: path.to_owned(), source })
}
