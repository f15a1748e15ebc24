use crate::audit::Origin;
use crate::ports::{ChangeKeyRequest, ChangedKey, StoreError};
use crate::{ApiKey, KeyChange, KeyChangeRefusal, KeyId, Keys, OwnerId, Patch, RateLimitTooHigh};

/// Why a key was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeKeyError {
    /// No key has this id.
    #[error("no key has this id")]
    NotFound,
    /// The key belongs to another user.
    #[error("the key belongs to another user")]
    NotOwned,
    /// The rate limit is above that of the owner's keys.
    #[error(transparent)]
    RateLimitTooHigh(#[from] RateLimitTooHigh),
    /// The key in its present state cannot have this change.
    #[error("the key cannot be changed")]
    Refused(#[source] KeyChangeRefusal),
    /// The store failed. The key may have been changed anyway.
    #[error("the key could not be changed")]
    Store(#[from] StoreError),
}

impl Keys {
    /// Changes one of the owner's keys and returns it. A key that is disabled is refused as soon as this returns, and is
    /// good again when it is enabled. Two changes of different fields at once both take effect.
    ///
    /// # Errors
    ///
    /// See [`ChangeKeyError`].
    pub async fn change(
        &self,
        owner: &OwnerId,
        id: KeyId,
        change: KeyChange,
        origin: &Origin,
    ) -> Result<ApiKey, ChangeKeyError> {
        if let Patch::Set(limit) = change.rate_limit {
            RateLimitTooHigh::check(Some(limit), self.highest_rate_limit(owner, origin).await?)?;
        }
        let change = KeyChange { is_by_host: origin.is_by_host(), ..change };
        let at = self.clock.now();
        let request = ChangeKeyRequest { owner: owner.clone(), id, change, at, cause: self.cause(origin, at) };
        match self.stores.store.change(&request).await? {
            ChangedKey::Changed { key, .. } | ChangedKey::Unchanged(key) => {
                let mut keys = self.with_recent_uses(vec![*key]);
                keys.pop().ok_or(ChangeKeyError::NotFound)
            }
            ChangedKey::Refused(refusal) => Err(ChangeKeyError::Refused(refusal)),
            ChangedKey::NotFound => Err(ChangeKeyError::NotFound),
            ChangedKey::NotOwned => Err(ChangeKeyError::NotOwned),
        }
    }
}
