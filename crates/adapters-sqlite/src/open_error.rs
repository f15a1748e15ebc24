use std::io;
use std::path::PathBuf;

use diesel::ConnectionError;

/// Why the database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// SQLite takes only paths that are valid UTF-8.
    #[error("the path of the database is not valid UTF-8")]
    InvalidPath,
    /// The file or its folder cannot be created.
    #[error("{} cannot be created", path.display())]
    Create {
        /// The database file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The lock file next to the database cannot be written, or its file system has no locks.
    #[error("cannot lock {}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// Another process has opened the database.
    #[error(
        "{} is using it, and one process at a time may use a SQLite file",
        process.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"))
    )]
    InUse {
        /// Its id, unless it has not written it down yet.
        process: Option<u32>,
    },
    /// SQLite cannot open the file, or the file is not a database.
    #[error("SQLite cannot open the database")]
    Connect(#[source] ConnectionError),
    /// The operating system does not start a thread for the writer.
    #[error("cannot start the writer thread")]
    Thread(#[source] io::Error),
}
