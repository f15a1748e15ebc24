use std::future::pending;

use async_trait::async_trait;

#[cfg(doc)]
use super::credentials::CredentialStore;
#[cfg(doc)]
use super::keys::KeyStore;
#[cfg(doc)]
use super::owners::OwnerStore;
#[cfg(doc)]
use super::sessions::SessionStore;
use super::store_error::StoreError;
use crate::{CredentialDigest, Timestamp};

/// A place in a [`ChangeFeed`]: everything that was committed before one read of it. Only the store that made it can
/// read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedPosition(String);

impl FeedPosition {
    /// From the store's own notation.
    pub fn new(notation: impl Into<String>) -> Self {
        Self(notation.into())
    }

    /// The store's own notation.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The result of one read of a [`ChangeFeed`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedRead {
    /// The changes since the given position.
    pub changes: CredentialChanges,
    /// Where the next read continues.
    pub position: FeedPosition,
    /// The time by the store's clock, at a moment between the call and the answer. Instances follow it.
    pub at: Timestamp,
}

/// The API keys and sessions that changed between two positions of a [`ChangeFeed`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CredentialChanges {
    /// The digest of each credential, once for each change, in any order; for a change of all credentials of an owner,
    /// [`CredentialDigest::of_owner`].
    Of(Vec<CredentialDigest>),
    /// Any credential may have changed: forget every answer that is remembered.
    OfAny,
}

/// Reports to the instances that share a store which keys and sessions any of them has changed. A store of one process
/// needs no feed.
///
/// [`KeyStore::revoke`], [`KeyStore::revoke_by_digests`] and [`KeyStore::rotate`] each write the digest of the key in
/// the transaction that changes it. A revocation writes it for a key that is revoked already too: the owner asks again
/// because some instance still accepts the key. Calls that are refused write no digest, and neither does a purge: a key
/// that it deletes has been refused for a day at least.
///
/// [`SessionStore::end`], [`SessionStore::end_all`] and [`SessionStore::open`] each write the digests of the sessions that
/// they end, in the transaction that deletes them. No other method of that port writes to the feed, nor does a purge.
///
/// [`OwnerStore::set_state`] writes [`CredentialDigest::of_owner`].
#[async_trait]
pub trait ChangeFeed: Send + Sync {
    /// The changes that were committed after the read that returned `since`, and before this call.
    ///
    /// - Each change is in exactly one of the reads of a chain in which each read continues from the last, however long
    ///   its transaction takes to commit and whichever others commit before it.
    /// - The answer is [`CredentialChanges::OfAny`] without `since`, for more than `max` changes, and if another server
    ///   is known to have replaced the one that gave `since`. The position is good in each case.
    /// - A [`CredentialStore::find_by_digests`] that begins after the answer sees each of these changes.
    /// - It succeeds only when the store itself answered, and takes writes: never from memory, and never on a standby.
    /// - [`FeedRead::at`] is the time of one clock, which all instances read.
    /// - A caller that drops the future loses only the answer.
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError>;

    /// Returns when changes may have been committed since the last return, or without a reason. It may never return.
    ///
    /// A hint, such as a notification after the commit: it makes readers faster, and no reader relies on it. It does
    /// not fail, reconnects when necessary, and may be dropped and called again at any time. A store that sends no
    /// notifications keeps this default, which never returns.
    async fn hint(&self) {
        pending::<()>().await;
    }

    /// Deletes changes that were committed before the read that returned `before`, in short transactions. Callers ensure that
    /// every instance has read past it.
    async fn forget_changes(&self, before: &FeedPosition) -> Result<(), StoreError>;
}
