use diesel::OptionalExtension;
use diesel::sql_types::{Binary, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::keys::{KeyRow, ListedRow, digest_of, key_by_id, keys_of_owner, list_keys};
use diesel_mapping::sql_types::Instant;
use diesel_mapping::{Kept, StoredInstant};
use domain::audit::Cause;
use domain::ports::Revocation;
use domain::{ApiKey, KeyId, ListView, Timestamp, UserId};
use futures_util::future::join4;

use crate::attempt::{CountRow, Failure, Work};
use crate::audit::commit_with;
use crate::transaction::Begin;

/// `keys::revoke_key`, which also writes the key to the feed, whether it was already revoked or not. Counts the keys that
/// it has revoked. If one call waits for another, the later call changes nothing: PostgreSQL checks the condition again
/// after the wait.
const REVOKE: &str = "WITH found AS (
    SELECT digest FROM api_keys WHERE owner_issuer = $2 AND owner_subject = $3 AND id = $4
), revoked AS (
    UPDATE api_keys SET revoked_at = $1
    WHERE owner_issuer = $2 AND owner_subject = $3 AND id = $4 AND revoked_at IS NULL RETURNING id
), changes AS (
    INSERT INTO credential_changes (digest) SELECT digest FROM found
) SELECT count(*) AS count FROM revoked";

/// Revokes a key. Two round trips, and one more if it was the successor of a key that is still good.
pub(crate) struct Revoke<'a> {
    pub(crate) owner: &'a UserId,
    pub(crate) id: KeyId,
    pub(crate) at: Timestamp,
    pub(crate) view: ListView,
    pub(crate) cause: &'a Cause,
}

impl Work for Revoke<'_> {
    type Answer = Revocation;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Revocation, Failure> {
        let revocation = diesel::sql_query(REVOKE)
            .bind::<Instant, StoredInstant>(self.at.into())
            .bind::<Text, _>(self.owner.issuer())
            .bind::<Text, _>(self.owner.subject())
            .bind::<Binary, _>(self.id.as_bytes().as_slice());
        let (begun, revoked, found, rows) = join4(
            Begin.execute(&mut &*connection),
            Kept(revocation).get_result::<CountRow>(&mut &*connection),
            key_by_id(&self.id).get_result::<(KeyRow, Vec<u8>)>(&mut &*connection),
            list_keys(self.owner, self.view).load::<ListedRow>(&mut &*connection),
        )
        .await;
        let (revoked, found, rows) = (begun.and(revoked)?, found.optional()?, rows?);
        let keys = self.view.select(keys_of_owner(self.owner, rows)?);
        let is_new = revoked.count > 0;
        let events = if is_new { self.cause.key_revoked(self.id, self.owner, &keys, self.at) } else { Vec::new() };
        let (written, committed) = commit_with(connection, &events).await;
        // A commit with an unknown result may be repeated: revoking again changes nothing.
        written.and(committed)?;
        let Some((row, digest)) = found else { return Ok(Revocation::NotFound) };
        let key = ApiKey::try_from(row)?;
        if key.owner != *self.owner {
            return Ok(Revocation::NotOwned);
        }
        Ok(Revocation::Revoked { digest: digest_of(self.id, &digest)?, keys })
    }
}
