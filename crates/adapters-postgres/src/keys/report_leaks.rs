use diesel::prelude::{ExpressionMethods, QueryDsl};
use diesel::sql_types::{Array, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::{KEY_COLUMNS, KeyRow};
use diesel_mapping::schema::api_keys;
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant};
use domain::{ApiKey, CredentialDigest, Timestamp};
use futures_util::future::join5;

use super::find_keys::keys_with_digests;
use crate::attempt::{Failure, Work};
use crate::transaction::{Begin, Commit, InTime};

/// The rows are locked in the order of their ids, so that two reports cannot deadlock. Every stored key goes to the
/// feed, whether it was already revoked or not.
///
/// The ids are found before they are sorted: the connection allows no sort where an index has the order
/// ([`Purpose::Calls`](crate::server::Purpose)), and the server would go through the whole index of ids.
const REVOKE_BY_DIGESTS: &str = "WITH leaked AS MATERIALIZED (
    SELECT id FROM api_keys WHERE digest = ANY($2) AND revoked_at IS NULL
), unrevoked AS (
    SELECT key.id FROM (SELECT id FROM leaked ORDER BY id) AS sorted JOIN api_keys AS key ON key.id = sorted.id
    WHERE key.revoked_at IS NULL FOR NO KEY UPDATE OF key
), revoked AS (
    UPDATE api_keys SET revoked_at = $1 FROM unrevoked
    WHERE api_keys.id = unrevoked.id AND api_keys.revoked_at IS NULL
) INSERT INTO credential_changes (digest) SELECT digest FROM api_keys WHERE digest = ANY($2)";

/// Revokes the keys with these digests. One round trip. Also returns whether the feed has any of the keys.
pub(crate) struct RevokeByDigests<'a> {
    pub(crate) digests: &'a [CredentialDigest],
    pub(crate) at: Timestamp,
}

impl Work for RevokeByDigests<'_> {
    type Answer = (Vec<(CredentialDigest, ApiKey)>, bool);

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let digests: Vec<&[u8]> = self.digests.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let revocation = diesel::sql_query(REVOKE_BY_DIGESTS)
            .bind::<Instant, StoredInstant>(self.at.into())
            .bind::<Array<Binary>, _>(&digests);
        let found = api_keys::table.filter(api_keys::digest.eq_any(&digests)).select((KEY_COLUMNS, api_keys::digest));
        let (begun, revoked, rows, in_time, committed) = join5(
            Begin.execute(&mut &*connection),
            Kept(revocation).execute(&mut &*connection),
            found.load::<(KeyRow, Vec<u8>)>(&mut &*connection),
            InTime.execute(&mut &*connection),
            Commit.execute(&mut &*connection),
        )
        .await;
        // A commit with an unknown result may be repeated: revoking again changes nothing.
        let (revoked, rows) = (begun.and(revoked)?, rows?);
        in_time.and(committed)?;
        Ok((keys_with_digests(rows)?, revoked > 0))
    }
}
