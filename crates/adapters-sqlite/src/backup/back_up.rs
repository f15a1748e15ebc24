use std::fs;
use std::path::{Path, PathBuf};

use diesel::RunQueryDsl;
use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel_mapping::statement;

use super::backup_file::{create, open, verify};
use super::{BackupError, blocking, flush_folder_of, with_ending};
use crate::connection::DatabaseFile;

/// Writes a copy of the database to a new file, and returns the size of the copy in bytes. Processes that serve the
/// database continue. The copy has every change that was answered before the call.
///
/// The copy is written under another name, read again as a whole, and flushed to disk, before it gets its name. Only
/// the owner may read it.
///
/// # Errors
///
/// See [`BackupError`].
pub async fn back_up(database: PathBuf, copy: PathBuf) -> Result<u64, BackupError> {
    blocking(move || back_up_blocking(&database, &copy)).await
}

fn back_up_blocking(database: &Path, copy: &Path) -> Result<u64, BackupError> {
    let Some(file) = DatabaseFile::find(database)? else {
        return Err(BackupError::NoDatabase(database.to_owned()));
    };
    if copy.exists() {
        return Err(BackupError::Exists(copy.to_owned()));
    }
    let partial = std::path::absolute(with_ending(copy, ".partial")).map_err(BackupError::about(copy))?;
    create(&partial).map_err(|error| match error {
        BackupError::Exists(partial) => BackupError::PartialExists(partial),
        error => error,
    })?;
    let written = write(file.path(), &partial).and_then(|bytes| {
        fs::rename(&partial, copy).and_then(|()| flush_folder_of(copy)).map_err(BackupError::about(copy))?;
        Ok(bytes)
    });
    if written.is_err() {
        // If this fails too, the next backup says that the file is in the way.
        let _ = fs::remove_file(&partial);
    }
    written
}

fn write(database: &Path, partial: &Path) -> Result<u64, BackupError> {
    let name = partial.to_str().ok_or(crate::open_error::OpenError::InvalidPath)?;
    let mut connection = open(database)?;
    connection.batch_execute("PRAGMA busy_timeout = 10000").map_err(BackupError::Copy)?;
    let copy = statement("VACUUM INTO ?").bind::<Text, _>(name);
    copy.execute(&mut connection).map_err(BackupError::Copy)?;
    verify(partial)?;
    let file = fs::File::open(partial).map_err(BackupError::about(partial))?;
    let flushed = file.sync_all().and_then(|()| file.metadata());
    Ok(flushed.map_err(BackupError::about(partial))?.len())
}
