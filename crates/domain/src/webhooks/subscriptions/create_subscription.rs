use super::subscribed_events::SubscribedEvents;
use super::subscription::{Description, Subscription, SubscriptionStatus};
use crate::ports::{StoreError, SubscriptionInsertion};
use crate::webhooks::{SigningSecret, TargetUrl, Webhooks};
use crate::{SubscriptionId, UserId};

/// What a user asks for.
#[derive(Clone, Debug)]
pub struct CreateSubscription {
    /// Where to send.
    pub url: TargetUrl,
    /// What to send.
    pub events: SubscribedEvents,
    /// What to call it.
    pub description: Description,
    /// What to sign with; `None`: a secret of our making.
    pub secret: Option<SigningSecret>,
}

/// A new subscription.
#[derive(Debug)]
pub struct CreatedSubscription {
    /// The subscription.
    pub subscription: Subscription,
    /// The secret, if we made it, the only time that it is there to be shown.
    pub secret: Option<SigningSecret>,
}

/// Why no subscription was created.
#[derive(Debug, thiserror::Error)]
pub enum CreateSubscriptionError {
    /// The owner has as many subscriptions as allowed.
    #[error("the maximum of {max} subscriptions is reached")]
    LimitReached {
        /// That maximum.
        max: u32,
    },
    /// The store failed; nothing says whether the subscription was stored.
    #[error("the subscription could not be stored")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Creates a subscription, enabled, unless its owner has as many as allowed: exactly so, under any concurrency.
    ///
    /// # Errors
    ///
    /// See [`CreateSubscriptionError`].
    pub async fn create_subscription(
        &self,
        owner: &UserId,
        request: CreateSubscription,
    ) -> Result<CreatedSubscription, CreateSubscriptionError> {
        let now = self.clock.now();
        let subscription = Subscription {
            id: SubscriptionId::mint(now, &*self.entropy),
            owner: owner.clone(),
            url: request.url,
            events: request.events,
            description: request.description,
            status: SubscriptionStatus::Enabled,
            created_at: now,
            updated_at: now,
        };
        let secret = ChosenSecret::of(request.secret, self);
        let sealed = self.rules.sealing_keys.seal(secret.as_ref(), subscription.id, &*self.entropy);
        let max = self.rules.policy.max_subscriptions();
        match self.stores.subscriptions.insert_within(&subscription, &sealed, max).await? {
            SubscriptionInsertion::Stored => Ok(CreatedSubscription { subscription, secret: secret.into_shown() }),
            SubscriptionInsertion::LimitReached => Err(CreateSubscriptionError::LimitReached { max }),
        }
    }
}

/// A secret and who chose it: its owner knows what was given, and must be told what was made.
pub(in crate::webhooks) enum ChosenSecret {
    Given(SigningSecret),
    Made(SigningSecret),
}

impl ChosenSecret {
    pub(in crate::webhooks) fn of(given: Option<SigningSecret>, webhooks: &Webhooks) -> Self {
        given.map_or_else(|| Self::Made(SigningSecret::generate(&*webhooks.entropy)), Self::Given)
    }

    pub(in crate::webhooks) fn as_ref(&self) -> &SigningSecret {
        match self {
            Self::Given(secret) | Self::Made(secret) => secret,
        }
    }

    pub(in crate::webhooks) fn into_shown(self) -> Option<SigningSecret> {
        match self {
            Self::Given(_) => None,
            Self::Made(secret) => Some(secret),
        }
    }
}
