use std::time::Duration;

use crate::ports::{Rotation, StoreError};
use crate::{ApiKey, FullKey, KeyId, KeyRotation, Keys, ListView, OVERLAP_MAX, RotationRefusal, UserId};

/// What a user asks for.
#[derive(Clone, Copy, Debug)]
pub struct RotateKey {
    /// The key to replace.
    pub id: KeyId,
    /// How long it stays good beside its successor: from nothing to [`OVERLAP_MAX`], to the millisecond.
    pub overlap: Duration,
}

/// The new key of a rotation, the only time that its secret is there to be shown.
#[derive(Debug)]
pub struct RotatedKey {
    /// The new key's secret.
    pub full_key: FullKey,
    /// The new key's id.
    pub id: KeyId,
    /// The owner's keys, old and new included, as [`Keys::list`] gives them.
    pub keys: Vec<ApiKey>,
}

/// Why no key was rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotateKeyError {
    /// More than [`OVERLAP_MAX`].
    #[error("must be at most {} seconds", OVERLAP_MAX.as_secs())]
    OverlapOutOfRange,
    /// No key has this id.
    #[error("no key has this id")]
    NotFound,
    /// The key is another user's.
    #[error("the key belongs to another user")]
    NotOwned,
    /// The key cannot be rotated as it is.
    #[error("the key cannot be rotated")]
    Refused(#[source] RotationRefusal),
    /// The store failed; nothing says whether the key was rotated.
    #[error("the key could not be rotated")]
    Store(#[from] StoreError),
}

impl Keys {
    /// Puts a new key in the place of one of the owner's. The old one stays good until the overlap ends, and does not
    /// count against the maximum meanwhile, so this works at the maximum too.
    ///
    /// # Errors
    ///
    /// See [`RotateKeyError`].
    pub async fn rotate(&self, owner: &UserId, request: RotateKey) -> Result<RotatedKey, RotateKeyError> {
        if request.overlap > OVERLAP_MAX {
            return Err(RotateKeyError::OverlapOutOfRange);
        }
        let now = self.clock.now();
        let full_key = FullKey::generate(&self.policy, &*self.entropy);
        let rotation = KeyRotation {
            successor: KeyId::mint(now, &*self.entropy),
            prefix: full_key.preview(&self.policy),
            at: now,
            overlap: request.overlap,
            overlapping_max: self.policy.max_active(),
            ttl_max: self.policy.max_ttl(),
        };
        let (digest, view) = (full_key.digest(), ListView::at(now));
        match self.store.rotate(owner, request.id, &rotation, &digest, view).await? {
            Rotation::Rotated { keys, .. } => {
                Ok(RotatedKey { full_key, id: rotation.successor, keys: self.with_recent_uses(keys) })
            }
            Rotation::Refused(refusal) => Err(RotateKeyError::Refused(refusal)),
            Rotation::NotFound => Err(RotateKeyError::NotFound),
            Rotation::NotOwned => Err(RotateKeyError::NotOwned),
        }
    }
}
