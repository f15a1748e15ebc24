use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection;

use super::backup_file::{create, open, verify};
use super::{BackupError, blocking, flush_folder_of, with_ending};
use crate::connection::DatabaseFile;
use crate::file_lock::give_to_owner_of_folder;

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
        if had_data && name.exists() && !is_same_file(&replaced, database) {
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
    give_to_owner_of_folder(copy).map_err(BackupError::about(copy))?;
    let copied = File::open(backup).and_then(|mut backup| io::copy(&mut backup, &mut written));
    copied.and_then(|_| written.sync_all()).map_err(BackupError::about(copy))
}

/// Gives the database and its log second names, moves the content of the log into the database, and removes the log, which
/// would change the restored database. If the process dies, either the old database or the restored one has the name, and
/// each is whole.
fn set_aside(database: &Path, replaced: &Path, had_data: bool) -> io::Result<()> {
    let log = with_ending(database, LOG);
    if had_data {
        give_second_name(&log, &with_ending(replaced, LOG))?;
        give_second_name(database, replaced)?;
        flush_folder_of(replaced)?;
        // SQLite cannot read a damaged database, whose log is kept under its second name.
        let _ = open(database)
            .map(|mut connection| connection.batch_execute("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(FULL)"));
    }
    remove(&log)?;
    remove(&with_ending(database, "-shm"))
}

/// Renews a name that a killed call has left.
fn give_second_name(file: &Path, name: &Path) -> io::Result<()> {
    if !file.exists() {
        return Ok(());
    }
    remove(name)?;
    fs::hard_link(file, name)
}

/// Whether both are names of one file: a killed call has left the second one.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    identity(one).is_some() && identity(one) == identity(other)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
