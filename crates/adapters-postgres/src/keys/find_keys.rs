use diesel::OptionalExtension;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::{KeyRow, key_by_digest, list_expiring};
use diesel_mapping::owners::{StandingRow, looked_up};
use diesel_mapping::values_of;
use domain::ports::{ListExpiringRequest, LookedUp};
use domain::{ApiKey, CredentialDigest};

use super::rows::{digest_and_key, with_standings};
use crate::attempt::{Failure, Work};

/// Finds the key with this digest.
pub(super) struct FindByDigest<'a>(pub(super) &'a CredentialDigest);

impl Work for FindByDigest<'_> {
    type Answer = Vec<LookedUp<ApiKey>>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let row: Option<(KeyRow, StandingRow)> = key_by_digest(self.0).first(&mut &*connection).await.optional()?;
        row.into_iter().map(|(row, standing)| one(*self.0, row.try_into()?, standing)).collect()
    }
}

/// Finds the keys with these digests. One statement for any number of digests.
pub(super) struct FindByDigests<'a>(pub(super) &'a [CredentialDigest]);

impl Work for FindByDigests<'_> {
    type Answer = Vec<LookedUp<ApiKey>>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let digests: Vec<&[u8]> = self.0.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let looked_up = |(row, standing)| {
            let (digest, stored) = digest_and_key(row)?;
            one(digest, stored, standing)
        };
        with_standings(connection, &digests).await?.into_iter().map(looked_up).collect()
    }
}

fn one(digest: CredentialDigest, stored: ApiKey, standing: StandingRow) -> Result<LookedUp<ApiKey>, Failure> {
    let owner = stored.owner.clone();
    Ok(looked_up(&owner, digest, stored, standing)?)
}

/// Keys of any owners that expire in an interval. One statement.
impl Work for ListExpiringRequest {
    type Answer = Vec<ApiKey>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<ApiKey>, Failure> {
        let rows: Vec<KeyRow> = list_expiring(self).load(&mut &*connection).await?;
        Ok(values_of(rows)?)
    }
}
