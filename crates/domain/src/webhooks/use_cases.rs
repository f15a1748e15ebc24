use std::sync::Arc;

use super::webhook_policy::WebhookPolicy;
use crate::ports::{Clock, DeliveryPage, Entropy, RetryRequest, StoreError, WebhookStores};
use crate::webhooks::{
    Delivery, DeliveryFilter, EgressPolicy, InvalidTargetUrl, SealingKeys, Subscription, SubscriptionChange, TargetUrl,
};
use crate::{DeliveryId, SubscriptionId, Timestamp, UserId};

/// What the use cases are held to.
#[derive(Clone)]
pub struct WebhookRules {
    /// Limits.
    pub policy: WebhookPolicy,
    /// Where webhooks may go.
    pub egress: EgressPolicy,
    /// Seal signing secrets before they are stored.
    pub sealing_keys: Arc<SealingKeys>,
}

/// The use cases of webhooks. One that has a rule has a file: `create_subscription`, `publish_events` and so on. The
/// four that only pass the time on to the store are below.
///
/// `owner` is the user who owns the subscriptions and deliveries; the caller has authenticated the user. The answer is
/// the same for a subscription or delivery of another user and for one that does not exist.
#[derive(Clone)]
pub struct Webhooks {
    pub(super) stores: WebhookStores,
    pub(super) rules: WebhookRules,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
}

impl Webhooks {
    /// The use cases over these ports.
    pub fn new(stores: WebhookStores, rules: WebhookRules, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { stores, rules, clock, entropy }
    }

    /// The limits.
    pub fn policy(&self) -> &WebhookPolicy {
        &self.rules.policy
    }

    /// Takes `text` as a target, if webhooks may go there.
    ///
    /// # Errors
    ///
    /// Says which rule the text breaks.
    pub fn parse_target(&self, text: &str) -> Result<TargetUrl, InvalidTargetUrl> {
        TargetUrl::parse(text, &self.rules.egress)
    }

    /// Changes the owner's subscription, and answers with it as it is then; `None` when there is none.
    ///
    /// Disabling ends what waits. Enabling starts anew, also what the service had disabled.
    ///
    /// # Errors
    ///
    /// When the store fails; nothing says whether the change was made.
    pub async fn change_subscription(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
    ) -> Result<Option<Subscription>, StoreError> {
        self.stores.subscriptions.update(owner, id, change, self.clock.now()).await
    }

    /// Deletes the owner's subscription, and with it what waits to be delivered; `false` when there is none. What was
    /// delivered stays listed until it is purged.
    ///
    /// # Errors
    ///
    /// When the store fails; nothing says whether the subscription is deleted.
    pub async fn delete_subscription(&self, owner: &UserId, id: SubscriptionId) -> Result<bool, StoreError> {
        self.stores.subscriptions.delete(owner, id, self.clock.now()).await
    }

    /// The owner's deliveries with ids below `before` that pass the filter, the newest first, at most `max`.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn list_deliveries(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError> {
        self.stores.log.list(owner, filter, before, max).await
    }

    /// Ends one of the owner's deliveries, and answers with it as it is then; one that has ended stays as it is. `None`
    /// when there is none. What is being sent right now may still arrive.
    ///
    /// # Errors
    ///
    /// When the store fails; nothing says whether the delivery is cancelled.
    pub async fn cancel_delivery(&self, owner: &UserId, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        self.stores.commands.cancel(owner, id, self.clock.now()).await
    }

    /// A retry by hand at `at`, of events as old as may be.
    pub(super) fn retry_request(&self, at: Timestamp) -> RetryRequest {
        RetryRequest { at, published_since: at.minus(self.rules.policy.redelivery_age_max()) }
    }
}
