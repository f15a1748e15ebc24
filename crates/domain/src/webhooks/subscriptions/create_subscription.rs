use super::description::Description;
use super::subscribed_events::SubscribedEvents;
use super::subscription::{Subscription, SubscriptionStatus};
use crate::audit::Origin;
use crate::ports::{InsertSubscriptionRequest, StoreError, SubscriptionInsertion};
use crate::webhooks::options::options_change::check_target;
use crate::webhooks::{
    InvalidOptions, OnExhausted, OptionsChange, PayloadFilter, SealedOptions, SealedSecrets, SignerWish, SigningSecret,
    TargetUrl, Webhooks,
};
use crate::{KeyId, OwnerId, SubscriptionId};

/// The subscription that a user requests.
#[derive(Clone, Debug)]
pub struct CreateSubscription {
    /// The URL that webhooks are sent to.
    pub url: TargetUrl,
    /// The event types that are sent.
    pub events: SubscribedEvents,
    /// Which of these events are sent, by their content; `None` for all.
    pub filter: Option<PayloadFilter>,
    /// The name of the subscription.
    pub description: Description,
    /// What signs.
    pub signer: SignerWish,
    /// The order in which deliveries leave, and its rule; `None` for no order.
    pub order: Option<OnExhausted>,
    /// The headers, the authentication, the client certificate and the rate.
    pub options: OptionsChange,
    /// The API key that requests the subscription; `None` for an ID token.
    pub by: Option<KeyId>,
    /// The member of the organization that is the owner, if a member requests the subscription.
    pub created_by: Option<OwnerId>,
}

/// A new subscription, or one with a new secret.
#[derive(Debug)]
pub struct SubscriptionWithSecret {
    /// The subscription.
    pub subscription: Subscription,
    /// The shared secret if there is one and it was generated. Only this answer has it.
    pub secret: Option<SigningSecret>,
}

/// Why the subscription was not created.
#[derive(Debug, thiserror::Error)]
pub enum CreateSubscriptionError {
    /// The owner already has the maximum number of subscriptions.
    #[error("the maximum of {max} subscriptions is reached")]
    LimitReached {
        /// The maximum.
        max: u32,
    },
    /// The owner has deleted too many subscriptions that are still in the log.
    #[error("the maximum of {max} deleted subscriptions is reached")]
    TooManyDeleted {
        /// The maximum.
        max: u32,
    },
    /// The options do not fit together, or do not fit the URL.
    #[error(transparent)]
    Options(#[from] InvalidOptions),
    /// The store failed. The subscription may have been stored all the same.
    #[error("the subscription could not be stored")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Creates an enabled subscription, unless its owner already has the maximum. The maximum is exact under any
    /// concurrency.
    ///
    /// # Errors
    ///
    /// See [`CreateSubscriptionError`].
    pub async fn create_subscription(
        &self,
        owner: &OwnerId,
        request: CreateSubscription,
        origin: &Origin,
    ) -> Result<SubscriptionWithSecret, CreateSubscriptionError> {
        let now = self.clock.now();
        let id = SubscriptionId::mint_for(owner, self.placement, now, &*self.entropy);
        let before = SealedOptions { order: request.order, ..SealedOptions::default() };
        let options = self.seal_options(id, request.options).applied_to(&before, now)?;
        check_target(options.certificate.is_some(), &request.url)?;
        let signer = request.signer.drawn(&*self.entropy);
        let secret = self.rules.sealing_keys.seal(signer.signer(), id, &*self.entropy);
        let subscription = Subscription {
            id,
            owner: owner.clone(),
            url: request.url,
            url_set_by: request.by,
            events: request.events,
            filter: request.filter,
            description: request.description,
            status: SubscriptionStatus::Enabled,
            created_at: now,
            updated_at: now,
            created_by: request.created_by,
            options,
            signing: SealedSecrets::of(secret.clone()).signing(),
        };
        let max = self.rules.policy.max_subscriptions();
        let request = InsertSubscriptionRequest { subscription, secret, max, cause: self.cause(origin, now) };
        match self.stores.subscriptions.insert_within(&request).await? {
            SubscriptionInsertion::Stored => {
                Ok(SubscriptionWithSecret { subscription: request.subscription, secret: signer.into_shown() })
            }
            SubscriptionInsertion::LimitReached { max } => Err(CreateSubscriptionError::LimitReached { max }),
            SubscriptionInsertion::TooManyDeleted { max } => Err(CreateSubscriptionError::TooManyDeleted { max }),
        }
    }
}
