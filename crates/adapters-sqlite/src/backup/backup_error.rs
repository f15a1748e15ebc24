use std::io;
use std::path::PathBuf;

use diesel::ConnectionError;
use diesel::result::Error;
use domain::ports::MigrateError;

use crate::open_error::OpenError;

/// Why a backup or a restore failed. The database has not changed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database to back up does not exist.
    #[error("the database {} does not exist", .0.display())]
    NoDatabase(PathBuf),
    /// The backup to restore does not exist.
    #[error("the backup {} does not exist", .0.display())]
    NoBackup(PathBuf),
    /// The file to write exists already.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The place of the replaced database is taken.
    #[error("{} exists already: an earlier restore has finished, and kept the old database; move it away first", .0.display())]
    ReplacedExists(PathBuf),
    /// The unfinished copy of another backup is in the way.
    #[error("{} exists already: another backup is writing it, or was killed; if none is running, delete it", .0.display())]
    PartialExists(PathBuf),
    /// The file is not a database, or is damaged.
    #[error("{} is not a whole database: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first finding of SQLite.
        reason: String,
    },
    /// The backup has no schema of Gatepost, or a newer one than this program.
    #[error("this program cannot use the schema of {}", path.display())]
    Schema {
        /// The backup.
        path: PathBuf,
        /// The problem of its migrations.
        #[source]
        source: MigrateError,
    },
    /// A file cannot be read or written.
    #[error("cannot use {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The database cannot be opened, or another process uses it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// SQLite cannot open a file.
    #[error("SQLite cannot open {}", path.display())]
    Connect {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        #[source]
        source: ConnectionError,
    },
    /// SQLite cannot write the copy.
    #[error("SQLite cannot copy the database")]
    Copy(#[source] Error),
    /// The operating system ended the work.
    #[error("the work was cut off")]
    Thread(#[source] io::Error),
}

impl BackupError {
    /// The error about this file.
    pub(super) fn about(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}
