use diesel::sql_types::{BigInt, Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::sessions;
use diesel_mapping::sessions::{END_SURPLUS, NewSessionRow, seen_since};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{DigestRow, Kept, StoredInstant, digests_of};
use domain::CredentialDigest;
use domain::sessions::Session;
use futures_util::future::{join, join4};

use super::end_session::reported;
use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, InTime, settle};

/// Makes calls for one owner wait for each other until the end of the transaction, so that the statements that follow
/// see the sessions of the calls before. Unlike the row in `key_owners`, this lock leaves nothing behind. Two owners that
/// share a number only wait for each other. See decision 64.
const LOCK_OWNER: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1, hashtextextended($2, 0)))";

/// Opens a session, and ends the owner's oldest sessions beyond the maximum. One round trip.
pub(super) struct Open<'a> {
    pub(super) session: &'a Session,
    pub(super) digest: &'a CredentialDigest,
    pub(super) max: u32,
}

impl Work for Open<'_> {
    type Answer = Vec<CredentialDigest>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let Self { session, digest, max } = *self;
        let (issuer, subject) = (session.owner.issuer(), session.owner.subject());
        let lock = diesel::sql_query(LOCK_OWNER).bind::<Text, _>(issuer).bind::<Text, _>(subject);
        let surplus = diesel::sql_query(reported(END_SURPLUS))
            .bind::<Text, _>(issuer)
            .bind::<Text, _>(subject)
            .bind::<Binary, _>(session.id.as_bytes().as_slice())
            .bind::<Instant, StoredInstant>(session.created_at.into())
            .bind::<Instant, StoredInstant>(seen_since(session.created_at))
            .bind::<BigInt, i64>(i64::from(max) - 1);
        let ((begun, locked), (inserted, ended, in_time, committed)) = join(
            join(Begin.execute(&mut &*connection), Kept(lock).execute(&mut &*connection)),
            join4(
                diesel::insert_into(sessions::table)
                    .values(NewSessionRow::new(session, digest))
                    .execute(&mut &*connection),
                Kept(surplus).load::<DigestRow>(&mut &*connection),
                InTime.execute(&mut &*connection),
                Commit.execute(&mut &*connection),
            ),
        )
        .await;
        let done = begun.and(locked).and(inserted).and(ended);
        let ended = settle(done.and_then(|rows| in_time.map(|_| rows)), committed)?;
        Ok(digests_of("sessions", &ended)?)
    }
}
