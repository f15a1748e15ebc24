use std::collections::HashSet;

use diesel::sql_types::{Array, Binary};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{DigestRow, Kept, StoredInstant, digests_of, statement};
use domain::ports::RevokeDigestsRequest;
use domain::{ApiKey, CredentialDigest};
use futures_util::future::join3;

use super::rows::{digest_and_key, with_digests};
use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::transaction::Begin;

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
) UPDATE api_keys SET revoked_at = $1 FROM unrevoked
    WHERE api_keys.id = unrevoked.id AND api_keys.revoked_at IS NULL RETURNING api_keys.id, api_keys.digest";

/// Revokes the keys with these digests. Two round trips, and one more for several keys.
impl Work for RevokeDigestsRequest {
    type Answer = Vec<(CredentialDigest, ApiKey)>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let digests: Vec<&[u8]> = self.digests.iter().map(|digest| digest.as_bytes().as_slice()).collect();
        let revocation = statement(REVOKE_BY_DIGESTS)
            .bind::<Instant, StoredInstant>(self.at.into())
            .bind::<Array<Binary>, _>(&digests);
        let (begun, revoked, rows) = join3(
            Begin.execute(&mut &*connection),
            Kept(revocation).load::<DigestRow>(&mut &*connection),
            with_digests(connection, &digests),
        )
        .await;
        let (revoked, rows) = (begun.and(revoked)?, rows?);
        let revoked: HashSet<CredentialDigest> = digests_of("api_keys", &revoked)?.into_iter().collect();
        let keys = rows.into_iter().map(digest_and_key).collect::<Result<Vec<_>, _>>()?;
        let leaked = keys.iter().filter(|(digest, _)| revoked.contains(digest)).map(|(_, key)| key);
        let stored: Vec<CredentialDigest> = keys.iter().map(|(digest, _)| *digest).collect();
        let (written, committed) = commit_with(connection, &stored, &self.cause.keys_leaked(leaked)).await;
        // A commit with an unknown result may be repeated: revoking again has no effect.
        written.and(committed)?;
        Ok(keys)
    }
}
