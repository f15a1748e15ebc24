use std::time::Duration;

use super::idempotency_key::IdempotencyKey;
use super::sealed_secrets::SealedSecrets;
use super::signing_secret::{ChosenSecret, SigningSecret};
use crate::audit::Origin;
use crate::ports::{RotateSecretRequest, SecretRotation, StoreError};
use crate::webhooks::{Subscription, Webhooks};
use crate::{OVERLAP_MAX, OwnerId, SubscriptionId, Timestamp};

/// The rotation that a user requests.
#[derive(Clone, Debug)]
pub struct RotateSecret {
    /// The subscription.
    pub id: SubscriptionId,
    /// The new secret; `None` to generate one.
    pub secret: Option<SigningSecret>,
    /// How long the old secret signs together with the new one: from zero to [`OVERLAP_MAX`].
    pub overlap: Duration,
    /// Names the rotation. With the same key, a repeated rotation makes the same secret.
    pub key: Option<IdempotencyKey>,
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

/// Why the secret was not rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotateSecretError {
    /// The overlap is longer than [`OVERLAP_MAX`].
    #[error("must be at most {} seconds", OVERLAP_MAX.as_secs())]
    OverlapOutOfRange,
    /// An earlier rotation is in its overlap until this time, and this one is not a repetition of it.
    #[error("the previous secret signs until {until}")]
    Overlapping {
        /// When the overlap ends.
        until: Timestamp,
    },
    /// The owner has no subscription with this id.
    #[error("no subscription has this id")]
    NotFound,
    /// The store failed. The secret may have been rotated anyway.
    #[error("the secret could not be rotated")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Gives the owner's subscription a new secret. The old secret signs as well until the overlap ends.
    ///
    /// Until then, only a rotation without an overlap succeeds, which ends the old secrets. A repetition of the earlier
    /// rotation, which has the same idempotency key or the same chosen secret, gets the same answer without effect. See
    /// decision 56.
    ///
    /// # Errors
    ///
    /// See [`RotateSecretError`].
    pub async fn rotate_secret(
        &self,
        owner: &OwnerId,
        request: RotateSecret,
        origin: &Origin,
    ) -> Result<RotatedSecret, RotateSecretError> {
        if request.overlap > OVERLAP_MAX {
            return Err(RotateSecretError::OverlapOutOfRange);
        }
        let (now, id) = (self.clock.now(), request.id);
        let mut possible = self.possible_secrets(request.secret, request.key.as_ref(), id);
        let rotation = RotateSecretRequest {
            owner: owner.clone(),
            id,
            secret: self.rules.sealing_keys.seal(possible[0].as_ref(), id, &*self.entropy),
            previous_until: now.plus(request.overlap),
            at: now,
            cause: self.cause(origin, now),
        };
        match self.stores.subscriptions.rotate_secret(&rotation).await? {
            SecretRotation::Rotated(subscription) => {
                Ok(RotatedSecret { subscription, secret: possible.swap_remove(0).into_shown() })
            }
            SecretRotation::Overlapping(subscription, stored) => {
                let until = stored.previous.as_ref().map_or(now, |(_, until)| *until);
                let secret =
                    self.current_among(possible, &stored, id).ok_or(RotateSecretError::Overlapping { until })?;
                Ok(RotatedSecret { subscription, secret: secret.into_shown() })
            }
            SecretRotation::NotFound => Err(RotateSecretError::NotFound),
        }
    }

    /// The secret of this rotation, and after it the secrets that the same rotation got under older sealing keys.
    fn possible_secrets(
        &self,
        given: Option<SigningSecret>,
        key: Option<&IdempotencyKey>,
        id: SubscriptionId,
    ) -> Vec<ChosenSecret> {
        match (given, key) {
            (None, Some(key)) => self.rules.sealing_keys.derive(id, key).into_iter().map(ChosenSecret::Made).collect(),
            (given, _) => vec![ChosenSecret::of(given, &*self.entropy)],
        }
    }

    /// The secret that is stored as the current one.
    fn current_among(
        &self,
        possible: Vec<ChosenSecret>,
        stored: &SealedSecrets,
        id: SubscriptionId,
    ) -> Option<ChosenSecret> {
        let current = self.rules.sealing_keys.unseal(&stored.current, id).ok()?.secret;
        possible.into_iter().find(|secret| secret.as_ref().expose() == current.expose())
    }
}
