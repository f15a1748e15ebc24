use diesel::OptionalExtension;
use diesel::prelude::{ExpressionMethods, QueryDsl};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::schema::sessions;
use diesel_mapping::sessions::{SESSION_COLUMNS, SessionRow, session_by_digest};
use diesel_mapping::stored_digest;
use domain::CredentialDigest;
use domain::sessions::Session;

use crate::attempt::{Failure, Work};

/// Finds the session with this digest.
pub(super) struct FindByDigest<'a>(pub(super) &'a CredentialDigest);

impl Work for FindByDigest<'_> {
    type Answer = Option<Session>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Option<Session>, Failure> {
        let row: Option<SessionRow> = session_by_digest(self.0).first(&mut &*connection).await.optional()?;
        Ok(row.map(Session::try_from).transpose()?)
    }
}

/// Finds the sessions with these digests. One statement for any number of digests.
pub(super) struct FindByDigests<'a>(pub(super) &'a [CredentialDigest]);

impl Work for FindByDigests<'_> {
    type Answer = Vec<(CredentialDigest, Session)>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let digests: Vec<&[u8]> = self.0.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let found =
            sessions::table.filter(sessions::digest.eq_any(&digests)).select((SESSION_COLUMNS, sessions::digest));
        let rows: Vec<(SessionRow, Vec<u8>)> = found.load(&mut &*connection).await?;
        let session_with_digest = |(row, digest): (SessionRow, Vec<u8>)| {
            let session = Session::try_from(row)?;
            Ok((stored_digest("sessions", || session.id.to_string(), &digest)?, session))
        };
        rows.into_iter().map(session_with_digest).collect()
    }
}
