//! The storage ports on SQLite: one file, one writer, any number of readers.
//!
//! - **Writes** go through one thread. The thread puts all writes that wait into one transaction and answers after the
//!   commit: one flush to disk for many callers (group commit, decision 19). Each write has its own savepoint, so that a
//!   refused write does not undo the others.
//! - **Reads** use a small pool of connections, on threads that may block.
//! - **Durable** means `journal_mode = WAL` with `synchronous = FULL`: an answered write survives a power cut.
//! - **One process** opens a file at a time. A second process is refused when it starts (decision 41). Other programs,
//!   such as the `sqlite3` shell or a backup, may use the file; a write waits up to two seconds for their locks.

mod audit;
mod backup;
mod by_hour;
mod catalogue;
mod connection;
mod copying;
mod erasure;
mod file_lock;
mod keys;
mod migrate;
mod open_error;
mod owners;
mod readers;
mod record_uses;
mod sessions;
#[cfg(test)]
mod statements_tests;
mod store;
mod undo;
mod webhooks;
mod work;
mod writer;

pub use backup::{BackupError, back_up, last_backup, note_backup, restore};
pub use diesel_mapping::copying::{Copied, CopyError};
pub use migrate::migrations_of;
pub use open_error::OpenError;
pub use store::{SqliteSettings, SqliteStore};
