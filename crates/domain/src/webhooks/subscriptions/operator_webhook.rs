use std::time::Duration;

use crate::audit::Origin;
use crate::ports::{InsertSubscriptionRequest, StoreError, SubscriptionInsertion};
use crate::webhooks::{
    Description, RotateSecret, RotateSecretError, SealedOptions, Signing, SigningKind, SigningSecret, SubscribedEvents,
    Subscription, SubscriptionChange, SubscriptionStatus, TargetUrl, Webhooks,
};
use crate::{OwnerId, SubscriptionId};

/// The id of the subscription: the same on every instance, so that instances that start together create one.
const ID: [u8; 16] = 1_u128.to_be_bytes();

/// The webhook that informs the operator of operational events, as it is configured. It is a subscription like others,
/// with an owner that no user can be.
#[derive(Clone, Debug)]
pub struct OperatorWebhook {
    /// The URL that webhooks are sent to.
    pub url: TargetUrl,
    /// The event types that are sent.
    pub events: SubscribedEvents,
    /// The signing secret.
    pub secret: SigningSecret,
}

impl OperatorWebhook {
    /// The id of the operator's subscription.
    pub const fn subscription_id() -> SubscriptionId {
        SubscriptionId::from_bytes(ID)
    }

    fn change(&self) -> SubscriptionChange {
        SubscriptionChange {
            url: Some(self.url.clone()),
            events: Some(self.events.clone()),
            enabled: Some(true),
            ..SubscriptionChange::default()
        }
    }
}

impl Webhooks {
    /// Makes the operator's subscription match the configuration: creates it, changes it, or disables it. Enables it if
    /// the service has disabled it. After a change of the secret, the old one signs as well for a day.
    ///
    /// # Errors
    ///
    /// If the store fails. Another call continues with the rest.
    pub async fn keep_operator_webhook(&self, wanted: Option<&OperatorWebhook>) -> Result<(), StoreError> {
        let (owner, id) = (OwnerId::of_operator(), OperatorWebhook::subscription_id());
        let is_stored = self.stores.subscriptions.find(&owner, id).await?.is_some();
        let change = match wanted {
            Some(wanted) if !is_stored => return self.create_operator_subscription(owner, wanted).await,
            Some(wanted) => wanted.change(),
            None if !is_stored => return Ok(()),
            None => SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() },
        };
        self.change_subscription(&owner, id, &change, &Origin::SERVICE).await?;
        match wanted {
            Some(wanted) => self.keep_operator_secret(&owner, &wanted.secret).await,
            None => Ok(()),
        }
    }

    async fn create_operator_subscription(&self, owner: OwnerId, wanted: &OperatorWebhook) -> Result<(), StoreError> {
        let (now, id) = (self.clock.now(), OperatorWebhook::subscription_id());
        let subscription = Subscription {
            id,
            owner,
            url: wanted.url.clone(),
            url_set_by: None,
            events: wanted.events.clone(),
            filter: None,
            description: Description::default(),
            status: SubscriptionStatus::Enabled,
            created_at: now,
            updated_at: now,
            created_by: None,
            options: SealedOptions::default(),
            signing: Signing::default(),
        };
        let secret = self.rules.sealing_keys.seal(&wanted.secret.clone().into(), id, &*self.entropy);
        let cause = self.cause(&Origin::SERVICE, now);
        let request = InsertSubscriptionRequest { subscription, secret, max: 1, cause };
        match self.stores.subscriptions.insert_within(&request).await {
            // Another instance has just created it. They are configured alike.
            Err(StoreError::Duplicate { .. }) | Ok(SubscriptionInsertion::LimitReached { .. }) => Ok(()),
            stored => stored.map(drop),
        }
    }

    async fn keep_operator_secret(&self, owner: &OwnerId, wanted: &SigningSecret) -> Result<(), StoreError> {
        let id = OperatorWebhook::subscription_id();
        let stored = self.stores.secrets.find_secrets(id).await?;
        let current = stored.and_then(|stored| self.rules.sealing_keys.unseal(&stored.current, id).ok());
        let current = current.as_ref().and_then(|current| current.signer.secret());
        if current.is_some_and(|current| current.expose() == wanted.expose()) {
            return Ok(());
        }
        // During the overlap of an earlier rotation, only one without an overlap is allowed.
        for overlap in [RotateSecret::OVERLAP_DEFAULT, Duration::ZERO] {
            let request =
                RotateSecret { id, signing: Some(SigningKind::Hmac), secret: Some(wanted.clone()), overlap, key: None };
            match self.rotate_secret(owner, request, &Origin::SERVICE).await {
                Err(RotateSecretError::Overlapping { .. }) => {}
                Err(RotateSecretError::Store(error)) => return Err(error),
                Ok(_)
                | Err(
                    RotateSecretError::OverlapOutOfRange
                    | RotateSecretError::NoSharedSecret(_)
                    | RotateSecretError::NoSubscription(_),
                ) => break,
            }
        }
        Ok(())
    }
}
