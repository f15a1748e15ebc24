use std::time::Duration;

use super::signing_secret::ChosenSecret;
use super::signing_secret::SigningSecret;
use crate::ports::StoreError;
use crate::webhooks::{Subscription, Webhooks};
use crate::{OVERLAP_MAX, SubscriptionId, UserId};

/// The rotation that a user requests.
#[derive(Clone, Debug)]
pub struct RotateSecret {
    /// The subscription.
    pub id: SubscriptionId,
    /// The new secret; `None` to generate one.
    pub secret: Option<SigningSecret>,
    /// How long the old secret signs beside the new one: from zero to [`OVERLAP_MAX`].
    pub overlap: Duration,
}

impl RotateSecret {
    /// The overlap if the user names none: a day, in which the receivers get the new secret.
    pub const OVERLAP_DEFAULT: Duration = Duration::from_hours(24);
}

/// A subscription with a new secret.
#[derive(Debug)]
pub struct RotatedSecret {
    /// The subscription.
    pub subscription: Subscription,
    /// The new secret if it was generated. Only this answer has it.
    pub secret: Option<SigningSecret>,
}

/// Why no secret was rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotateSecretError {
    /// The overlap is longer than [`OVERLAP_MAX`].
    #[error("must be at most {} seconds", OVERLAP_MAX.as_secs())]
    OverlapOutOfRange,
    /// The owner has no subscription with this id.
    #[error("no subscription has this id")]
    NotFound,
    /// The store failed. The secret may have been rotated all the same.
    #[error("the secret could not be rotated")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Gives the owner's subscription a new secret. The old secret signs beside it until the overlap ends. A secret
    /// from before the old one is deleted.
    ///
    /// # Errors
    ///
    /// See [`RotateSecretError`].
    pub async fn rotate_secret(
        &self,
        owner: &UserId,
        request: RotateSecret,
    ) -> Result<RotatedSecret, RotateSecretError> {
        if request.overlap > OVERLAP_MAX {
            return Err(RotateSecretError::OverlapOutOfRange);
        }
        let now = self.clock.now();
        let secret = ChosenSecret::of(request.secret, &*self.entropy);
        let sealed = self.rules.sealing_keys.seal(secret.as_ref(), request.id, &*self.entropy);
        let previous_until = now.plus(request.overlap);
        let rotated = self.stores.subscriptions.rotate_secret(owner, request.id, &sealed, previous_until, now).await?;
        let subscription = rotated.ok_or(RotateSecretError::NotFound)?;
        Ok(RotatedSecret { subscription, secret: secret.into_shown() })
    }
}
