//! The engine that answers "is this key good?" and "is this session good?", and remembers when each was used. The rules
//! for keys below also hold for sessions: signing out is a revocation.
//!
//! A cached key is answered from memory: one hash, one lookup, no lock that all cores share, no database. A key that is
//! revoked, rotated or reported as leaked is refused
//!
//! - by the process that made the change: from the moment the change returns, because [`Verifier::key_store`] evicts
//!   the key first;
//! - by every other process: within [`FEED_POLL_INTERVAL`] plus the time of one read of the store's change feed;
//! - by a process that cannot read the feed: within [`TRUST_MAX`]. From then on the process reads every key from the
//!   store, unless [`VerifierSettings::when_stale`] allows a stale cache;
//! - in every other case: within [`VerifierSettings::max_age`], because the verifier confirms every cached key with the
//!   store in rounds.
//!
//! Uses are noted in memory and written in batches, and a last use only moves forward. A verification never waits for a
//! write. Owners see uses that are noted but not written yet through [`domain::ports::RecentUses`].
//!
//! See decision 26.

mod answers;
mod counts;
mod credential;
mod evicting_sessions;
mod evicting_store;
mod feed_reader;
mod fence;
mod fills;
mod last_use;
mod limiter;
mod look_ups;
mod members;
mod owner_states;
mod register;
mod rounds;
mod stored_uses;
mod sync;
mod verified_key;
mod verified_session;
mod verifier;
mod when_stale;

use std::time::Duration;

pub use counts::VerifierCounts;
pub use limiter::{Allowance, Limiter, OwnLimit};
pub use owner_states::OwnerStates;
pub use verified_key::VerifiedKey;
pub use verified_session::VerifiedSession;
pub use verifier::{CredentialStores, Verifier, VerifierSettings};
pub use when_stale::{InvalidWhenStale, WhenStale};

/// How often noted uses are written. With at most [`FLUSH_BATCH_MAX`] keys in use at a time, no use waits longer.
pub const FLUSH_INTERVAL: Duration = Duration::from_secs(2);
/// The most uses in one statement, and in one [`FLUSH_INTERVAL`]. If more keys are in use, the rest wait for later
/// statements, so that a million keys in use do not cost the database a write for each verification.
pub const FLUSH_BATCH_MAX: usize = 10_000;
/// After a write of uses, the verifier pauses for at least this many times the duration of the write, so that these
/// writes take at most a tenth of the database's time.
pub const FLUSH_REST: u32 = 9;
/// How long a use is still shown from memory after it is stored. Longer than any call of a store takes (4 s), so that a
/// list of keys that was read before the write shows the use too.
pub const STORED_USES_SHOWN: Duration = Duration::from_secs(10);
/// How long the last write of uses may take on shutdown.
pub const FLUSH_AT_STOP_MAX: Duration = Duration::from_secs(1);
/// How often the change feed is read while no hint arrives.
pub const FEED_POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How long a read of the change feed may take before it counts as failed.
pub const FEED_READ_TIMEOUT: Duration = Duration::from_secs(1);
/// How long an instance answers "good" from its cache, counted from when its last successful read of the feed began.
pub const TRUST_MAX: Duration = Duration::from_secs(3);
/// How long the cache remembers whether an owner is suspended, for calls with ID tokens: another process may have changed
/// the state.
pub const OWNER_STATE_TTL: Duration = Duration::from_secs(1);
/// How long the cache remembers that a digest has no good key. If another process stores a key under this digest (an
/// imported key that its bearer has tried too early), this process refuses the key for at most this long.
pub const UNKNOWN_TTL: Duration = Duration::from_secs(1);
