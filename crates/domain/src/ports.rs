//! What the rules need of the outside: all that an adapter author must read.
//!
//! Every promise below is a sentence on its method, and a function in the crate `storage-conformance`, which any
//! adapter can run. Four things hold for all storage ports:
//!
//! - **A method is one atomic business operation.** A caller whose future is dropped half way leaves either all of
//!   it or nothing.
//! - **Expected refusals are values; `Err` means that the store failed** ([`StoreError`]).
//! - **Ids, digests and the time come in as arguments.** An adapter mints no id and reads no clock.
//! - **What was answered is durable.** After an `Ok` of a writing method, a crash of the process or the machine
//!   loses nothing of it. After an `Err` it has happened wholly or not at all, and does not happen any more; only a
//!   store whose changes other processes learn from a [`ChangeFeed`] may still be deciding then.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;

use crate::{ApiKey, IdToken, KeyDigest, KeyId, KeyRotation, KeyUse, ListView, RotationRefusal, Timestamp, UserId};

/// Any error of an adapter's own, kept as the source of ours.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The store failed. Its text never holds a value that was stored or asked for.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be reached, is overloaded, or did not answer in time. Trying again later may help.
    #[error("the store is unavailable")]
    Unavailable(#[source] BoxError),
    /// A stored value is not what the schema promises.
    #[error("corrupt value in {table}.{column}, row {row}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row's id.
        row: String,
    },
    /// The id or the digest is stored already: a fault of the caller, who minted neither freshly.
    #[error("the {what} is stored already")]
    Duplicate {
        /// "id" or "digest", or both when the store cannot tell.
        what: &'static str,
    },
}

/// The condition of an insertion: store only while fewer than `max` keys of the owner are active at `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveLimit {
    /// The most active keys, the new one included.
    pub max: u32,
    /// The instant at which "active" is decided.
    pub at: Timestamp,
}

/// What became of an insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Insertion {
    /// Stored; the owner's keys as the view shows them, the new one included.
    Stored(Vec<ApiKey>),
    /// Not stored: the owner has `max` active keys already.
    LimitReached,
}

/// What became of a revocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revocation {
    /// The key is revoked, by this call or an earlier one.
    Revoked {
        /// The digest under which it is stored, for whoever remembers answers by digest.
        digest: KeyDigest,
        /// The owner's keys as the view shows them.
        keys: Vec<ApiKey>,
    },
    /// No key has this id.
    NotFound,
    /// The key is another user's; nothing changed.
    NotOwned,
}

/// What became of a rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// The successor is stored, and the old key says so.
    Rotated {
        /// The digest under which the old key is stored.
        replaced: KeyDigest,
        /// The owner's keys as the view shows them, the successor included.
        keys: Vec<ApiKey>,
    },
    /// [`KeyRotation::decide`] refused; nothing changed.
    Refused(RotationRefusal),
    /// No key has this id.
    NotFound,
    /// The key is another user's; nothing changed.
    NotOwned,
}

/// Stores API keys. Times keep their milliseconds; texts come back byte for byte.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Stores `key`, every field as it is given, under `digest`, unless its owner has `limit.max` active keys at
    /// `limit.at`.
    ///
    /// - Exact under any concurrency, from any number of processes: of parallel calls, as many store as there is
    ///   room for, and the others get [`Insertion::LimitReached`], never an error.
    /// - Active is what [`ApiKey::is_active`] says, to the millisecond: a key with `expires_at == limit.at` does not
    ///   count, nor does one with `replaced_by`. Other owners' keys do not count.
    /// - The list in [`Insertion::Stored`] is what [`KeyStore::list`] would answer within the same transaction.
    /// - An id or digest that is stored already is [`StoreError::Duplicate`], and changes nothing. Where the limit is
    ///   reached as well, either answer is right: callers mint ids, so none of them depends on it.
    async fn insert_within(
        &self,
        key: &ApiKey,
        digest: &KeyDigest,
        limit: ActiveLimit,
        view: ListView,
    ) -> Result<Insertion, StoreError>;

    /// The owner's keys as [`ListView::select`] picks and orders them; empty for an owner without keys.
    async fn list(&self, owner: &UserId, view: ListView) -> Result<Vec<ApiKey>, StoreError>;

    /// Sets `revoked_at` to `at`, unless it is set already: the first revocation's time stays. An expired key is
    /// revoked like an active one.
    ///
    /// - Of parallel revocations one sets the time, and all succeed.
    /// - Nothing else of the key changes. The list is what [`KeyStore::list`] would answer within the same transaction.
    async fn revoke(&self, owner: &UserId, id: KeyId, at: Timestamp, view: ListView) -> Result<Revocation, StoreError>;

    /// Puts a successor in the place of the owner's key `id`, as `rotation` decides.
    ///
    /// - [`KeyRotation::decide`] is asked with the stored key and with how many of the owner's keys are being replaced
    ///   ([`ApiKey::is_being_replaced`]) at `rotation.at`. On `Ok` the old key's `expires_at`, `revoked_at` and
    ///   `replaced_by` are written and the successor is stored under `digest`; on `Err` nothing is.
    /// - Exact under any concurrency: of parallel rotations of one key one succeeds, and a revocation comes wholly
    ///   before it or wholly after. The owner's active keys never change in number, so rotation needs no room below
    ///   the maximum; parallel insertions and rotations together never pass it.
    /// - `replaced_by` is no foreign key: the purge may delete the successor first.
    /// - The list is what [`KeyStore::list`] would answer within the same transaction. A digest or id that is stored
    ///   already is [`StoreError::Duplicate`], and changes nothing.
    async fn rotate(
        &self,
        owner: &UserId,
        id: KeyId,
        rotation: &KeyRotation,
        digest: &KeyDigest,
        view: ListView,
    ) -> Result<Rotation, StoreError>;

    /// Revokes every key that is stored under one of `digests`, whoever owns it, as [`KeyStore::revoke`] does: the
    /// first revocation's time stays.
    ///
    /// - All of them in one transaction. The answer has each stored digest once, with its key as it is afterwards, in
    ///   no order; digests that are not stored are passed over.
    /// - Callers pass at most [`crate::LEAKS_MAX`] digests, perhaps some twice.
    async fn revoke_by_digests(
        &self,
        digests: &[KeyDigest],
        at: Timestamp,
    ) -> Result<Vec<(KeyDigest, ApiKey)>, StoreError>;

    /// The key stored under this digest, whatever its state; `None` when there is none.
    ///
    /// It reads what was committed before the call: never a replica that lags behind, nor a cache.
    async fn find_by_digest(&self, digest: &KeyDigest) -> Result<Option<ApiKey>, StoreError>;

    /// Moves `last_used_at` of each named key forward to `at`, never back, and changes nothing else. Ids that are not
    /// stored are passed over; of several uses of one key the latest counts.
    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError>;

    /// Deletes at most `max` keys of any owner that ended ([`ApiKey::ended_at`]) earlier than `before`, and answers
    /// how many. Good keys stay, and so does one that ended at `before` exactly. Parallel calls together count each
    /// deleted key once.
    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError>;
}

/// What became of a key, so that an answer about it that is remembered elsewhere may be wrong.
///
/// Each happens to a key once at most, so a change is known by these two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyChange {
    /// The key's digest.
    pub digest: KeyDigest,
    /// What happened.
    pub kind: KeyChangeKind,
}

/// The kinds of [`KeyChange`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyChangeKind {
    /// `revoked_at` was set, by its owner, the operator or a leak report.
    Revoked,
    /// It was rotated: it ends with the overlap, or has ended.
    Rotated,
}

/// The changes of a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecentChanges {
    /// All of them.
    All(Vec<KeyChange>),
    /// There are more than were asked for.
    TooMany,
}

/// How long after its stamp a change may be committed, at most: the longest transaction that changes keys.
pub const CHANGE_LAG_MAX: Duration = Duration::from_secs(10);

/// Tells instances that share a store which keys any of them has changed. A store of one process needs none.
///
/// - [`KeyStore::revoke`], [`KeyStore::revoke_by_digests`] and [`KeyStore::rotate`] each write their changes in the
///   transaction that makes them; a call that changes nothing writes none. [`KeyStore::purge_ended`] writes none,
///   because what it deletes has been refused for a day at least.
/// - A change bears a stamp of the store's own clock: the one clock that all instances share, and the only time that
///   an adapter may read. It is taken when the transaction begins, and such a transaction commits within
///   [`CHANGE_LAG_MAX`] of it or not at all: the adapter sets the store's time limits accordingly.
#[async_trait]
pub trait ChangeFeed: Send + Sync {
    /// The changes that were committed before the call and stamped within the last `window`, each once, in no order.
    ///
    /// - Older ones may be among them. Where there are more than `max`, the answer is [`RecentChanges::TooMany`].
    /// - A [`KeyStore::find_by_digest`] that begins after the answer sees each of these changes.
    /// - It succeeds only when the store itself answered: an adapter never answers from what it remembers.
    /// - Dropping the future costs nothing but the answer.
    async fn changes_within(&self, window: Duration, max: u32) -> Result<RecentChanges, StoreError>;

    /// Returns when changes may have been committed since the last return, or for no reason at all; perhaps never.
    ///
    /// A hint, such as a notification after the commit: it makes readers faster, and none relies on it. It does not
    /// fail, reconnects by itself, and may be dropped and called again at any time.
    async fn hint(&self);

    /// Deletes changes that were stamped longer than `age` ago, or some of them, in one short transaction. Callers
    /// keep `age` far above every window that they ask for.
    async fn forget_changes(&self, age: Duration) -> Result<(), StoreError>;
}

/// Uses of keys that are noted but perhaps not stored yet. The verifier is one.
pub trait RecentUses: Send + Sync {
    /// The newest noted use of each of these keys that has one.
    fn last_uses(&self, ids: &[KeyId]) -> HashMap<KeyId, Timestamp>;
}

/// What is known of a presented ID token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityVerdict {
    /// It is genuine, for us, and in its time: this is who presented it.
    Valid(UserId),
    /// It is not; the reason is for the log, and holds nothing of the token.
    Refused(&'static str),
}

/// The identity provider cannot be asked, and the keys that are known do not suffice.
#[derive(Debug, thiserror::Error)]
#[error("the identity provider is unavailable")]
pub struct IdentityUnavailable(#[source] pub BoxError);

/// Verifies ID tokens.
#[async_trait]
pub trait IdentityVerifier: Send + Sync {
    /// Whether `token` is good at `at`. A refusal is a verdict; `Err` means that nobody can tell now.
    async fn verify(&self, token: &IdToken, at: Timestamp) -> Result<IdentityVerdict, IdentityUnavailable>;
}

/// Something without which this instance cannot serve: a database, an identity provider.
#[async_trait]
pub trait ReadinessCheck: Send + Sync {
    /// What is checked, in one word of lower case: `database`, `identity-provider`.
    fn name(&self) -> &'static str;

    /// Succeeds when it works now. The error's text may be shown to whoever asks, so it holds no address and no
    /// credential; what the log needs is in its source.
    async fn check(&self) -> Result<(), NotReady>;
}

/// A readiness check failed.
#[derive(Debug, thiserror::Error)]
#[error("{summary}")]
pub struct NotReady {
    /// What is wrong, for anybody to read.
    pub summary: &'static str,
    /// What the log needs to know.
    #[source]
    pub source: Option<BoxError>,
}

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// Draws randomness fit for secrets.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with random ones.
    fn fill(&self, bytes: &mut [u8]);
}
