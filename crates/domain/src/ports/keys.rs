use std::collections::HashMap;

use async_trait::async_trait;

use super::store_error::StoreError;
use crate::{ApiKey, KeyDigest, KeyId, KeyRotation, KeyUse, ListView, RotationRefusal, Timestamp, UserId};

/// The condition of an insertion: store only while fewer than `max` keys of the owner are active at `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveLimit {
    /// The most active keys, the new one included.
    pub max: u32,
    /// The instant at which "active" is decided.
    pub at: Timestamp,
}

/// What became of an insertion. See decision 17.
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

/// The most digests in one [`KeyStore::find_by_digests`].
pub const FIND_MAX: usize = 1_000;

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
    /// - A key that is revoked already is reported to the [`ChangeFeed`](super::ChangeFeed) again.
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

    /// [`KeyStore::find_by_digest`] for each of `digests`: the keys that are stored, each with its digest, in any
    /// order. Callers pass at most [`FIND_MAX`] digests, each once.
    ///
    /// A store that answers many digests at the cost of one overrides this.
    async fn find_by_digests(&self, digests: &[KeyDigest]) -> Result<Vec<(KeyDigest, ApiKey)>, StoreError> {
        let mut found = Vec::new();
        for digest in digests {
            found.extend(self.find_by_digest(digest).await?.map(|key| (*digest, key)));
        }
        Ok(found)
    }

    /// Moves `last_used_at` of each named key forward to `at`, never back, and changes nothing else. Ids that are not
    /// stored are passed over; of several uses of one key the latest counts.
    async fn record_uses(&self, uses: &[KeyUse]) -> Result<(), StoreError>;

    /// Deletes at most `max` keys of any owner that ended ([`ApiKey::ended_at`]) earlier than `before`, and answers
    /// how many. Good keys stay, and so does one that ended at `before` exactly. Parallel calls together count each
    /// deleted key once.
    async fn purge_ended(&self, before: Timestamp, max: u32) -> Result<u32, StoreError>;
}

/// Uses of keys that are noted but perhaps not stored yet. The verifier is one.
pub trait RecentUses: Send + Sync {
    /// The newest noted use of each of these keys that has one.
    fn last_uses(&self, ids: &[KeyId]) -> HashMap<KeyId, Timestamp>;
}
