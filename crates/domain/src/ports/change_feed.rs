use std::time::Duration;

use async_trait::async_trait;

use super::store_error::StoreError;
use crate::KeyDigest;

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
/// - [`KeyStore::revoke`](crate::ports::KeyStore::revoke),
///   [`KeyStore::revoke_by_digests`](crate::ports::KeyStore::revoke_by_digests) and
///   [`KeyStore::rotate`](crate::ports::KeyStore::rotate) each write their changes in the transaction that makes them;
///   a call that changes nothing writes none. [`KeyStore::purge_ended`](crate::ports::KeyStore::purge_ended) writes
///   none, because what it deletes has been refused for a day at least.
/// - A change bears a stamp of the store's own clock: the one clock that all instances share, and the only time that
///   an adapter may read. It is taken when the transaction begins, and such a transaction commits within
///   [`CHANGE_LAG_MAX`] of it or not at all: the adapter sets the store's time limits accordingly.
#[async_trait]
pub trait ChangeFeed: Send + Sync {
    /// The changes that were committed before the call and stamped within the last `window`, each once, in no order.
    ///
    /// - Older ones may be among them. Where there are more than `max`, the answer is [`RecentChanges::TooMany`].
    /// - A [`KeyStore::find_by_digest`](crate::ports::KeyStore::find_by_digest) that begins after the answer sees each
    ///   of these changes.
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
