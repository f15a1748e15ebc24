use diesel::OptionalExtension;
use diesel::prelude::{ExpressionMethods, QueryDsl};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::{KEY_COLUMNS, KeyRow, api_keys_of, digest_of, key_by_digest, list_expiring};
use diesel_mapping::schema::api_keys;
use domain::ports::StoreError;
use domain::{ApiKey, CredentialDigest, KeyId, Timestamp};

use crate::attempt::{Failure, Work};

/// Finds the key with this digest.
pub(super) struct FindByDigest<'a>(pub(super) &'a CredentialDigest);

impl Work for FindByDigest<'_> {
    type Answer = Option<ApiKey>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Option<ApiKey>, Failure> {
        let row = key_by_digest(self.0).first::<KeyRow>(&mut &*connection).await.optional()?;
        Ok(row.map(ApiKey::try_from).transpose()?)
    }
}

/// Finds the keys with these digests. One statement for any number of digests.
pub(super) struct FindByDigests<'a>(pub(super) &'a [CredentialDigest]);

impl Work for FindByDigests<'_> {
    type Answer = Vec<(CredentialDigest, ApiKey)>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let digests: Vec<&[u8]> = self.0.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let found = api_keys::table.filter(api_keys::digest.eq_any(&digests)).select((KEY_COLUMNS, api_keys::digest));
        let rows = found.load::<(KeyRow, Vec<u8>)>(&mut &*connection).await?;
        Ok(keys_with_digests(rows)?)
    }
}

/// Keys of any owners that expire in an interval. One statement.
pub(super) struct ListExpiring {
    pub(super) after: (Timestamp, KeyId),
    pub(super) until: Timestamp,
    pub(super) max: u32,
}

impl Work for ListExpiring {
    type Answer = Vec<ApiKey>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Vec<ApiKey>, Failure> {
        let (at, id) = &self.after;
        let rows = list_expiring((*at, id), self.until, self.max).load::<KeyRow>(&mut &*connection).await?;
        Ok(api_keys_of(rows)?)
    }
}

/// The keys of these rows, each with its stored digest.
pub(super) fn keys_with_digests(rows: Vec<(KeyRow, Vec<u8>)>) -> Result<Vec<(CredentialDigest, ApiKey)>, StoreError> {
    let key_with_digest = |(row, digest): (KeyRow, Vec<u8>)| {
        let key = ApiKey::try_from(row)?;
        Ok((digest_of(key.id, &digest)?, key))
    };
    rows.into_iter().map(key_with_digest).collect()
}
