use diesel::OptionalExtension;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::{KeyRow, api_keys_of, key_by_digest, list_expiring};
use domain::ports::{ListExpiringRequest, LookedUp};
use domain::{ApiKey, CredentialDigest};

use super::rows::{digest_and_key, looked_up};
use crate::attempt::{Failure, Work};

/// Finds the key with this digest.
pub(super) struct FindByDigest<'a>(pub(super) &'a CredentialDigest);

impl Work for FindByDigest<'_> {
    type Answer = Vec<LookedUp<ApiKey>>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let row: Option<(KeyRow, bool)> = key_by_digest(self.0).first(&mut &*connection).await.optional()?;
        let looked_up =
            |(row, is_suspended)| Ok(LookedUp { digest: *self.0, stored: ApiKey::try_from(row)?, is_suspended });
        row.into_iter().map(looked_up).collect()
    }
}

/// Finds the keys with these digests. One statement for any number of digests.
pub(super) struct FindByDigests<'a>(pub(super) &'a [CredentialDigest]);

impl Work for FindByDigests<'_> {
    type Answer = Vec<LookedUp<ApiKey>>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let digests: Vec<&[u8]> = self.0.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let one = |(row, is_suspended)| {
            let (digest, stored) = digest_and_key(row)?;
            Ok(LookedUp { digest, stored, is_suspended })
        };
        looked_up(connection, &digests).await?.into_iter().map(one).collect()
    }
}

/// Keys of any owners that expire in an interval. One statement.
impl Work for ListExpiringRequest {
    type Answer = Vec<ApiKey>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<ApiKey>, Failure> {
        let rows = list_expiring(self).load(&mut &*connection).await?;
        Ok(api_keys_of(rows)?)
    }
}
