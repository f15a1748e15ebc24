use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::result::Error;
use diesel::{Connection, ConnectionError, QueryResult, SqliteConnection};

use crate::deadline::BUSY_TIMEOUT;

/// How often it is looked whether another process has set up a new file.
const LOCK_POLL: Duration = Duration::from_millis(10);

/// Why the database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The path cannot be handed to SQLite.
    #[error("the path of the database is not valid UTF-8")]
    InvalidPath,
    /// The file or its folder cannot be made.
    #[error("{} cannot be created", path.display())]
    Create {
        /// The database file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// SQLite cannot open the file, or it is no database.
    #[error("SQLite cannot open the database")]
    Connect(#[source] ConnectionError),
    /// No thread could be started for the writer.
    #[error("the writer's thread cannot be started")]
    Thread(#[source] io::Error),
}

/// Where the database file is, in the form that SQLite takes.
#[derive(Clone, Debug)]
pub(crate) struct DatabaseFile(String);

impl DatabaseFile {
    /// Creates the file where there is none, readable by its owner alone, and the folders above it. SQLite gives the
    /// files it puts beside it (`-wal`, `-shm`) the same mode.
    pub(crate) fn create(path: &Path) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Create { path: path.to_owned(), source };
        // Absolute, so that no name is taken for a URI or for SQLite's `:memory:`.
        let path = std::path::absolute(path).map_err(failed)?;
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
        }
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => (),
        }
        path.into_os_string().into_string().map(Self).map_err(|_| OpenError::InvalidPath)
    }

    /// A connection that may write.
    pub(crate) fn connect(&self) -> Result<SqliteConnection, ConnectionError> {
        let mut connection = SqliteConnection::establish(&self.0)?;
        let settings = connection.batch_execute(&pragmas()).and_then(|()| use_write_ahead_log(&mut connection));
        settings.map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }

    /// A connection that refuses to write.
    pub(crate) fn connect_reader(&self) -> Result<SqliteConnection, ConnectionError> {
        let mut connection = self.connect()?;
        connection.batch_execute("PRAGMA query_only = ON").map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }
}

/// Changes a new file for good. Of several connections that do so at once SQLite refuses all but one, without the wait
/// that it grants to statements.
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

/// FULL, because NORMAL may lose answered commits in a power cut. Savepoints keep what they would undo in memory, and not
/// in a file of their own. A checkpoint each 16 MiB of log: what is written often is copied seldom; the size limit, so
/// that one burst does not leave a large log for ever.
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
        let options = diesel::sql_query("PRAGMA compile_options").load::<CompileOption>(&mut connection).unwrap();
        let options: Vec<String> = options.into_iter().map(|option| option.compile_options).collect();
        for decided in ["ENABLE_QPSG", "DEFAULT_MEMSTATUS=0"] {
            assert!(options.iter().any(|option| option == decided), "without {decided}: {options:?}");
        }
    }
}
