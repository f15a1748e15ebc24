use super::description::Description;
use super::subscribed_events::SubscribedEvents;
use super::subscription::{Subscription, SubscriptionStatus};
use crate::Timestamp;
use crate::webhooks::TargetUrl;

/// What an owner changes of a subscription; `None` leaves it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionChange {
    /// Where to.
    pub url: Option<TargetUrl>,
    /// What for.
    pub events: Option<SubscribedEvents>,
    /// What it is called.
    pub description: Option<Description>,
    /// Switches it on or off. Switching on what the service switched off closes the breaker.
    pub enabled: Option<bool>,
}

impl SubscriptionChange {
    /// The subscription after the change at `at`. A change of nothing leaves `updated_at` as well.
    #[must_use]
    pub fn applied_to(&self, subscription: &Subscription, at: Timestamp) -> Subscription {
        let mut changed = subscription.clone();
        if let Some(url) = &self.url {
            changed.url = url.clone();
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
