//! The storage ports on SQLite: one file, one writer, any number of readers.
//!
//! - **Writes** go through one thread, which puts all that wait into one transaction and answers after its commit:
//!   one flush to disk for many callers (group commit). Each stands on its own savepoint, so that one
//!   refusal undoes nothing of its neighbours.
//! - **Reads** each take one connection of a small pool and one hop to a thread that may block.
//! - **Durable** means `journal_mode = WAL` with `synchronous = FULL`: what was answered survives a power cut.
//! - **One process** opens a file at a time: a second one is refused when it starts (decision 41). Other programs, as
//!   the `sqlite3` shell or a backup, may use the file: a lock of theirs is waited for, at most two seconds.

mod connection;
mod deadline;
mod file_lock;
mod keys;
mod migrate;
mod readers;
mod readiness;
mod savepoint;
mod store;
mod undo;
mod webhooks;
mod writer;

pub use connection::OpenError;
pub use migrate::migrations_of;
pub use store::{SqliteSettings, SqliteStore};
