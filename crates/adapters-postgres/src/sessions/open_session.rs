use diesel::QueryResult;
use diesel::sql_types::{BigInt, Binary, Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::sessions;
use diesel_mapping::sessions::{END_SURPLUS, NewSessionRow, seen_since};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{DigestRow, Kept, StoredInstant, digests_of, ids_of, owner_statement};
use domain::audit::Cause;
use domain::sessions::Session;
use domain::{CredentialDigest, OwnerId, SessionId};
use futures_util::future::join4;

use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::transaction::{Begin, settle};

/// Opens a session, and ends the owner's oldest sessions beyond the maximum. Two round trips, and one more
/// if a session ends.
pub(super) struct Open<'a> {
    pub(super) session: &'a Session,
    pub(super) digest: &'a CredentialDigest,
    pub(super) max: u32,
    pub(super) cause: &'a Cause,
}

impl Work for Open<'_> {
    type Answer = Vec<CredentialDigest>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let Self { session, digest, max, cause } = *self;
        let surplus = owner_statement(END_SURPLUS, &session.owner)
            .bind::<Binary, _>(session.id.as_bytes().as_slice())
            .bind::<Instant, StoredInstant>(session.created_at.into())
            .bind::<Instant, StoredInstant>(seen_since(session.created_at))
            .bind::<Bool, _>(!session.role.signs_in())
            .bind::<BigInt, i64>(i64::from(max) - 1);
        let (begun, locked, inserted, ended) = join4(
            Begin.execute(&mut &*connection),
            lock_owner(connection, &session.owner),
            diesel::insert_into(sessions::table).values(NewSessionRow::new(session, digest)).execute(&mut &*connection),
            Kept(surplus).load::<DigestRow>(&mut &*connection),
        )
        .await;
        let ended = begun.and(locked).and(inserted).and(ended)?;
        let ids = ids_of("sessions", &ended, SessionId::from_bytes)?;
        let digests = digests_of("sessions", &ended)?;
        let (written, committed) = commit_with(connection, &digests, &cause.session_opened(session, ids)).await;
        settle(written, committed)?;
        Ok(digests)
    }
}

/// Makes calls for one owner wait for each other until the end of the transaction, so that the statements after the
/// lock see the sessions of earlier calls. Unlike the row in `key_owners`, this lock leaves no row. Two owners that
/// share a number only wait for each other. See decision 64.
pub(super) async fn lock_owner(connection: &AsyncPgConnection, owner: &OwnerId) -> QueryResult<usize> {
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, hashtextextended($2, 0)))";
    Kept(owner_statement(lock, owner)).execute(&mut &*connection).await
}
