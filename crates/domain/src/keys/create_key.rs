use crate::audit::Origin;
use crate::ports::{ActiveLimit, InsertKeyRequest, Insertion, StoreError};
use crate::{
    ApiKey, FullKey, InvalidExpiry, KeyId, KeySettings, Keys, Label, ListView, Metadata, OwnerId, RateLimit,
    RateLimitTooHigh, Scopes, Timestamp, WebhookAccess,
};

/// The key that a user requests.
#[derive(Clone, Debug)]
pub struct CreateKey {
    /// The name of the key.
    pub label: Label,
    /// The expiry time; `None` for the default, which may be that the key does not expire.
    pub expires_at: Option<Timestamp>,
    /// The permissions of the key.
    pub scopes: Scopes,
    /// The creator's access to webhooks. The key gets no more.
    pub webhooks_max: Option<WebhookAccess>,
    /// Pairs for the application.
    pub metadata: Metadata,
    /// How often the key may be used; `None` if the limit of the owner's keys holds.
    pub rate_limit: Option<RateLimit>,
    /// The member of the organization that is the owner, if a member makes the key.
    pub created_by: Option<OwnerId>,
}

impl CreateKey {
    /// A key with this name and no optional field, for a creator with full access to webhooks.
    pub fn named(label: Label) -> Self {
        Self {
            label,
            expires_at: None,
            scopes: Scopes::default(),
            webhooks_max: Some(WebhookAccess::Write),
            metadata: Metadata::default(),
            rate_limit: None,
            created_by: None,
        }
    }
}

/// A new key, which may be the successor of a rotated one. Only this answer has its secret.
#[derive(Debug)]
pub struct CreatedKey {
    /// The secret.
    pub full_key: FullKey,
    /// The new key's id.
    pub id: KeyId,
    /// The owner's keys as [`Keys::list`] returns them, with the new one.
    pub keys: Vec<ApiKey>,
}

/// Why a key was not created.
#[derive(Debug, thiserror::Error)]
pub enum CreateKeyError {
    /// The owner already has the maximum number of active keys.
    #[error("the maximum of {max} active keys is reached")]
    LimitReached {
        /// The maximum.
        max: u32,
    },
    /// The expiry time is not allowed.
    #[error(transparent)]
    Expiry(#[from] InvalidExpiry),
    /// The rate limit is above that of the owner's keys.
    #[error(transparent)]
    RateLimitTooHigh(#[from] RateLimitTooHigh),
    /// The scopes give more access to webhooks than the creator has.
    #[error("the scopes give more access to webhooks than the creator has")]
    ExceedsCreator,
    /// The store failed. The key may have been stored anyway.
    #[error("the key could not be stored")]
    Store(#[from] StoreError),
}

impl Keys {
    /// Creates a key, unless its owner already has the maximum number of active keys. The maximum is exact under any
    /// concurrency.
    ///
    /// # Errors
    ///
    /// See [`CreateKeyError`].
    pub async fn create(
        &self,
        owner: &OwnerId,
        request: CreateKey,
        origin: &Origin,
    ) -> Result<CreatedKey, CreateKeyError> {
        let now = self.clock.now();
        let expires_at = self.policy.expiry(request.expires_at, now)?;
        if request.rate_limit.is_some() {
            RateLimitTooHigh::check(request.rate_limit, self.highest_rate_limit(owner, origin).await?)?;
        }
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
            expires_at,
            revoked_at: None,
            scopes,
            replaced_by: None,
            settings: KeySettings {
                metadata: request.metadata,
                rate_limit: request.rate_limit,
                is_rate_limit_of_host: request.rate_limit.is_some() && origin.is_by_host(),
                disabled_at: None,
            },
            created_by: request.created_by,
        };
        let limit = ActiveLimit { max: self.policy.max_active(), at: now };
        let (id, digest, view, cause) = (key.id, full_key.digest(), ListView::at(now), self.cause(origin, now));
        let insertion = InsertKeyRequest { key, digest, limit, view, cause };
        match self.stores.store.insert_within(&insertion).await? {
            Insertion::Stored(keys) => Ok(CreatedKey { full_key, id, keys: self.with_recent_uses(keys) }),
            Insertion::LimitReached { max } => Err(CreateKeyError::LimitReached { max }),
        }
    }
}
