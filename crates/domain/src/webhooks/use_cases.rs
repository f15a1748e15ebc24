use std::sync::Arc;

use super::webhook_policy::WebhookPolicy;
use crate::ports::{Clock, DeliveryPage, Entropy, RetryRequest, StoreError, WebhookStores};
use crate::webhooks::{
    Delivery, DeliveryFilter, EgressPolicy, InvalidTargetUrl, SealingKeys, Subscription, SubscriptionChange, TargetUrl,
};
use crate::{DeliveryId, SubscriptionId, Timestamp, UserId};

/// The rules that the use cases follow.
#[derive(Clone)]
pub struct WebhookRules {
    /// Limits.
    pub policy: WebhookPolicy,
    /// Which URLs webhooks may go to.
    pub egress: EgressPolicy,
    /// The keys that encrypt signing secrets before they are stored.
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
    /// The use cases on these ports.
    pub fn new(stores: WebhookStores, rules: WebhookRules, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { stores, rules, clock, entropy }
    }

    /// The limits.
    pub fn policy(&self) -> &WebhookPolicy {
        &self.rules.policy
    }

    /// Parses `text` as a target, and checks whether webhooks may go there.
    ///
    /// # Errors
    ///
    /// The rule that `text` breaks.
    pub fn parse_target(&self, text: &str) -> Result<TargetUrl, InvalidTargetUrl> {
        TargetUrl::parse(text, &self.rules.egress)
    }

    /// Changes the owner's subscription and returns the changed subscription; `None` if there is no such subscription.
    ///
    /// Disabling ends the deliveries that wait. Enabling starts with a new breaker, also if the service had disabled
    /// the subscription.
    ///
    /// # Errors
    ///
    /// If the store fails. The change may have been made all the same.
    pub async fn change_subscription(
        &self,
        owner: &UserId,
        id: SubscriptionId,
        change: &SubscriptionChange,
    ) -> Result<Option<Subscription>, StoreError> {
        self.stores.subscriptions.update(owner, id, change, self.clock.now()).await
    }

    /// Deletes the owner's subscription and ends the deliveries that wait; `false` if there is no such subscription.
    /// Its deliveries stay listed until they are purged.
    ///
    /// # Errors
    ///
    /// If the store fails. The subscription may be deleted all the same.
    pub async fn delete_subscription(&self, owner: &UserId, id: SubscriptionId) -> Result<bool, StoreError> {
        self.stores.subscriptions.delete(owner, id, self.clock.now()).await
    }

    /// At most `max` of the owner's deliveries with ids below `before` that pass the filter, newest first.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list_deliveries(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError> {
        self.stores.log.list(owner, filter, before, max).await
    }

    /// Cancels one of the owner's deliveries and returns it; `None` if there is no such delivery. A delivery that has
    /// ended does not change. An attempt that is running may still arrive.
    ///
    /// # Errors
    ///
    /// If the store fails. The delivery may be cancelled all the same.
    pub async fn cancel_delivery(&self, owner: &UserId, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        self.stores.commands.cancel(owner, id, self.clock.now()).await
    }

    /// A retry by hand at `at`. Events as old as the policy allows can be delivered again.
    pub(super) fn retry_request(&self, at: Timestamp) -> RetryRequest {
        RetryRequest { at, published_since: at.minus(self.rules.policy.redelivery_age_max()) }
    }
}
