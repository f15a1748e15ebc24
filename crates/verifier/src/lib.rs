//! The engine that answers "is this key good?", and records when keys are used.
//!
//! The answer about a cached key comes from memory: one hash, one lookup, no lock that all cores share, no database. A
//! key that is revoked, rotated or reported is refused
//!
//! - by this process as soon as its change is answered: [`Verifier::key_store`] evicts the key first;
//! - by every other process within [`FEED_POLL_INTERVAL`] and the time of one read: it reads the store's change feed;
//! - by a process that cannot read the feed within [`TRUST_MAX`]: after that it reads the store instead of its cache,
//!   unless [`VerifierSettings::stale_max`] says otherwise;
//! - in every case within [`VerifierSettings::max_age`]: the store confirms every cached key in rounds.
//!
//! Uses are noted in memory and written in batches, and only move the time forward, so that a verification never waits
//! for a write. Owners see uses that are not written yet through [`domain::ports::RecentUses`].
//!
//! See decision 26.

mod answers;
mod evicting_store;
mod feed_reader;
mod fence;
mod fills;
mod last_use;
mod limiter;
mod look_ups;
mod rounds;
mod shared_failure;
mod stored_uses;
mod sync;
mod verified_key;
mod verifier;

use std::time::Duration;

pub use limiter::Allowance;
pub use verified_key::VerifiedKey;
pub use verifier::{Verifier, VerifierSettings};

/// How often noted uses are written. With up to [`FLUSH_BATCH_MAX`] keys in use at a time, every use is written after
/// one interval.
pub const FLUSH_INTERVAL: Duration = Duration::from_secs(2);
/// The most uses in one statement, and in one [`FLUSH_INTERVAL`]. With more keys in use, the others wait for their
/// turn: with a million keys in use, a database must not write for each verification.
pub const FLUSH_BATCH_MAX: usize = 10_000;
/// The pause after a write of uses, as a multiple of the time of the write: writes take at most a tenth of a database's
/// time.
pub const FLUSH_REST: u32 = 9;
/// How long a stored use is still shown from memory: longer than any call of a store takes (4 s), so that every list of
/// keys that was read before the write has the use.
pub const STORED_USES_SHOWN: Duration = Duration::from_secs(10);
/// The longest time of the last write of uses, on shutdown.
pub const FLUSH_AT_STOP_MAX: Duration = Duration::from_secs(1);
/// How often the change feed is read without a hint.
pub const FEED_POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The timeout of a read of the change feed.
pub const FEED_READ_TIMEOUT: Duration = Duration::from_secs(1);
/// How long an instance answers "good" from its cache after the start of its last successful read of the feed.
pub const TRUST_MAX: Duration = Duration::from_secs(3);
/// How long a digest is cached as unknown. A key that another process has just stored under the digest (an imported key
/// that was tried before) is refused here for at most this long.
pub const UNKNOWN_TTL: Duration = Duration::from_secs(1);
