use diesel::OptionalExtension;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::{KeyRow, api_keys_of, key_by_digest, list_expiring};
use domain::ports::ListExpiringRequest;
use domain::{ApiKey, CredentialDigest};

use super::rows::{digest_and_key, with_digests};
use crate::attempt::{Failure, Work};

/// Finds the key with this digest.
pub(super) struct FindByDigest<'a>(pub(super) &'a CredentialDigest);

impl Work for FindByDigest<'_> {
    type Answer = Option<ApiKey>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Option<ApiKey>, Failure> {
        let row: Option<KeyRow> = key_by_digest(self.0).first(&mut &*connection).await.optional()?;
        Ok(row.map(ApiKey::try_from).transpose()?)
    }
}

/// Finds the keys with these digests. One statement for any number of digests.
pub(super) struct FindByDigests<'a>(pub(super) &'a [CredentialDigest]);

impl Work for FindByDigests<'_> {
    type Answer = Vec<(CredentialDigest, ApiKey)>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let digests: Vec<&[u8]> = self.0.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let rows = with_digests(connection, &digests).await?;
        Ok(rows.into_iter().map(digest_and_key).collect::<Result<_, _>>()?)
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
