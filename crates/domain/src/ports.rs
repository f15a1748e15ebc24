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
//!   loses nothing of it.

use async_trait::async_trait;

use crate::{ApiKey, IdToken, KeyDigest, KeyId, KeyUse, ListView, Timestamp, UserId};

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
    /// The key is revoked, by this call or an earlier one; the owner's keys as the view shows them.
    Revoked(Vec<ApiKey>),
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
    ///   count. Other owners' keys do not count.
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

    /// The key stored under this digest, whatever its state; `None` when there is none.
    async fn find_by_digest(&self, digest: &KeyDigest) -> Result<Option<ApiKey>, StoreError>;

    /// Moves `last_used_at` of each named key forward to `at`, never back, and changes nothing else. Ids that are not
    /// stored are passed over; of several uses of one key the latest counts.
    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError>;

    /// Deletes at most `max` keys of any owner that ended ([`ApiKey::ended_at`]) earlier than `before`, and answers
    /// how many. Active keys stay, and so does one that ended at `before` exactly. Parallel calls together count each
    /// deleted key once.
    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError>;
}

/// Uses of keys that are noted but perhaps not stored yet. The verifier is one.
pub trait RecentUses: Send + Sync {
    /// The newest noted use of the key.
    fn last_use(&self, id: KeyId) -> Option<Timestamp>;
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
