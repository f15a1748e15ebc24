use std::time::Duration;

use crate::audit::Origin;
use crate::ports::{RotateKeyRequest, Rotation, StoreError};
use crate::{
    CreatedKey, FullKey, KeyId, KeyRotation, Keys, ListView, OVERLAP_MAX, OwnerId, RotationRefusal, WebhookAccess,
};

/// The rotation that a user requests.
#[derive(Clone, Debug)]
pub struct RotateKey {
    /// The key to replace.
    pub id: KeyId,
    /// How long the old key stays good together with its successor: from zero to [`OVERLAP_MAX`], to the millisecond.
    pub overlap: Duration,
    /// The caller's access to webhooks, because the caller gets the successor's secret. A key with more access is not
    /// rotated.
    pub webhooks_max: Option<WebhookAccess>,
    /// The member of the organization that is the owner, if a member rotates the key.
    pub created_by: Option<OwnerId>,
}

/// Why a key was not rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotateKeyError {
    /// The overlap is longer than [`OVERLAP_MAX`].
    #[error("must be at most {} seconds", OVERLAP_MAX.as_secs())]
    OverlapOutOfRange,
    /// No key has this id.
    #[error("no key has this id")]
    NotFound,
    /// The key belongs to another user.
    #[error("the key belongs to another user")]
    NotOwned,
    /// The key in its present state cannot be rotated.
    #[error("the key cannot be rotated")]
    Refused(#[source] RotationRefusal),
    /// The store failed. The key may have been rotated anyway.
    #[error("the key could not be rotated")]
    Store(#[from] StoreError),
}

impl Keys {
    /// Replaces one of the owner's keys by a new key. The old key stays good until the overlap ends. It does not count
    /// towards the maximum in that time, so an owner with the maximum number of keys can rotate too.
    ///
    /// # Errors
    ///
    /// See [`RotateKeyError`].
    pub async fn rotate(
        &self,
        owner: &OwnerId,
        request: RotateKey,
        origin: &Origin,
    ) -> Result<CreatedKey, RotateKeyError> {
        if request.overlap > OVERLAP_MAX {
            return Err(RotateKeyError::OverlapOutOfRange);
        }
        let now = self.clock.now();
        let full_key = FullKey::generate_for(owner, self.placement, &self.policy, &*self.entropy);
        let rotation = KeyRotation {
            successor: KeyId::mint_for(owner, self.placement, now, &*self.entropy),
            prefix: full_key.preview(&self.policy),
            at: now,
            overlap: request.overlap,
            overlapping_max: self.policy.max_active(),
            ttl_max: self.policy.max_ttl(),
            ttl_if_endless: self.policy.required_ttl(),
            webhooks_max: request.webhooks_max,
            created_by: request.created_by,
        };
        let (digest, view, cause) = (full_key.digest(), ListView::at(now), self.cause(origin, now));
        let request = RotateKeyRequest { owner: owner.clone(), id: request.id, rotation, digest, view, cause };
        match self.stores.store.rotate(&request).await? {
            Rotation::Rotated { keys, .. } => {
                Ok(CreatedKey { full_key, id: request.rotation.successor, keys: self.with_recent_uses(keys) })
            }
            Rotation::Refused(refusal) => Err(RotateKeyError::Refused(refusal)),
            Rotation::NotFound => Err(RotateKeyError::NotFound),
            Rotation::NotOwned => Err(RotateKeyError::NotOwned),
        }
    }
}
