use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::{RevokedRow, place_of, revoked};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant, statement};
use domain::CredentialDigest;
use domain::ports::RevokeUserKeysRequest;
use futures_util::future::join;

use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::transaction::{Begin, settle};

/// The rows are locked in the order of their ids, so that two calls cannot deadlock. The limit counts locked rows, and
/// PostgreSQL checks the condition again after it has waited for a lock: the limit is reached if such keys remain.
///
/// The ids are found before they are sorted, as in [`super::report_leaks`].
fn revocation(column: &str) -> String {
    format!(
        "WITH theirs AS MATERIALIZED (
            SELECT id FROM api_keys
            WHERE owner_issuer = $2 AND {column} = $3 AND ends_at IS NOT NULL AND revoked_at IS NULL AND created_at < $4
        ), found AS (
            SELECT key.id FROM (SELECT id FROM theirs ORDER BY id) AS sorted JOIN api_keys AS key ON key.id = sorted.id
            WHERE key.revoked_at IS NULL LIMIT $5 FOR NO KEY UPDATE OF key
        ) UPDATE api_keys SET revoked_at = $1 FROM found WHERE api_keys.id = found.id
        RETURNING api_keys.id, digest, owner_subject"
    )
}

/// Revokes keys of one person. Two round trips, and one more for several keys.
impl Work for RevokeUserKeysRequest {
    type Answer = Vec<CredentialDigest>;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Self::Answer, Failure> {
        let (issuer, column, subject) = place_of(&self.of);
        let revocation = statement(revocation(column))
            .bind::<Instant, StoredInstant>(self.at.into())
            .bind::<Text, _>(&issuer)
            .bind::<Text, _>(subject)
            .bind::<Instant, StoredInstant>(self.created_before.into())
            .bind::<BigInt, i64>(self.max.into());
        let (begun, rows) =
            join(Begin.execute(&mut &*connection), Kept(revocation).load::<RevokedRow>(&mut &*connection)).await;
        let (digests, events) = revoked(&issuer, &begun.and(rows)?, &self.cause)?;
        let (written, committed) = commit_with(connection, &digests, &events).await;
        // A commit with an unknown result is not repeated: the second answer would omit the keys that the first one
        // revoked.
        settle(written, committed)?;
        Ok(digests)
    }
}
