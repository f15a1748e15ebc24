use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::result::Error;
use diesel::{Connection, ConnectionError, QueryResult, SqliteConnection};
use domain::ports::StoreError;

use crate::file_lock::{FileLock, give_to_owner_of};
use crate::open_error::OpenError;

/// How long a call may take before it fails as unavailable. Callers of the HTTP API get an answer within 5 s.
pub(crate) const DEADLINE: Duration = Duration::from_secs(4);

/// How long a statement waits for another program that writes to the same file. Half of [`DEADLINE`], so that a call that
/// was queued behind a statement that timed out still has time for its own.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait before the next attempt to set up a new file.
const LOCK_POLL: Duration = Duration::from_millis(10);

/// The canonical path of the database file. It is absolute, so that SQLite never reads the name as a URI or as
/// `:memory:`.
#[derive(Clone, Debug)]
pub(crate) struct DatabaseFile(String);

impl DatabaseFile {
    /// Creates the file and the folders above it if they do not exist. Only the owner may read them. SQLite gives its
    /// other files (`-wal`, `-shm`) the same mode.
    pub(crate) fn create(path: &Path) -> Result<Self, OpenError> {
        Self::create_at(path).map_err(|source| OpenError::Create { path: path.to_owned(), source })?.try_into()
    }

    fn create_at(path: &Path) -> io::Result<PathBuf> {
        let path = std::path::absolute(path)?;
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        // Do not open a file that exists: closing it would release the locks that SQLite has on it in this process.
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::create_target(&path)?,
            created => give_to_owner_of(path.parent().unwrap_or(&path), &created?),
        }
        path.canonicalize()
    }

    /// Creates the file that a symbolic link leads to, if it does not exist.
    fn create_target(path: &Path) -> io::Result<()> {
        if !path.exists() {
            OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
        }
        Ok(())
    }

    /// The file, if it exists.
    pub(crate) fn find(path: &Path) -> Result<Option<Self>, OpenError> {
        match path.canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(OpenError::Create { path: path.to_owned(), source }),
            Ok(path) => path.try_into().map(Some),
        }
    }

    /// Keeps other processes from opening the database.
    pub(crate) fn lock(&self) -> Result<FileLock, OpenError> {
        FileLock::take(self.path())
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// A connection that may write.
    pub(crate) fn connect(&self) -> Result<SqliteConnection, ConnectionError> {
        let mut connection = SqliteConnection::establish(&self.0)?;
        let settings = connection.batch_execute(&pragmas()).and_then(|()| use_write_ahead_log(&mut connection));
        settings.map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }

    /// The size of the write-ahead log in bytes.
    pub(crate) fn wal_bytes(&self) -> Option<u64> {
        std::fs::metadata(format!("{}-wal", self.0)).ok().map(|file| file.len())
    }

    /// A connection that refuses to write.
    pub(crate) fn connect_reader(&self) -> Result<SqliteConnection, ConnectionError> {
        let mut connection = self.connect()?;
        connection.batch_execute("PRAGMA query_only = ON").map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }
}

impl TryFrom<PathBuf> for DatabaseFile {
    type Error = OpenError;

    fn try_from(path: PathBuf) -> Result<Self, OpenError> {
        path.into_os_string().into_string().map(Self).map_err(|_| OpenError::InvalidPath)
    }
}

/// Switches a new file to write-ahead logging, which is permanent. If several connections do this at once, SQLite
/// refuses all but one immediately, and `busy_timeout` does not help.
fn use_write_ahead_log(connection: &mut SqliteConnection) -> QueryResult<()> {
    let mut attempts = BUSY_TIMEOUT.as_millis() / LOCK_POLL.as_millis();
    loop {
        match connection.batch_execute("PRAGMA journal_mode = WAL") {
            Err(Error::DatabaseError(_, refusal)) if attempts > 0 && refusal.message() == "database is locked" => {
                attempts -= 1;
                thread::sleep(LOCK_POLL);
            }
            outcome => return outcome,
        }
    }
}

/// - `synchronous = FULL`: with NORMAL, a power cut may lose commits that were answered.
/// - `temp_store = MEMORY`: savepoints keep their undo data in memory and not in a file.
/// - `wal_autocheckpoint`: a checkpoint every 16 MiB of log, so that a page that changes often is copied rarely.
/// - `journal_size_limit`: a burst of writes does not leave a large log behind.
fn pragmas() -> String {
    format!(
        "PRAGMA busy_timeout = {};
         PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA temp_store = MEMORY;
         PRAGMA wal_autocheckpoint = 4000;
         PRAGMA journal_size_limit = 67108864;",
        BUSY_TIMEOUT.as_millis()
    )
}

/// The result of the call, or an error when the call takes longer than [`DEADLINE`].
pub(crate) async fn within_deadline<T>(call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    tokio::time::timeout(DEADLINE, call).await.unwrap_or_else(|_| Err(unavailable("SQLite did not answer in time")))
}

/// The error of a store that is unavailable, with the reason for the log.
pub(crate) fn unavailable(reason: &'static str) -> StoreError {
    StoreError::Unavailable(reason.into())
}

#[cfg(test)]
mod tests {
    use diesel::RunQueryDsl;
    use diesel::sql_types::Text;

    use super::*;

    #[derive(diesel::QueryableByName)]
    struct CompileOption {
        #[diesel(sql_type = Text)]
        compile_options: String,
    }

    #[test]
    fn sqlite_is_compiled_as_decided() {
        let mut connection = SqliteConnection::establish(":memory:").unwrap();
        let options =
            diesel_mapping::statement("PRAGMA compile_options").load::<CompileOption>(&mut connection).unwrap();
        let options: Vec<String> = options.into_iter().map(|option| option.compile_options).collect();
        for decided in ["ENABLE_QPSG", "DEFAULT_MEMSTATUS=0", "THREADSAFE=2"] {
            assert!(options.iter().any(|option| option == decided), "without {decided}: {options:?}");
        }
        for unused in ["MEMORY_MANAGEMENT", "API_ARMOR", "STAT4", "LOAD_EXTENSION", "FTS3", "FTS5", "RTREE"] {
            assert!(!options.iter().any(|option| option.contains(unused)), "with {unused}: {options:?}");
        }
    }
}
