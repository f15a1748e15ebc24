use crate::audit::Origin;
use crate::ports::{KeysOf, Revocation, RevokeKeyRequest, RevokeUserKeysRequest, StoreError};
use crate::{ApiKey, KeyId, Keys, ListView, OwnerId, Timestamp};

/// The most keys that one transaction revokes, so that it does not block other writers for long.
pub const REVOKE_BATCH_MAX: u32 = 1_000;

/// Why a key was not revoked.
#[derive(Debug, thiserror::Error)]
pub enum RevokeKeyError {
    /// No key has this id.
    #[error("no key has this id")]
    NotFound,
    /// The key belongs to another user.
    #[error("the key belongs to another user")]
    NotOwned,
    /// The store failed. The key may have been revoked anyway.
    #[error("the key could not be revoked")]
    Store(#[from] StoreError),
}

impl Keys {
    /// Revokes one of the owner's keys and returns the updated list. Revoking a key again succeeds without effect. See
    /// decision 7.
    ///
    /// # Errors
    ///
    /// See [`RevokeKeyError`].
    pub async fn revoke(&self, owner: &OwnerId, id: KeyId, origin: &Origin) -> Result<Vec<ApiKey>, RevokeKeyError> {
        let now = self.clock.now();
        match self
            .stores
            .store
            .revoke(&RevokeKeyRequest {
                owner: owner.clone(),
                id,
                at: now,
                view: ListView::at(now),
                cause: self.cause(origin, now),
            })
            .await?
        {
            Revocation::Revoked { keys, .. } => Ok(self.with_recent_uses(keys)),
            Revocation::NotFound => Err(RevokeKeyError::NotFound),
            Revocation::NotOwned => Err(RevokeKeyError::NotOwned),
        }
    }

    /// Revokes all of the owner's keys, or those created before an instant, and returns how many keys this call has
    /// revoked. Keys that expired without a revocation count. A repeated call revokes the remaining keys and succeeds.
    ///
    /// A key that is created during the call may stay: the caller cannot tell it from a key that is created just after.
    ///
    /// # Errors
    ///
    /// If the store fails. Some of the keys may have been revoked anyway.
    pub async fn revoke_all(
        &self,
        owner: &OwnerId,
        created_before: Option<Timestamp>,
        origin: &Origin,
    ) -> Result<u64, StoreError> {
        let created_before = created_before.unwrap_or(Timestamp::MAX);
        let mut count = 0;
        loop {
            let at = self.clock.now();
            let (of, max, cause) = (KeysOf::Owner(owner.clone()), REVOKE_BATCH_MAX, self.cause(origin, at));
            let request = RevokeUserKeysRequest { of, created_before, at, max, cause };
            let batch = self.stores.store.revoke_user_keys(&request).await?;
            count += batch.len() as u64;
            if batch.len() < REVOKE_BATCH_MAX as usize {
                return Ok(count);
            }
        }
    }
}
