use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection;

use super::backup_file::{create, open, verify};
use super::{BackupError, blocking, flush_folder_of, remove, with_ending};
use crate::connection::DatabaseFile;
use crate::file_lock::give_to_owner_of;

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
    let is_repeated = is_same_file(&replaced, database);
    for name in [&replaced, &with_ending(&replaced, LOG)] {
        if had_data && name.exists() && !is_repeated {
            return Err(BackupError::ReplacedExists(name.clone()));
        }
    }
    let copy = with_ending(database, ".restoring");
    let restored = copy_to(backup, &copy, database).and_then(|()| {
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

fn copy_to(backup: &Path, copy: &Path, database: &Path) -> Result<(), BackupError> {
    // The rest of an interrupted call.
    remove(copy).map_err(BackupError::about(copy))?;
    let mut written = create(copy)?;
    give_to_owner_of(database, &written);
    let copied = File::open(backup).and_then(|mut backup| io::copy(&mut backup, &mut written));
    copied.and_then(|_| written.sync_all()).map_err(BackupError::about(copy))
}

/// Moves the content of the log into the database, gives the database a second name, and removes the log, which would
/// change the restored database. If the process dies, either the old database or the restored one has the name, and each is
/// whole. A call that is repeated finds the second name.
fn set_aside(database: &Path, replaced: &Path, had_data: bool) -> io::Result<()> {
    let log = with_ending(database, LOG);
    if had_data {
        let (safe, kept) = (with_ending(database, ".restoring-wal"), with_ending(replaced, LOG));
        if log.exists() {
            remove(&safe)?;
            fs::hard_link(&log, &safe)?;
        }
        if empty_log(database) {
            remove(&safe)?;
            remove(&kept)?;
        } else if safe.exists() {
            // SQLite cannot read the database. Its log may be of use.
            fs::rename(&safe, &kept)?;
        }
        if !is_same_file(database, replaced) {
            fs::hard_link(database, replaced)?;
        }
        flush_folder_of(replaced)?;
    }
    remove(&log)?;
    remove(&with_ending(database, "-shm"))
}

/// Moves the content of the log into the database. `false` if SQLite cannot read the database, or another program uses it.
/// SQLite would delete the log of an empty file.
fn empty_log(database: &Path) -> bool {
    const EMPTY: &str =
        "PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE); SELECT count(*) FROM sqlite_schema";
    let has_pages = fs::metadata(database).is_ok_and(|file| file.len() > 0);
    let is_read = has_pages && open(database).is_ok_and(|mut connection| connection.batch_execute(EMPTY).is_ok());
    is_read && fs::metadata(with_ending(database, LOG)).map_or(true, |log| log.len() == 0)
}

/// Whether both are names of one file: a killed call has left the second one.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    identity(one).is_some() && identity(one) == identity(other)
}
