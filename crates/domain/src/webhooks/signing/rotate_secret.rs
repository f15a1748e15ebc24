use std::time::Duration;

use super::chosen_secret::ChosenSecret;
use super::signing_secret::SigningSecret;
use crate::ports::StoreError;
use crate::webhooks::{Subscription, Webhooks};
use crate::{OVERLAP_MAX, SubscriptionId, UserId};

/// What a user asks for.
#[derive(Clone, Debug)]
pub struct RotateSecret {
    /// The subscription.
    pub id: SubscriptionId,
    /// What to sign with from now on; `None`: a secret of our making.
    pub secret: Option<SigningSecret>,
    /// How long the secret before signs as well: from nothing to [`OVERLAP_MAX`].
    pub overlap: Duration,
}

impl RotateSecret {
    /// The overlap where the user names none: a day, in which receivers can be given the new secret.
    pub const OVERLAP_DEFAULT: Duration = Duration::from_hours(24);
}

/// A subscription with a new secret.
#[derive(Debug)]
pub struct RotatedSecret {
    /// The subscription.
    pub subscription: Subscription,
    /// The new secret, if we made it, the only time that it is there to be shown.
    pub secret: Option<SigningSecret>,
}

/// Why no secret was rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotateSecretError {
    /// More than [`OVERLAP_MAX`].
    #[error("must be at most {} seconds", OVERLAP_MAX.as_secs())]
    OverlapOutOfRange,
    /// The owner has no subscription with this id.
    #[error("no subscription has this id")]
    NotFound,
    /// The store failed; nothing says whether the secret was rotated.
    #[error("the secret could not be rotated")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Gives the owner's subscription a new secret. The one before signs beside it until the overlap ends; one from
    /// before that is forgotten.
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
