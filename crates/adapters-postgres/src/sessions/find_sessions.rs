use diesel::OptionalExtension;
use diesel::prelude::{ExpressionMethods, JoinOnDsl, QueryDsl};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::owners::{StandingRow, is_of_session, looked_up, standing};
use diesel_mapping::schema::{owners, sessions};
use diesel_mapping::sessions::{SessionRow, session_by_digest};
use diesel_mapping::{Place, columns_of, stored_digest};
use domain::CredentialDigest;
use domain::ports::LookedUp;
use domain::sessions::Session;

use crate::attempt::{Failure, Work};

/// Finds the session with this digest.
pub(super) struct FindByDigest<'a>(pub(super) &'a CredentialDigest);

impl Work for FindByDigest<'_> {
    type Answer = Vec<LookedUp<Session>>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let row: Option<(SessionRow, StandingRow)> =
            session_by_digest(self.0).first(&mut &*connection).await.optional()?;
        row.into_iter().map(|(row, standing)| one(*self.0, row.try_into()?, standing)).collect()
    }
}

/// Finds the sessions with these digests. One statement for any number of digests.
pub(super) struct FindByDigests<'a>(pub(super) &'a [CredentialDigest]);

impl Work for FindByDigests<'_> {
    type Answer = Vec<LookedUp<Session>>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let digests: Vec<&[u8]> = self.0.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let found = sessions::table
            .left_join(owners::table.on(is_of_session()))
            .filter(sessions::digest.eq_any(&digests))
            .select((columns_of::<SessionRow>(), sessions::digest, standing()));
        let rows: Vec<(SessionRow, Vec<u8>, StandingRow)> = found.load(&mut &*connection).await?;
        let looked_up = |(row, digest, standing): (SessionRow, Vec<u8>, StandingRow)| {
            let stored = Session::try_from(row)?;
            let digest = stored_digest(Place { table: "sessions", row: &stored.id }, &digest)?;
            one(digest, stored, standing)
        };
        rows.into_iter().map(looked_up).collect()
    }
}

fn one(digest: CredentialDigest, stored: Session, standing: StandingRow) -> Result<LookedUp<Session>, Failure> {
    let owner = stored.owner.clone();
    Ok(looked_up(&owner, digest, stored, standing)?)
}
