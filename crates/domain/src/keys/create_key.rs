use crate::audit::Origin;
use crate::ports::{ActiveLimit, InsertKeyRequest, Insertion, StoreError};
use crate::{ApiKey, FullKey, KeyId, Keys, Label, ListView, Scopes, Timestamp, UserId, WebhookAccess};

/// The key that a user requests.
#[derive(Clone, Debug)]
pub struct CreateKey {
    /// The name of the key.
    pub label: Label,
    /// Expiry time; `None` if the key does not expire.
    pub expires_at: Option<Timestamp>,
    /// What the key may be used for.
    pub scopes: Scopes,
    /// The creator's access to webhooks. The key gets no more.
    pub webhooks_max: Option<WebhookAccess>,
}

/// A new key. Only this answer has its secret.
#[derive(Debug)]
pub struct CreatedKey {
    /// The secret.
    pub full_key: FullKey,
    /// The new key's id.
    pub id: KeyId,
    /// The owner's keys as [`Keys::list`] returns them, with the new one.
    pub keys: Vec<ApiKey>,
}

/// Why no key was created.
#[derive(Debug, thiserror::Error)]
pub enum CreateKeyError {
    /// The owner already has the maximum of active keys.
    #[error("the maximum of {max} active keys is reached")]
    LimitReached {
        /// The maximum.
        max: u32,
    },
    /// `expires_at` is not in the future, or is too far ahead.
    #[error("must be in the future, and at most {max_days} days ahead")]
    ExpiryOutOfRange {
        /// How many days ahead it may be.
        max_days: u32,
    },
    /// The scopes give more access to webhooks than the creator has.
    #[error("the scopes give more access to webhooks than the creator has")]
    ExceedsCreator,
    /// The store failed. The key may have been stored all the same.
    #[error("the key could not be stored")]
    Store(#[from] StoreError),
}

impl Keys {
    /// Creates a key, unless its owner already has the maximum of active keys. The maximum is exact under any
    /// concurrency.
    ///
    /// # Errors
    ///
    /// See [`CreateKeyError`].
    pub async fn create(
        &self,
        owner: &UserId,
        request: CreateKey,
        origin: &Origin,
    ) -> Result<CreatedKey, CreateKeyError> {
        let now = self.clock.now();
        self.check_expiry(request.expires_at, now)?;
        let scopes =
            WebhookAccess::limit(request.scopes, request.webhooks_max).ok_or(CreateKeyError::ExceedsCreator)?;
        let full_key = FullKey::generate_for(owner, self.placement, &self.policy, &*self.entropy);
        let key = ApiKey {
            id: KeyId::mint_for(owner, self.placement, now, &*self.entropy),
            owner: owner.clone(),
            label: request.label,
            prefix: full_key.preview(&self.policy),
            created_at: now,
            last_used_at: None,
            expires_at: request.expires_at,
            revoked_at: None,
            scopes,
            replaced_by: None,
        };
        let limit = ActiveLimit { max: self.policy.max_active(), at: now };
        let (view, cause) = (ListView::at(now), self.cause(origin, now));
        match self
            .stores
            .store
            .insert_within(&InsertKeyRequest {
                key: key.clone(),
                digest: full_key.digest(),
                limit,
                view,
                cause: cause.clone(),
            })
            .await?
        {
            Insertion::Stored(keys) => Ok(CreatedKey { full_key, id: key.id, keys: self.with_recent_uses(keys) }),
            Insertion::LimitReached => Err(CreateKeyError::LimitReached { max: limit.max }),
        }
    }

    fn check_expiry(&self, expires_at: Option<Timestamp>, now: Timestamp) -> Result<(), CreateKeyError> {
        let latest = now.plus(self.policy.max_ttl());
        match expires_at {
            Some(at) if at <= now || at > latest => {
                Err(CreateKeyError::ExpiryOutOfRange { max_days: self.policy.max_ttl_days() })
            }
            _ => Ok(()),
        }
    }
}
