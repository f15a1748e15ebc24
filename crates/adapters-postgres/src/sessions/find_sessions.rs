use diesel::OptionalExtension;
use diesel::prelude::{ExpressionMethods, QueryDsl};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::owners::is_session_suspended;
use diesel_mapping::schema::sessions;
use diesel_mapping::sessions::{SESSION_COLUMNS, SessionRow, session_by_digest};
use diesel_mapping::stored_digest;
use domain::CredentialDigest;
use domain::ports::LookedUp;
use domain::sessions::Session;

use crate::attempt::{Failure, Work};

/// Finds the session with this digest.
pub(super) struct FindByDigest<'a>(pub(super) &'a CredentialDigest);

impl Work for FindByDigest<'_> {
    type Answer = Vec<LookedUp<Session>>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let row: Option<(SessionRow, bool)> = session_by_digest(self.0).first(&mut &*connection).await.optional()?;
        let looked_up =
            |(row, is_suspended)| Ok(LookedUp { digest: *self.0, stored: Session::try_from(row)?, is_suspended });
        row.into_iter().map(looked_up).collect()
    }
}

/// Finds the sessions with these digests. One statement for any number of digests.
pub(super) struct FindByDigests<'a>(pub(super) &'a [CredentialDigest]);

impl Work for FindByDigests<'_> {
    type Answer = Vec<LookedUp<Session>>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let digests: Vec<&[u8]> = self.0.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let columns = (SESSION_COLUMNS, sessions::digest, is_session_suspended());
        let found = sessions::table.filter(sessions::digest.eq_any(&digests)).select(columns);
        let rows: Vec<(SessionRow, Vec<u8>, bool)> = found.load(&mut &*connection).await?;
        let looked_up = |(row, digest, is_suspended): (SessionRow, Vec<u8>, bool)| {
            let stored = Session::try_from(row)?;
            let digest = stored_digest("sessions", || stored.id.to_string(), &digest)?;
            Ok(LookedUp { digest, stored, is_suspended })
        };
        rows.into_iter().map(looked_up).collect()
    }
}
