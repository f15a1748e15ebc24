use crate::ports::{Revocation, StoreError};
use crate::{ApiKey, KeyId, Keys, ListView, UserId};

/// Why a key was not revoked.
#[derive(Debug, thiserror::Error)]
pub enum RevokeKeyError {
    /// No key has this id.
    #[error("no key has this id")]
    NotFound,
    /// The key belongs to another user.
    #[error("the key belongs to another user")]
    NotOwned,
    /// The store failed. The key may be revoked all the same.
    #[error("the key could not be revoked")]
    Store(#[from] StoreError),
}

impl Keys {
    /// Revokes one of the owner's keys and returns the updated list. Revoking a key again changes nothing and succeeds.
    /// See decision 7.
    ///
    /// # Errors
    ///
    /// See [`RevokeKeyError`].
    pub async fn revoke(&self, owner: &UserId, id: KeyId) -> Result<Vec<ApiKey>, RevokeKeyError> {
        let now = self.clock.now();
        match self.store.revoke(owner, id, now, ListView::at(now)).await? {
            Revocation::Revoked { keys, .. } => Ok(self.with_recent_uses(keys)),
            Revocation::NotFound => Err(RevokeKeyError::NotFound),
            Revocation::NotOwned => Err(RevokeKeyError::NotOwned),
        }
    }
}
