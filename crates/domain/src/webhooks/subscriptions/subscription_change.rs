use super::description::Description;
use super::subscribed_events::SubscribedEvents;
use super::subscription::{Subscription, SubscriptionStatus};
use crate::webhooks::TargetUrl;
use crate::{KeyId, Timestamp};

/// A change of a subscription by its owner. `None` leaves a field unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionChange {
    /// The URL that webhooks are sent to.
    pub url: Option<TargetUrl>,
    /// The event types that are sent.
    pub events: Option<SubscribedEvents>,
    /// The name.
    pub description: Option<Description>,
    /// Enables or disables the subscription. Enabling it starts with a new breaker.
    pub enabled: Option<bool>,
    /// The API key that requests the change; `None` for an ID token.
    pub by: Option<KeyId>,
}

impl SubscriptionChange {
    /// The subscription after the change at `at`. Without a difference, `updated_at` stays the same too.
    #[must_use]
    pub fn applied_to(&self, subscription: &Subscription, at: Timestamp) -> Subscription {
        let mut changed = subscription.clone();
        if let Some(url) = self.url.as_ref().filter(|url| **url != subscription.url) {
            (changed.url, changed.url_set_by) = (url.clone(), self.by);
        }
        if let Some(events) = &self.events {
            changed.events = events.clone();
        }
        if let Some(description) = &self.description {
            changed.description = description.clone();
        }
        changed.status = match (self.enabled, subscription.status) {
            (Some(true), _) => SubscriptionStatus::Enabled,
            (Some(false), SubscriptionStatus::Enabled) => SubscriptionStatus::DisabledByOwner,
            (_, status) => status,
        };
        if changed != *subscription {
            changed.updated_at = at;
        }
        changed
    }
}
