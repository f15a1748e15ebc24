//! What both back ends say in the same SQL. "Active" and "ended" repeat `ApiKey::is_active` and `ApiKey::ended_at`;
//! the conformance suite holds the two together at the boundary.
#![expect(missing_docs, reason = "`auto_type` names the type of each query like its function, without a comment")]

use diesel::dsl::{auto_type, case_when, not, update};
use diesel::prelude::*;
use diesel::sql_types::Nullable;
use domain::{KeyDigest, KeyId, ListView, Timestamp, UserId};

use crate::schema::api_keys;
use crate::sql_types::Instant;
use crate::{KEY_COLUMNS, KeyColumns, StoredInstant};

#[diesel::declare_sql_function]
extern "SQL" {
    /// The first of the two that is not null.
    fn coalesce(first: Nullable<Instant>, second: Instant) -> Instant;
}

/// The key is this owner's.
#[auto_type]
pub fn owned_by<'a>(owner: &'a UserId) -> _ {
    let issuer: &'a str = owner.issuer();
    let subject: &'a str = owner.subject();
    api_keys::owner_issuer.eq(issuer).and(api_keys::owner_subject.eq(subject))
}

/// The key is active at `at`.
#[auto_type]
pub fn active_at(at: StoredInstant) -> _ {
    api_keys::revoked_at.is_null().and(api_keys::expires_at.is_null().or(api_keys::expires_at.assume_not_null().gt(at)))
}

/// When the key ended. Only for keys that did by `at`: revoked, or expired by then.
#[auto_type]
pub fn ended_at(at: StoredInstant) -> _ {
    let expired = api_keys::expires_at.assume_not_null().le(at);
    let expired_first = expired.and(api_keys::expires_at.assume_not_null().lt(api_keys::revoked_at.assume_not_null()));
    case_when(api_keys::revoked_at.is_null(), api_keys::expires_at)
        .when(expired_first, api_keys::expires_at)
        .otherwise(api_keys::revoked_at)
}

/// How many active keys the owner has.
#[auto_type]
pub fn count_active<'a>(owner: &'a UserId, at: Timestamp) -> _ {
    let is_theirs: owned_by<'a> = owned_by(owner);
    let is_active: active_at = active_at(at.into());
    api_keys::table.filter(is_theirs).filter(is_active).count()
}

/// The owner's keys as [`ListView::select`] picks them, in no order: every active one, and of the ended ones those
/// that ended last. `select` orders them, so that the order is stated once.
#[auto_type]
pub fn list_keys<'a>(owner: &'a UserId, view: ListView) -> _ {
    let is_active: active_at = active_at(view.at.into());
    let is_still_active: active_at = active_at(view.at.into());
    let ended_at: ended_at = ended_at(view.at.into());
    let ended_max: i64 = view.ended_max.into();
    let keys: keys_of<'a> = keys_of(owner);
    let more_keys: keys_of<'a> = keys_of(owner);
    let ended = more_keys.filter(not(is_still_active)).order((ended_at.desc(), api_keys::id.desc())).limit(ended_max);
    keys.filter(is_active).union_all(ended)
}

#[auto_type]
fn keys_of<'a>(owner: &'a UserId) -> _ {
    let columns: KeyColumns = KEY_COLUMNS;
    let is_theirs: owned_by<'a> = owned_by(owner);
    api_keys::table.filter(is_theirs).select(columns)
}

/// The key under a digest.
#[auto_type]
pub fn key_by_digest<'a>(digest: &'a KeyDigest) -> _ {
    let digest: &'a [u8] = digest.as_bytes();
    let columns: KeyColumns = KEY_COLUMNS;
    api_keys::table.filter(api_keys::digest.eq(digest)).select(columns)
}

/// Whose the key is: issuer and subject.
#[auto_type]
pub fn owner_of<'a>(id: &'a KeyId) -> _ {
    let id: &'a [u8] = id.as_bytes();
    api_keys::table.filter(api_keys::id.eq(id)).select((api_keys::owner_issuer, api_keys::owner_subject))
}

/// Revokes the owner's key, unless it is revoked: then it stays as it is. Touches one row in both cases.
#[auto_type]
pub fn revoke_key<'a>(owner: &'a UserId, id: &'a KeyId, at: Timestamp) -> _ {
    let id: &'a [u8] = id.as_bytes();
    let at: StoredInstant = at.into();
    let is_theirs: owned_by<'a> = owned_by(owner);
    let found = api_keys::table.filter(is_theirs).filter(api_keys::id.eq(id));
    update(found).set(api_keys::revoked_at.eq(coalesce(api_keys::revoked_at, at).nullable()))
}

/// Deletes at most `$2` ([`BigInt`](diesel::sql_types::BigInt)) keys that ended before `$1` ([`Instant`]).
///
/// `ApiKey::ended_at` is earlier than `$1` when either of its two instants is. Each half reads its own partial index,
/// and no key is in both, so that the limit stops the search. SQL text, because the query builder has no subquery on
/// the table that is deleted from; both back ends number placeholders so.
pub const DELETE_ENDED: &str = "DELETE FROM api_keys WHERE id IN (SELECT id FROM (
    SELECT id FROM api_keys WHERE revoked_at < $1
    UNION ALL
    SELECT id FROM api_keys WHERE expires_at < $1 AND (revoked_at IS NULL OR revoked_at >= $1)
) AS ended LIMIT $2)";
