//! The engine that answers "is this key good?", and remembers when it was used.
//!
//! A cached key is answered from memory: one hash, one lookup, no lock that all cores share, no database. A key that
//! is revoked, rotated or reported is refused
//!
//! - by this process from when its change is answered: [`Verifier::key_store`] evicts it first;
//! - by every other within [`FEED_POLL_INTERVAL`] and the time of one read: they read the store's change feed;
//! - by one that cannot read the feed within [`TRUST_MAX`]: it asks the store instead of its cache from then on, unless
//!   [`VerifierSettings::stale_max`] says otherwise;
//! - whatever goes wrong, within [`VerifierSettings::max_age`]: the store confirms every cached key in rounds.
//!
//! Uses are noted in memory and written in batches, forward only, so that a verification never waits for a write.
//! What is noted but not written yet is shown to owners through [`domain::ports::RecentUses`].
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

/// How often noted uses are written. With up to [`FLUSH_BATCH_MAX`] keys in use at a time, no use waits longer.
pub const FLUSH_INTERVAL: Duration = Duration::from_secs(2);
/// The most uses in one statement, and in one [`FLUSH_INTERVAL`]. Of more keys than that, the rest wait for their turn: a
/// database must not pay a write for each verification when a million keys are in use.
pub const FLUSH_BATCH_MAX: usize = 10_000;
/// How much longer than a write of uses the pause after it is, at least: so they take a tenth of a database's time at
/// most.
pub const FLUSH_REST: u32 = 9;
/// How long a use is shown from memory once it is stored: longer than any call of a store takes (4 s), so that no list of
/// keys that was read before the write lacks it.
pub const STORED_USES_SHOWN: Duration = Duration::from_secs(10);
/// How long the last write of uses may take, when the process stops.
pub const FLUSH_AT_STOP_MAX: Duration = Duration::from_secs(1);
/// How often the change feed is read when nothing hints at a change.
pub const FEED_POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How long a read of the change feed may take before it has failed.
pub const FEED_READ_TIMEOUT: Duration = Duration::from_secs(1);
/// How long after the beginning of its last good read of the feed an instance answers "good" from its cache.
pub const TRUST_MAX: Duration = Duration::from_secs(3);
/// How long a digest is remembered to be no good key: the longest that a key which another process has just stored
/// under it (an imported one, whose bearer tried it before) is still refused here.
pub const UNKNOWN_TTL: Duration = Duration::from_secs(1);
