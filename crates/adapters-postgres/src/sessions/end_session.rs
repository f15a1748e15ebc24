use diesel::sql_types::{Binary, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sessions::{END_ALL, END_ONE};
use diesel_mapping::{DigestRow, Kept, digests_of, ids_of, owner_statement};
use domain::audit::Cause;
use domain::{CredentialDigest, OwnerId, SessionId};
use futures_util::future::join3;

use super::open_session::lock_owner;
use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::transaction::{Begin, settle};

/// Ends sessions of one user. Two round trips, and one more for several sessions.
pub(super) struct End<'a> {
    pub(super) owner: &'a OwnerId,
    pub(super) which: Which,
    pub(super) cause: &'a Cause,
}

/// Which of the owner's sessions are ended.
pub(super) enum Which {
    /// The session with this id.
    One(SessionId),
    /// All sessions, except for the one with this id.
    AllExcept(Option<SessionId>),
}

impl Work for End<'_> {
    type Answer = Vec<CredentialDigest>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let (deletion, id) = match &self.which {
            Which::One(id) => (END_ONE, Some(id)),
            Which::AllExcept(kept) => (END_ALL, kept.as_ref()),
        };
        let deletion =
            owner_statement(deletion, self.owner).bind::<Nullable<Binary>, _>(id.map(|id| id.as_bytes().as_slice()));
        // With the lock, the end of all sessions sees an opening, or its caller sees the end.
        let (begun, locked, ended) = join3(
            Begin.execute(&mut &*connection),
            lock_owner(connection, self.owner),
            Kept(deletion).load::<DigestRow>(&mut &*connection),
        )
        .await;
        let ended = begun.and(locked).and(ended)?;
        let ids = ids_of("sessions", &ended, SessionId::from_bytes)?;
        let digests = digests_of("sessions", &ended)?;
        let (written, committed) = commit_with(connection, &digests, &self.cause.sessions_ended(self.owner, ids)).await;
        // A commit with an unknown result is not repeated: the second answer would omit the sessions that the first one
        // ended.
        settle(written, committed)?;
        Ok(digests)
    }
}
