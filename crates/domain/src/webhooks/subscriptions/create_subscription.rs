use super::description::Description;
use super::subscribed_events::SubscribedEvents;
use super::subscription::{Subscription, SubscriptionStatus};
use crate::ports::{StoreError, SubscriptionInsertion};
use crate::webhooks::signing::chosen_secret::ChosenSecret;
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
        let secret = ChosenSecret::of(request.secret, &*self.entropy);
        let sealed = self.rules.sealing_keys.seal(secret.as_ref(), subscription.id, &*self.entropy);
        let max = self.rules.policy.max_subscriptions();
        match self.stores.subscriptions.insert_within(&subscription, &sealed, max).await? {
            SubscriptionInsertion::Stored => Ok(CreatedSubscription { subscription, secret: secret.into_shown() }),
            SubscriptionInsertion::LimitReached => Err(CreateSubscriptionError::LimitReached { max }),
        }
    }
}
