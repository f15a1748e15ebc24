use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::backup_file::{create, verify};
use super::{BackupError, blocking, flush_folder_of, with_ending};
use crate::connection::DatabaseFile;

/// The ending of the name of a replaced database.
const REPLACED: &str = ".replaced";
/// SQLite's log next to a database.
const LOG: &str = "-wal";

/// Makes a backup the database, which no process may use. With `replace`, an existing database is kept under another
/// name, which is returned; otherwise it is an error.
///
/// # Errors
///
/// See [`BackupError`].
pub async fn restore(backup: PathBuf, database: PathBuf, replace: bool) -> Result<Option<PathBuf>, BackupError> {
    blocking(move || restore_blocking(&backup, &database, replace)).await
}

fn restore_blocking(backup: &Path, database: &Path, replace: bool) -> Result<Option<PathBuf>, BackupError> {
    if !backup.exists() {
        return Err(BackupError::NoBackup(backup.to_owned()));
    }
    verify(backup)?;
    let had_data = has_data(database);
    if had_data && !replace {
        return Err(BackupError::Exists(database.to_owned()));
    }
    let file = DatabaseFile::create(database)?;
    let _lock = file.lock()?;
    let database = file.path();
    let replaced = with_ending(database, REPLACED);
    for name in [&replaced, &with_ending(&replaced, LOG)] {
        if had_data && name.exists() {
            return Err(BackupError::Exists(name.clone()));
        }
    }
    let copy = with_ending(database, ".restoring");
    let restored = copy_to(backup, &copy).and_then(|()| {
        set_aside(database, &replaced, had_data).map_err(BackupError::about(&replaced))?;
        fs::rename(&copy, database).and_then(|()| flush_folder_of(database)).map_err(BackupError::about(database))
    });
    if restored.is_err() {
        let _ = fs::remove_file(&copy);
    }
    restored.map(|()| had_data.then_some(replaced))
}

/// A process that was started and stopped leaves an empty file.
fn has_data(database: &Path) -> bool {
    let has_bytes = |path: &Path| fs::metadata(path).is_ok_and(|file| file.len() > 0);
    has_bytes(database) || has_bytes(&with_ending(database, LOG))
}

fn copy_to(backup: &Path, copy: &Path) -> Result<(), BackupError> {
    // The rest of an interrupted call.
    remove(copy).map_err(BackupError::about(copy))?;
    let mut written = create(copy)?;
    let copied = File::open(backup).and_then(|mut backup| io::copy(&mut backup, &mut written));
    copied.and_then(|_| written.sync_all()).map_err(BackupError::about(copy))
}

/// Moves the log first: a database without its log is an older one, but the log of another database would change it.
fn set_aside(database: &Path, replaced: &Path, had_data: bool) -> io::Result<()> {
    let log = with_ending(database, LOG);
    if had_data {
        if log.exists() {
            fs::rename(&log, with_ending(replaced, LOG))?;
        }
        fs::rename(database, replaced)?;
    }
    remove(&log)?;
    remove(&with_ending(database, "-shm"))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
