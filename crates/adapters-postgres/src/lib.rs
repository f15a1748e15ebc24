//! The storage ports on Postgres, by diesel-async.
//!
//! - **Exact maximum**: whoever adds a key locks its owner's row in a first statement and counts in a second, whose
//!   snapshot is newer than the lock. One statement for both would count with a snapshot from before the wait.
//! - **Few round trips**: statements of a transaction that do not depend on each other are sent together. A creation
//!   and a rotation take two round trips, every other call one.
//! - **The change feed** is a table, written in the transaction of the change, and read by transaction: each read returns
//!   what was committed between its snapshot and the last one. A notification after the commit only makes readers faster.
//! - **Publishing commits in groups**: calls that come while a transaction waits for the disk share the next one. An
//!   answer still comes after the commit that holds it.
//! - **A claim takes as long with a million deliveries waiting as with none**: it reads ranges of one index, lane by lane,
//!   and never waits for a lock. It changes nothing that an index holds.
//! - **Every call answers** within four seconds, also when the server is gone, and the store heals by itself.
//! - **Verification has connections of its own**: a pool that waits for slow calls holds up no look-up of a key.
//! - **Only a server that takes writes is used**: of several hosts, and behind one name, a standby is passed over.
//! - **A caller that goes away** takes its connection out of the pool: the server then undoes what it had begun.
//!
//! # TLS
//!
//! `sslmode` in the URL decides: `disable`; `prefer` (the default), encrypted where the server can; `require`. The
//! server's certificate is always verified against the system's authorities (or those of `SSL_CERT_FILE`) and the
//! host's name, so `verify-ca` and `verify-full` are taken for `require`, and `prefer` fails, rather than falling back
//! to plain text, when a server offers a certificate that cannot be verified.

mod attempt;
mod change_signal;
mod hosts;
mod keys;
mod migrate;
mod owner_lock;
mod owner_turns;
mod pool;
mod readiness;
mod server;
mod store;
mod transaction;
mod webhooks;

pub use server::OpenError;
pub use store::{PostgresSettings, PostgresStore};
