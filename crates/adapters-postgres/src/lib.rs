//! The storage ports on Postgres, with diesel-async.
//!
//! - **Exact maximum**: a transaction that adds a key locks the owner's row in a first statement and counts in a
//!   second, with a snapshot that is newer than the lock. A single statement would count with a snapshot from before
//!   the wait.
//! - **Few round trips**: statements of a transaction that do not depend on each other are sent together. A creation, a
//!   rotation and a revocation take two round trips, a look-up and a list of keys one.
//! - **The change feed** is a table, written in the transaction of the change, and read by the numbers of its writers:
//!   each read returns the changes that were committed since the last one. A notification after the commit only makes
//!   readers faster.
//! - **Publishing commits in groups**: calls that arrive while a transaction waits for the disk share the next
//!   transaction. Every answer still comes after the commit.
//! - **The time of a claim does not depend on the number of waiting deliveries**: it reads ranges of one index, lane by
//!   lane, and never waits for a lock. It changes no indexed column.
//! - **Every call returns** within four seconds, even without a server, and the store reconnects without a restart.
//! - **Verification has separate connections**: slow calls that fill the pool do not delay the look-up of a key.
//! - **Only a server that accepts writes is used**: of several hosts, and of several addresses of a name, standbys are
//!   skipped. So are former primaries: once a connection has reached a promoted standby, no call uses a connection to
//!   the server before it.
//! - **Sessions may be shared**: behind a pooler that gives each transaction another session, as PgBouncer does in
//!   transaction mode, connections keep no state in a session.
//! - **A caller that goes away** costs no connection: its uncommitted work is rolled back, and the connection is used
//!   again.
//!
//! # TLS
//!
//! Set `sslmode` in the URL: `disable`; `prefer` (the default), which encrypts if the server supports it; `require`.
//! The server's certificate is always verified against the system's authorities (or those of `SSL_CERT_FILE`) and the
//! host's name. So `verify-ca` and `verify-full` mean the same as `require`. `prefer` fails if the certificate cannot
//! be verified; it does not fall back to plain text.

mod attempt;
mod audit;
mod by_hour;
mod catalogue;
mod change_feed;
mod change_signal;
mod change_writer;
mod claimers;
mod copying;
mod erasure;
mod hosts;
mod keys;
mod left_attempt;
mod migrate;
mod migrations;
mod owner_lock;
mod owners;
mod pool;
mod record_uses;
mod retention;
mod server;
mod server_report;
mod server_session;
mod sessions;
mod shard;
mod shared_session;
mod store;
mod timelines;
mod transaction;
mod webhooks;

pub use diesel_mapping::copying::{Copied, CopyError, Division};
pub use server::OpenError;
pub use server_report::ServerReport;
pub use shard::Shard;
pub use store::{PostgresSettings, PostgresStore};
