use crate::ports::{ActiveLimit, Insertion, StoreError};
use crate::{ApiKey, FullKey, KeyId, Keys, Label, ListView, Scopes, Timestamp, UserId};

/// What a user asks for.
#[derive(Clone, Debug)]
pub struct CreateKey {
    /// What to call the key.
    pub label: Label,
    /// When it ends by itself; `None`: never.
    pub expires_at: Option<Timestamp>,
    /// What it may be used for.
    pub scopes: Scopes,
}

/// A new key, the only time that its secret is there to be shown.
#[derive(Debug)]
pub struct CreatedKey {
    /// The secret.
    pub full_key: FullKey,
    /// The new key's id.
    pub id: KeyId,
    /// The owner's keys, the new one included, as [`Keys::list`] gives them.
    pub keys: Vec<ApiKey>,
}

/// Why no key was created.
#[derive(Debug, thiserror::Error)]
pub enum CreateKeyError {
    /// The owner has as many active keys as allowed.
    #[error("the maximum of {max} active keys is reached")]
    LimitReached {
        /// That maximum.
        max: u32,
    },
    /// `expires_at` is not in the future, or too far ahead.
    #[error("must be in the future, and at most {max_days} days ahead")]
    ExpiryOutOfRange {
        /// How far ahead it may lie.
        max_days: u32,
    },
    /// The store failed; nothing says whether the key was stored.
    #[error("the key could not be stored")]
    Store(#[from] StoreError),
}

impl Keys {
    /// Creates a key, unless its owner has as many active ones as allowed: exactly so, under any concurrency.
    ///
    /// # Errors
    ///
    /// See [`CreateKeyError`].
    pub async fn create(&self, owner: &UserId, request: CreateKey) -> Result<CreatedKey, CreateKeyError> {
        let now = self.clock.now();
        self.check_expiry(request.expires_at, now)?;
        let full_key = FullKey::generate(&self.policy, &*self.entropy);
        let key = ApiKey {
            id: KeyId::mint(now, &*self.entropy),
            owner: owner.clone(),
            label: request.label,
            prefix: full_key.preview(&self.policy),
            created_at: now,
            last_used_at: None,
            expires_at: request.expires_at,
            revoked_at: None,
            scopes: request.scopes,
            replaced_by: None,
        };
        let limit = ActiveLimit { max: self.policy.max_active(), at: now };
        match self.store.insert_within(&key, &full_key.digest(), limit, ListView::at(now)).await? {
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
