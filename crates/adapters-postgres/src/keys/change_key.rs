use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use diesel_mapping::keys::change_key;
use domain::ports::{ChangeKeyRequest, ChangedKey};
use futures_util::future::join;

use super::rows::{digest_and_key, locked};
use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::transaction::{Begin, rolled_back, settle};

/// Changes a key. Two round trips. Takes the lock of the key alone, as a revocation does: the change does not affect
/// the owner's number of active keys.
impl Work for ChangeKeyRequest {
    type Answer = ChangedKey;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<ChangedKey, Failure> {
        let (begun, found) = join(Begin.execute(&mut &*connection), locked(connection, &self.id)).await;
        begun?;
        let answer = match found?.map(digest_and_key).transpose()? {
            None => ChangedKey::NotFound,
            Some((_, key)) if key.owner != self.owner => ChangedKey::NotOwned,
            Some((digest, before)) => match self.change.decide(&before, self.at) {
                Ok(key) if key == before => ChangedKey::Unchanged(Box::new(key)),
                Ok(key) => {
                    let event = self.cause.key_changed(&before, &key);
                    let (updated, (written, committed)) = join(
                        Kept(change_key(&key)).execute(&mut &*connection),
                        commit_with(connection, &[digest], event.as_slice()),
                    )
                    .await;
                    settle(updated.and(written), committed)?;
                    return Ok(ChangedKey::Changed { digest, key: Box::new(key) });
                }
                Err(refusal) => ChangedKey::Refused(refusal),
            },
        };
        rolled_back(connection, answer).await
    }
}
