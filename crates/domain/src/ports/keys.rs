use std::collections::BTreeMap;

use async_trait::async_trait;

use super::store_error::StoreError;
use crate::audit::Cause;
use crate::{
    ApiKey, CredentialDigest, Hour, HourRange, KeyChange, KeyChangeRefusal, KeyId, KeyRotation, KeyUsage, ListView,
    OwnerId, OwnerLimits, RotationRefusal, Timestamp, UsageCounts,
};

/// The condition of an insertion: store only while fewer than `max` keys of the owner are active at `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveLimit {
    /// The most active keys, the new one included.
    pub max: u32,
    /// The instant at which keys count as active.
    pub at: Timestamp,
}

impl ActiveLimit {
    /// The limit for an owner with these limits.
    #[must_use]
    pub fn of(self, limits: OwnerLimits) -> Self {
        Self { max: limits.active_keys_or(self.max), ..self }
    }
}

/// Asks for [`KeyStore::insert_within`].
#[derive(Clone, Debug)]
pub struct InsertKeyRequest {
    /// The key to store.
    pub key: ApiKey,
    /// The digest under which it is stored.
    pub digest: CredentialDigest,
    /// The condition. [`OwnerLimits::max_active_keys`](crate::OwnerLimits::max_active_keys) takes the place of its maximum.
    pub limit: ActiveLimit,
    /// The keys that the answer lists.
    pub view: ListView,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`KeyStore::revoke`].
#[derive(Clone, Debug)]
pub struct RevokeKeyRequest {
    /// The user who must own the key.
    pub owner: OwnerId,
    /// The key to revoke.
    pub id: KeyId,
    /// The time of the revocation.
    pub at: Timestamp,
    /// The keys that the answer lists.
    pub view: ListView,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`KeyStore::rotate`].
#[derive(Clone, Debug)]
pub struct RotateKeyRequest {
    /// The user who must own the key.
    pub owner: OwnerId,
    /// The key to replace.
    pub id: KeyId,
    /// Decides, with the owner's limits ([`KeyRotation::of`]), whether and how the key is replaced.
    pub rotation: KeyRotation,
    /// The digest under which the successor is stored.
    pub digest: CredentialDigest,
    /// The keys that the answer lists.
    pub view: ListView,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`KeyStore::change`].
#[derive(Clone, Debug)]
pub struct ChangeKeyRequest {
    /// The user who must own the key.
    pub owner: OwnerId,
    /// The key.
    pub id: KeyId,
    /// The change, which decides by the stored key.
    pub change: KeyChange,
    /// The time of the change.
    pub at: Timestamp,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`KeyStore::revoke_by_digests`].
#[derive(Clone, Debug)]
pub struct RevokeDigestsRequest {
    /// The digests, at most [`crate::LEAKS_MAX`]. A digest may occur twice.
    pub digests: Vec<CredentialDigest>,
    /// The time of the revocation.
    pub at: Timestamp,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// The keys of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeysOf {
    /// The keys that this owner has.
    Owner(OwnerId),
    /// The keys that this member has made for organizations: [`ApiKey::created_by`].
    Member(OwnerId),
}

impl KeysOf {
    /// Whether a key of this owner, and of this member who made it, is one of the keys.
    pub fn has(&self, owner: &OwnerId, member: Option<&OwnerId>) -> bool {
        match self {
            Self::Owner(of) => of == owner,
            Self::Member(of) => Some(of) == member,
        }
    }
}

/// Asks for [`KeyStore::revoke_user_keys`].
#[derive(Clone, Debug)]
pub struct RevokeUserKeysRequest {
    /// Whose keys are revoked.
    pub of: KeysOf,
    /// Keys that were created at this time or later stay.
    pub created_before: Timestamp,
    /// The time of the revocation.
    pub at: Timestamp,
    /// The most keys that the call revokes.
    pub max: u32,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// The result of an insertion. See decision 17.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Insertion {
    /// Stored; the owner's keys as the view shows them, the new one included.
    Stored(Vec<ApiKey>),
    /// Not stored: the owner already has the maximum of active keys.
    LimitReached {
        /// The maximum that holds for the owner.
        max: u32,
    },
}

/// The result of a revocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revocation {
    /// The key is revoked, by this call or an earlier one.
    Revoked {
        /// The digest under which the key is stored. Caches of verified keys need it.
        digest: CredentialDigest,
        /// The owner's keys as the view shows them.
        keys: Vec<ApiKey>,
    },
    /// No key has this id.
    NotFound,
    /// The key belongs to another user. The call had no effect.
    NotOwned,
}

/// The result of a rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// The successor is stored, and the old key names it.
    Rotated {
        /// The digest under which the old key is stored.
        replaced: CredentialDigest,
        /// The owner's keys as the view shows them, the successor included.
        keys: Vec<ApiKey>,
    },
    /// [`KeyRotation::decide`] refused; the call had no effect.
    Refused(RotationRefusal),
    /// No key has this id.
    NotFound,
    /// The key belongs to another user. The call had no effect.
    NotOwned,
}

/// Asks for [`KeyStore::list_expiring`].
#[derive(Clone, Copy, Debug)]
pub struct ListExpiringRequest {
    /// The keys come after this expiry time and this id.
    pub after: (Timestamp, KeyId),
    /// The keys expire at this time or before it.
    pub until: Timestamp,
    /// The most keys of the answer.
    pub max: u32,
}

/// Asks for [`KeyUsageStore::usage`].
#[derive(Clone, Debug)]
pub struct UsageRequest {
    /// The user who must own the key.
    pub owner: OwnerId,
    /// The key, in any state.
    pub id: KeyId,
    /// The hours to read.
    pub hours: HourRange,
}

/// The result of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedKey {
    /// The key is stored as the change asks.
    Changed {
        /// The digest under which the key is stored.
        digest: CredentialDigest,
        /// The key after the change.
        key: Box<ApiKey>,
    },
    /// The key is so already; the call had no effect, and left no event.
    Unchanged(Box<ApiKey>),
    /// [`KeyChange::decide`] refused; the call had no effect.
    Refused(KeyChangeRefusal),
    /// No key has this id.
    NotFound,
    /// The key belongs to another user. The call had no effect.
    NotOwned,
}

/// Stores API keys. Times keep their milliseconds, and strings come back byte for byte. A change and the events of its
/// [`Cause`] are one: see [`AuditLog`](super::AuditLog).
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Stores the key with every field unchanged, unless its owner has `limit.max` active keys at `limit.at`, or as many as
    /// the owner's record says: see [`OwnerStore`](super::OwnerStore).
    ///
    /// - The limit is exact under any concurrency, from any number of processes: parallel calls store until the maximum
    ///   is reached, and the others return [`Insertion::LimitReached`], never an error.
    /// - [`ApiKey::is_active`] decides which keys are active, to the millisecond: a key with `expires_at == limit.at`
    ///   does not count, nor does a key with `replaced_by`. Other owners' keys do not count.
    /// - If the key is the last one for which there is room, [`Cause::key_limit_reached`] is an event of the call as
    ///   well.
    /// - The list in [`Insertion::Stored`] is that of [`KeyStore::list`] within the same transaction.
    /// - If the id or the digest is stored already, the result is [`StoreError::Duplicate`], without effect. If the
    ///   limit is reached as well, either answer is right: callers mint fresh ids, so no caller depends on it.
    async fn insert_within(&self, request: &InsertKeyRequest) -> Result<Insertion, StoreError>;

    /// The owner's keys as [`ListView::select`] selects and sorts them; empty for an owner without keys.
    async fn list(&self, owner: &OwnerId, view: ListView) -> Result<Vec<ApiKey>, StoreError>;

    /// Sets `revoked_at` to the time of the request, unless it is set already: the first revocation's time stays. An
    /// expired key is revoked like an active one.
    ///
    /// - Of parallel revocations, one sets the time and all succeed.
    /// - [`Cause::key_revoked`] are the events of a call that sets the time.
    /// - A key that is revoked already is reported to the [`ChangeFeed`](super::ChangeFeed) again.
    /// - No other field of the key changes. The list is that of [`KeyStore::list`] within the same transaction.
    async fn revoke(&self, request: &RevokeKeyRequest) -> Result<Revocation, StoreError>;

    /// Replaces the owner's key by a successor, as the rotation decides.
    ///
    /// - The store calls [`KeyRotation::decide`] with the stored key and with the number of the owner's keys that are
    ///   being replaced at `rotation.at` ([`ApiKey::is_being_replaced`]). On `Ok` it writes the old key's `expires_at`,
    ///   `revoked_at` and `replaced_by`, and stores the successor under the digest. On `Err` it does not write.
    /// - The result is exact under any concurrency: of parallel rotations of one key, one succeeds, and a revocation
    ///   happens entirely before it or entirely after it. A rotation does not change how many active keys the owner
    ///   has, so it needs no room below the maximum. Parallel insertions and rotations together never pass the maximum.
    /// - `replaced_by` is not a foreign key: the purge may delete the successor first.
    /// - The list is that of [`KeyStore::list`] within the same transaction. If the digest or the successor's id is
    ///   stored already, the result is [`StoreError::Duplicate`], without effect.
    async fn rotate(&self, request: &RotateKeyRequest) -> Result<Rotation, StoreError>;

    /// Changes the owner's key, as the change decides.
    ///
    /// - The store calls [`KeyChange::decide`] with the stored key. On `Ok` it writes the key's `label`, `expires_at`
    ///   and `settings`, and reports the key to the [`ChangeFeed`](super::ChangeFeed). On `Err` it does not write.
    /// - [`Cause::key_changed`] is the event of a call that changes the key.
    /// - The result is exact under any concurrency: each of parallel changes is decided by the result of the previous
    ///   one, so changes of different fields are all kept. A revocation or rotation happens entirely before it or after
    ///   it.
    async fn change(&self, request: &ChangeKeyRequest) -> Result<ChangedKey, StoreError>;

    /// Revokes every key that is stored under one of the digests, regardless of its owner, as [`KeyStore::revoke`] does:
    /// the first revocation's time stays.
    ///
    /// - All of this is one transaction. The answer has each stored digest once, with its key after the revocation, in
    ///   any order. Digests that are not stored are skipped.
    async fn revoke_by_digests(
        &self,
        request: &RevokeDigestsRequest,
    ) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError>;

    /// Revokes the keys of the owner or the member that are not revoked and were created before `created_before`, at most `max` of them,
    /// and returns their digests. Expired keys are revoked like active ones, as in [`KeyStore::revoke`].
    ///
    /// - Fewer digests than `max` mean that no such key remains.
    /// - All of this is one transaction, and each key is reported to the [`ChangeFeed`](super::ChangeFeed). Parallel
    ///   calls and revocations together return each key that they revoke here once. No other field of the keys changes.
    async fn revoke_user_keys(&self, request: &RevokeUserKeysRequest) -> Result<Vec<CredentialDigest>, StoreError>;

    /// Keys of any owners, by expiry time and id. Revoked and replaced keys are left out.
    async fn list_expiring(&self, request: &ListExpiringRequest) -> Result<Vec<ApiKey>, StoreError>;
}

/// Counts the verifications of keys by the hour.
#[async_trait]
pub trait KeyUsageStore: Send + Sync {
    /// Adds to the stored counts of each key in each hour.
    ///
    /// - Parallel calls lose no count. A call may name a key and an hour several times. Callers pass at most 20,000
    ///   entries.
    /// - The counts need not be durable: a power failure may undo the call. If the call fails and its effect is unknown,
    ///   callers add the counts again.
    /// - Keys need not be stored.
    async fn add_usage(&self, usage: &[KeyUsage]) -> Result<(), StoreError>;

    /// The counts of the owner's key in each of the hours; hours without a count are absent. `None` if
    /// the owner has no key with this id.
    ///
    /// It reads one row for each hour, however many counts are stored.
    async fn usage(&self, request: &UsageRequest) -> Result<Option<BTreeMap<Hour, UsageCounts>>, StoreError>;
}
