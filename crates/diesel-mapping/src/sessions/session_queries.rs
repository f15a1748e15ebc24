//! Queries that both databases run. "Good" and "ended" repeat the methods of `Session`; the conformance suite tests that
//! both agree at every boundary.
#![expect(missing_docs, reason = "`auto_type` names the type of each query like its function, without a comment")]

use diesel::dsl::auto_type;
use diesel::prelude::*;
use domain::sessions::SESSION_IDLE_MAX;
use domain::{CredentialDigest, OwnerId, Timestamp};

use super::session_row::SessionRow;
use crate::owners::{is_of_session, standing};
use crate::schema::{owners, sessions};
use crate::{Columns, StoredInstant, columns_of};

/// The boundary of idle sessions: a session that was last seen at this instant or before has ended at `at`.
pub fn seen_since(at: Timestamp) -> StoredInstant {
    at.minus(SESSION_IDLE_MAX).into()
}

/// The owner's sessions that are good at `at`, without links, newest first.
#[auto_type]
pub fn list_sessions<'a>(owner: &'a OwnerId, at: Timestamp) -> _ {
    let issuer: &'a str = owner.issuer();
    let subject: &'a str = owner.subject();
    let columns: Columns<SessionRow> = columns_of::<SessionRow>();
    let now: StoredInstant = at.into();
    let seen_since: StoredInstant = seen_since(at);
    let is_theirs = sessions::owner_issuer.eq(issuer).and(sessions::owner_subject.eq(subject));
    let is_good = sessions::expires_at.gt(now).and(sessions::seen_at.gt(seen_since)).and(sessions::role.ne("link"));
    let newest_first = (sessions::created_at.desc(), sessions::id.desc());
    sessions::table.filter(is_theirs).filter(is_good).order(newest_first).select(columns)
}

/// The session under a digest, with the state and the rate limits of its owner.
#[auto_type]
pub fn session_by_digest<'a>(digest: &'a CredentialDigest) -> _ {
    let digest: &'a [u8] = digest.as_bytes();
    let columns: Columns<SessionRow> = columns_of::<SessionRow>();
    let standing: standing = standing();
    let is_theirs: is_of_session = is_of_session();
    sessions::table
        .left_join(owners::table.on(is_theirs))
        .filter(sessions::digest.eq(digest))
        .select((columns, standing))
}

/// Deletes the session `$3` of the owner with the issuer `$1` and the subject `$2`.
///
/// This and the following are SQL text because diesel has no `RETURNING` on SQLite and no subquery on the table of a
/// deletion. Both databases number placeholders like this.
pub const END_ONE: &str =
    "DELETE FROM sessions WHERE owner_issuer = $1 AND owner_subject = $2 AND id = $3 RETURNING id, digest";

/// Deletes the owner's sessions and links, except for `$3`, which may be null.
pub const END_ALL: &str = "DELETE FROM sessions
    WHERE owner_issuer = $1 AND owner_subject = $2 AND id IS DISTINCT FROM $3 RETURNING id, digest";

/// Deletes the owner's good sessions, except for `$3` and for the `$7` newest of the others. A session is good if it
/// expires after `$4` and was seen after `$5` ([`seen_since`]). Links count if `$6`, and other sessions if not. SQLite
/// allows an offset only after a limit.
pub const END_SURPLUS: &str = "DELETE FROM sessions WHERE id IN (
    SELECT id FROM sessions
    WHERE owner_issuer = $1 AND owner_subject = $2 AND id <> $3 AND expires_at > $4 AND seen_at > $5
        AND (role = 'link') = $6
    ORDER BY created_at DESC, id DESC LIMIT 1000000 OFFSET $7
) RETURNING id, digest";

/// How many of the first `$1` sessions expire after `$2` and were seen after `$3` ([`seen_since`]). SQLite numbers the
/// places by their order in the statement.
pub const COUNT_GOOD: &str =
    "SELECT count(*) AS count FROM (SELECT expires_at, seen_at FROM sessions LIMIT $1) AS first
    WHERE expires_at > $2 AND seen_at > $3";

/// Deletes at most `$3` sessions that ended through time: that expired before `$1`, or were last seen before `$2`.
pub const DELETE_ENDED: &str = "DELETE FROM sessions WHERE id IN (
    SELECT id FROM sessions WHERE expires_at < $1 OR seen_at < $2 LIMIT $3
)";
