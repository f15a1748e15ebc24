//! Copies of the database file, made while a process serves it, and restored. See decision 75.

mod back_up;
mod backup_error;
mod backup_file;
mod mark;
mod restore;

pub use back_up::back_up;
pub use backup_error::BackupError;
pub use mark::{last_backup, note_backup};
pub use restore::restore;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Does file work on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, BackupError> {
    let done = tokio::task::spawn_blocking(work);
    done.await.unwrap_or_else(|cut_off| Err(BackupError::Thread(cut_off.into())))
}

/// The path with an ending after its file name.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// Makes the names in the folder of this file durable.
fn flush_folder_of(path: &Path) -> io::Result<()> {
    let path = std::path::absolute(path)?;
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Removes the file, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
