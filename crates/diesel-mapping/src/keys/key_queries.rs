//! Queries that both databases run. "Good", "active", "being replaced" and "ended" repeat the methods of `ApiKey`; the
//! conformance suite tests that both agree at every boundary.
#![expect(missing_docs, reason = "`auto_type` names the type of each query like its function, without a comment")]

use diesel::dsl::{auto_type, not, update};
use diesel::prelude::*;
use domain::ports::ListExpiringRequest;
use domain::{ApiKey, CredentialDigest, KeyId, ListView, OwnerId, Timestamp};

use super::key_row::{KeyRow, ListedRow};
use super::settings_json::settings_json;
use crate::owners::{is_of_key, standing};
use crate::schema::{api_keys, owners};
use crate::{Columns, StoredInstant, columns_of};

/// The key belongs to this owner.
#[auto_type]
pub fn owned_by<'a>(owner: &'a OwnerId) -> _ {
    let issuer: &'a str = owner.issuer();
    let subject: &'a str = owner.subject();
    api_keys::owner_issuer.eq(issuer).and(api_keys::owner_subject.eq(subject))
}

/// The key is good at `at`.
#[auto_type]
fn good_at(at: StoredInstant) -> _ {
    api_keys::revoked_at.is_null().and(api_keys::ends_at.gt(at))
}

/// How many active keys the owner has.
#[auto_type]
pub fn count_active<'a>(owner: &'a OwnerId, at: Timestamp) -> _ {
    let is_theirs: owned_by<'a> = owned_by(owner);
    let is_good: good_at = good_at(at.into());
    api_keys::table.filter(is_theirs).filter(is_good).filter(api_keys::replaced_by.is_null()).count()
}

/// How many of the owner's keys are being replaced.
#[auto_type]
pub fn count_being_replaced<'a>(owner: &'a OwnerId, at: Timestamp) -> _ {
    let is_theirs: owned_by<'a> = owned_by(owner);
    let is_good: good_at = good_at(at.into());
    api_keys::table.filter(is_theirs).filter(is_good).filter(api_keys::replaced_by.is_not_null()).count()
}

/// The owner's keys that [`ListView::select`] shows: every good key, and the keys that ended last. They are not sorted:
/// `select` sorts them, so that the order is coded once. The condition that `ends_at` is not null is always true, and
/// serves the index. See decision 60.
#[auto_type]
pub fn list_keys<'a>(owner: &'a OwnerId, view: ListView) -> _ {
    let is_good: good_at = good_at(view.at.into());
    let is_still_good: good_at = good_at(view.at.into());
    let ended_max: i64 = view.ended_max.into();
    let keys: keys_of<'a> = keys_of(owner);
    let more_keys: keys_of<'a> = keys_of(owner);
    let ended = more_keys.filter(not(is_still_good)).filter(api_keys::ends_at.is_not_null());
    let ended = ended.order((api_keys::ends_at.desc(), api_keys::id.desc())).limit(ended_max);
    keys.filter(is_good).union_all(ended)
}

#[auto_type]
fn keys_of<'a>(owner: &'a OwnerId) -> _ {
    let columns: Columns<ListedRow> = columns_of::<ListedRow>();
    let is_theirs: owned_by<'a> = owned_by(owner);
    api_keys::table.filter(is_theirs).select(columns)
}

/// Keys of any owners that expire in an interval: see [`KeyStore::list_expiring`](domain::ports::KeyStore::list_expiring).
/// A key that ends in the interval and is not revoked expires then. The conditions name a range of the partial index, which
/// has only keys with an end.
#[auto_type]
pub fn list_expiring<'a>(request: &'a ListExpiringRequest) -> _ {
    let from: StoredInstant = request.after.0.into();
    let until: StoredInstant = request.until.into();
    let columns: Columns<KeyRow> = columns_of::<KeyRow>();
    let max: i64 = request.max.into();
    let is_later: later_than<'a> = later_than(from, &request.after.1);
    api_keys::table
        .filter(api_keys::ends_at.ge(from).and(api_keys::ends_at.le(until)))
        .filter(is_later)
        .filter(api_keys::expires_at.is_not_null().and(api_keys::revoked_at.is_null()))
        .filter(api_keys::replaced_by.is_null())
        .order((api_keys::ends_at.asc(), api_keys::id.asc()))
        .limit(max)
        .select(columns)
}

/// The key comes after the key with this end and this id, if it does not end earlier.
#[auto_type]
fn later_than<'a>(end: StoredInstant, id: &'a KeyId) -> _ {
    let id: &'a [u8] = id.as_bytes();
    api_keys::ends_at.gt(end).or(api_keys::id.gt(id))
}

/// The key under a digest, with the state and the rate limits of its owner.
#[auto_type]
pub fn key_by_digest<'a>(digest: &'a CredentialDigest) -> _ {
    let digest: &'a [u8] = digest.as_bytes();
    let columns: Columns<KeyRow> = columns_of::<KeyRow>();
    let standing: standing = standing();
    let is_theirs: is_of_key = is_of_key();
    api_keys::table
        .left_join(owners::table.on(is_theirs))
        .filter(api_keys::digest.eq(digest))
        .select((columns, standing))
}

/// The key with this id, of any owner, and its digest.
#[auto_type]
pub fn key_by_id<'a>(id: &'a KeyId) -> _ {
    let id: &'a [u8] = id.as_bytes();
    let columns: Columns<KeyRow> = columns_of::<KeyRow>();
    api_keys::table.filter(api_keys::id.eq(id)).select((columns, api_keys::digest))
}

/// Revokes the owner's key, unless it is revoked.
#[auto_type]
pub fn revoke_key<'a>(owner: &'a OwnerId, id: &'a KeyId, at: Timestamp) -> _ {
    let id: &'a [u8] = id.as_bytes();
    let at: Option<StoredInstant> = stored(at.into());
    let is_theirs: owned_by<'a> = owned_by(owner);
    let found = api_keys::table.filter(is_theirs).filter(api_keys::id.eq(id)).filter(api_keys::revoked_at.is_null());
    update(found).set(api_keys::revoked_at.eq(at))
}

/// Writes the changes that a rotation makes to the old key.
#[auto_type]
pub fn replace_key<'a>(replaced: &'a ApiKey) -> _ {
    let id: &'a [u8] = replaced.id.as_bytes();
    let expires_at: Option<StoredInstant> = stored(replaced.expires_at);
    let revoked_at: Option<StoredInstant> = stored(replaced.revoked_at);
    let replaced_by: Option<&'a [u8]> = bytes_of(replaced.replaced_by.as_ref());
    let found = api_keys::table.filter(api_keys::id.eq(id));
    update(found).set((
        api_keys::expires_at.eq(expires_at),
        api_keys::revoked_at.eq(revoked_at),
        api_keys::replaced_by.eq(replaced_by),
    ))
}

/// Writes the fields of a key that a change may set.
#[auto_type]
pub fn change_key<'a>(changed: &'a ApiKey) -> _ {
    let id: &'a [u8] = changed.id.as_bytes();
    let label: &'a str = changed.label.as_str();
    let expires_at: Option<StoredInstant> = stored(changed.expires_at);
    let settings: Option<String> = settings_json(&changed.settings);
    update(api_keys::table.filter(api_keys::id.eq(id))).set((
        api_keys::label.eq(label),
        api_keys::expires_at.eq(expires_at),
        api_keys::settings.eq(settings),
    ))
}

fn stored(at: Option<Timestamp>) -> Option<StoredInstant> {
    at.map(Into::into)
}

fn bytes_of(id: Option<&KeyId>) -> Option<&[u8]> {
    id.map(|id| id.as_bytes().as_slice())
}

/// Deletes at most `$2` ([`BigInt`](diesel::sql_types::BigInt)) keys that ended before `$1` ([`Instant`]).
///
/// The second condition follows from the first, and serves the partial index. This is SQL text because diesel has no
/// subquery on the table of a deletion. Both databases number placeholders like this.
pub const DELETE_ENDED: &str = "DELETE FROM api_keys WHERE id IN (
    SELECT id FROM api_keys WHERE ends_at < $1 AND (revoked_at IS NOT NULL OR expires_at IS NOT NULL) LIMIT $2)";
