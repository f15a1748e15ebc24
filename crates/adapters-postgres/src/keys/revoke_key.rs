use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use diesel_mapping::keys::{keys_of_owner, revoke_key};
use domain::ports::{Revocation, RevokeKeyRequest};
use domain::{ApiKey, CredentialDigest};
use futures_util::future::join4;

use super::rows::{digest_and_key, found, listed};
use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::transaction::{Begin, rolled_back};

/// Revokes a key. Two round trips, and one more if it was the successor of a key that is still good. If one call waits
/// for another, the later call has no effect: PostgreSQL checks the condition again after the wait. The key goes to the
/// feed, whether it was already revoked or not.
impl Work for RevokeKeyRequest {
    type Answer = Revocation;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Revocation, Failure> {
        let (begun, revoked, key, rows) = join4(
            Begin.execute(&mut &*connection),
            Kept(revoke_key(&self.owner, &self.id, self.at)).execute(&mut &*connection),
            found(connection, &self.id),
            listed(connection, &self.owner, self.view),
        )
        .await;
        let (revoked, key, rows) = (begun.and(revoked)?, key?, rows?);
        let keys = self.view.select(keys_of_owner(&self.owner, rows)?);
        let refused = match key.map(digest_and_key).transpose()? {
            None => Revocation::NotFound,
            Some((_, key)) if key.owner != self.owner => Revocation::NotOwned,
            Some((digest, _)) => return commit(self, digest, revoked > 0, keys, connection).await,
        };
        rolled_back(connection, refused).await
    }
}

async fn commit(
    request: &RevokeKeyRequest,
    digest: CredentialDigest,
    is_new: bool,
    keys: Vec<ApiKey>,
    connection: &AsyncPgConnection,
) -> Result<Revocation, Failure> {
    let events =
        if is_new { request.cause.key_revoked(request.id, &request.owner, &keys, request.at) } else { Vec::new() };
    let (written, committed) = commit_with(connection, &[digest], &events).await;
    // A commit with an unknown result may be repeated: revoking again has no effect.
    written.and(committed)?;
    Ok(Revocation::Revoked { digest, keys })
}
