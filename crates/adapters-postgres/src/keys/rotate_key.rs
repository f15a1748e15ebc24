use diesel_async::{AsyncPgConnection, RunQueryDsl};
use diesel_mapping::Kept;
use diesel_mapping::keys::{NewKeyRow, count_being_replaced, keys_of_owner, replace_key};
use diesel_mapping::owners::{LimitsRow, limits_in, limits_of};
use diesel_mapping::schema::api_keys;
use domain::ports::{RotateKeyRequest, Rotation};
use domain::{ApiKey, CredentialDigest, Rotated};
use futures_util::future::{join, join3, join5};

use super::rows::{digest_and_key, listed, locked};
use crate::attempt::{Failure, Work};
use crate::audit::commit_with;
use crate::owner_lock::lock_owner;
use crate::transaction::{Begin, rolled_back, settle};

/// Replaces a key with its successor. Two round trips.
///
/// Takes the owner's lock first, so that insertions and other rotations count either before or after this rotation.
/// Then takes the lock of the key, so that a revocation, which takes only this lock, is before or after it too.
impl Work for RotateKeyRequest {
    type Answer = Rotation;

    async fn attempt(&self, connection: &AsyncPgConnection) -> Result<Rotation, Failure> {
        let (begun, locked, limits, found, overlapping) = join5(
            Begin.execute(&mut &*connection),
            lock_owner(&self.owner).execute(&mut &*connection),
            limits_of(&self.owner).load::<LimitsRow>(&mut &*connection),
            locked(connection, &self.id),
            count_being_replaced(&self.owner, self.rotation.at).get_result::<i64>(&mut &*connection),
        )
        .await;
        begun.and(locked)?;
        let rotation = self.rotation.of(limits_in(&self.owner, limits?.pop())?);
        let (found, overlapping) = (found?, u32::try_from(overlapping?).unwrap_or(u32::MAX));
        let refused = match found.map(digest_and_key).transpose()? {
            None => Rotation::NotFound,
            Some((_, key)) if key.owner != self.owner => Rotation::NotOwned,
            Some((digest, key)) => match rotation.decide(&key, overlapping) {
                Ok(rotated) => return store(self, &key, &rotated, digest, connection).await,
                Err(refusal) => Rotation::Refused(refusal),
            },
        };
        rolled_back(connection, refused).await
    }
}

async fn store(
    request: &RotateKeyRequest,
    before: &ApiKey,
    rotated: &Rotated,
    replaced: CredentialDigest,
    connection: &AsyncPgConnection,
) -> Result<Rotation, Failure> {
    let successor = NewKeyRow::new(&rotated.successor, &request.digest);
    let event = request.cause.key_rotated(before, rotated);
    let ((updated, inserted, rows), (written, committed)) = join(
        join3(
            Kept(replace_key(&rotated.replaced)).execute(&mut &*connection),
            diesel::insert_into(api_keys::table).values(successor).execute(&mut &*connection),
            listed(connection, &request.owner, request.view),
        ),
        commit_with(connection, &[replaced], std::slice::from_ref(&event)),
    )
    .await;
    let statements = updated.and(inserted).and(rows).and_then(|rows| written.map(|()| rows));
    let rows = settle(statements, committed)?;
    Ok(Rotation::Rotated { replaced, keys: request.view.select(keys_of_owner(&request.owner, rows)?) })
}
