use std::time::Duration;

use super::idempotency_key::IdempotencyKey;
use super::sealed_secrets::SealedSecrets;
use super::signer::{ChosenSigner, NoSharedSecret, SignerWish, SigningKind};
use super::signing_secret::SigningSecret;
use crate::audit::Origin;
use crate::ports::{RotateSecretRequest, SecretRotation, StoreError};
use crate::webhooks::{NoPushSubscription, SubscriptionWithSecret, Webhooks};
use crate::{OVERLAP_MAX, OwnerId, SubscriptionId, Timestamp};

/// The rotation that a user requests.
#[derive(Clone, Debug)]
pub struct RotateSecret {
    /// The subscription.
    pub id: SubscriptionId,
    /// Which signatures webhooks carry from now on; `None` for those that they carry already.
    pub signing: Option<SigningKind>,
    /// The new secret; `None` to generate one.
    pub secret: Option<SigningSecret>,
    /// How long the old secret signs together with the new one: from zero to [`OVERLAP_MAX`].
    pub overlap: Duration,
    /// Names the rotation. With the same key, a repeated rotation makes the same secret and the same key pair.
    pub key: Option<IdempotencyKey>,
}

impl RotateSecret {
    /// The overlap if the user names none: a day, in which the receivers get the new secret.
    pub const OVERLAP_DEFAULT: Duration = Duration::from_hours(24);
}

/// Why the secret was not rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotateSecretError {
    /// The overlap is longer than [`OVERLAP_MAX`].
    #[error("must be at most {} seconds", OVERLAP_MAX.as_secs())]
    OverlapOutOfRange,
    /// A secret was given for a subscription that shares none.
    #[error(transparent)]
    NoSharedSecret(#[from] NoSharedSecret),
    /// An earlier rotation is in its overlap until this time, and this one is not a repetition of it.
    #[error("the previous secret signs until {until}")]
    Overlapping {
        /// When the overlap ends.
        until: Timestamp,
    },
    /// The owner has no such subscription to which webhooks are sent.
    #[error(transparent)]
    NoSubscription(#[from] NoPushSubscription),
    /// The store failed. The secret may have been rotated anyway.
    #[error("the secret could not be rotated")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Gives the owner's subscription a new secret, a new key pair or both. What signed before signs as well until the
    /// overlap ends.
    ///
    /// Until then, only a rotation without an overlap succeeds, which ends what signed before. A repetition of the earlier
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
    ) -> Result<SubscriptionWithSecret, RotateSecretError> {
        if request.overlap > OVERLAP_MAX {
            return Err(RotateSecretError::OverlapOutOfRange);
        }
        let (now, id) = (self.clock.now(), request.id);
        self.require_push::<RotateSecretError>(owner, id).await?;
        let mut kind = request.signing.unwrap_or_default();
        loop {
            let wish = SignerWish::new(kind, request.secret.clone())?;
            let mut possible = self.possible_signers(&wish, request.key.as_ref(), id);
            let rotation = RotateSecretRequest {
                owner: owner.clone(),
                id,
                of_kind: request.signing.is_none().then_some(kind),
                secret: self.rules.sealing_keys.seal(possible[0].signer(), id, &*self.entropy),
                previous_until: now.plus(request.overlap),
                at: now,
                cause: self.cause(origin, now),
            };
            match self.stores.subscriptions.rotate_secret(&rotation).await? {
                SecretRotation::Rotated(subscription) => {
                    return Ok(SubscriptionWithSecret { subscription, secret: possible.swap_remove(0).into_shown() });
                }
                // Most subscriptions have the kind that is tried first. Another turn follows only if the kind changes.
                SecretRotation::Refused(_, stored) if rotation.of_kind.is_some_and(|kind| !stored.is_of(kind)) => {
                    kind = stored.current.public().kind();
                }
                SecretRotation::Refused(subscription, stored) => {
                    let until = stored.previous.as_ref().map_or(now, |(_, until)| *until);
                    let signer =
                        self.current_among(possible, &stored, id).ok_or(RotateSecretError::Overlapping { until })?;
                    return Ok(SubscriptionWithSecret { subscription, secret: signer.into_shown() });
                }
                SecretRotation::NotFound => return Err(NoPushSubscription::NotFound.into()),
            }
        }
    }

    /// The signer of this rotation, and after it those that the same rotation got under older sealing keys.
    fn possible_signers(
        &self,
        wish: &SignerWish,
        key: Option<&IdempotencyKey>,
        id: SubscriptionId,
    ) -> Vec<ChosenSigner> {
        match key {
            Some(key) => self.rules.sealing_keys.derivations(id, key).map(|derive| wish.derived(derive)).collect(),
            None => vec![wish.drawn(&*self.entropy)],
        }
    }

    /// The signer that is stored as the current one.
    fn current_among(
        &self,
        possible: Vec<ChosenSigner>,
        stored: &SealedSecrets,
        id: SubscriptionId,
    ) -> Option<ChosenSigner> {
        let current = self.rules.sealing_keys.unseal(&stored.current, id).ok()?.signer;
        possible.into_iter().find(|signer| signer.repeats(&current))
    }
}
