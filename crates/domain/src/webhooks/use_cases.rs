use std::sync::Arc;

use super::webhook_policy::WebhookPolicy;
use crate::Timestamp;
use crate::ports::{Clock, DeliveryLog, Entropy, EventStore, RetryRequest, SubscriptionStore};
use crate::webhooks::{EgressPolicy, InvalidTargetUrl, SealingKeys, TargetUrl};

/// The parts of the one store that the use cases write and read. The queue is the dispatcher's.
#[derive(Clone)]
pub struct WebhookStores {
    /// Stores subscriptions.
    pub subscriptions: Arc<dyn SubscriptionStore>,
    /// Accepts events.
    pub events: Arc<dyn EventStore>,
    /// Shows deliveries.
    pub log: Arc<dyn DeliveryLog>,
}

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

/// The use cases of webhooks, one file each: `create_subscription`, `publish_events`, `list_deliveries` and so on.
///
/// Who calls is not asked here: `owner` is the user whose subscriptions and deliveries it is about. What is another
/// user's is answered like what does not exist.
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

    /// A retry by hand at `at`, of events as old as may be.
    pub(super) fn retry_request(&self, at: Timestamp) -> RetryRequest {
        RetryRequest { at, published_since: at.minus(self.rules.policy.redelivery_age_max()) }
    }
}
