use super::description::Description;
use super::subscribed_events::SubscribedEvents;
use super::subscription::{Subscription, SubscriptionStatus};
use crate::webhooks::options::options_change::check_target;
use crate::webhooks::{DroppedOptions, InvalidOptions, PayloadFilter, SealedOptionsChange, TargetUrl};
use crate::{KeyId, Patch, Timestamp};

/// A change of a subscription by its owner. `None` leaves a field unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionChange {
    /// The URL that webhooks are sent to.
    pub url: Option<TargetUrl>,
    /// The event types that are sent.
    pub events: Option<SubscribedEvents>,
    /// Which of these events are sent.
    pub filter: Patch<PayloadFilter>,
    /// The name.
    pub description: Option<Description>,
    /// Enables or disables the subscription. Enabling it starts with a new breaker.
    pub enabled: Option<bool>,
    /// The change of the headers, the authentication, the client certificate and the rate.
    pub options: SealedOptionsChange,
    /// The API key that requests the change; `None` for an ID token.
    pub by: Option<KeyId>,
}

/// A subscription after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedSubscription {
    /// The subscription.
    pub subscription: Subscription,
    /// What it lost, because its URL has another origin.
    pub dropped: DroppedOptions,
}

impl SubscriptionChange {
    /// The subscription after the change at `at`. If nothing changes, `updated_at` does not change either.
    ///
    /// A URL of another origin leaves only the headers, the authentication and the client certificate that the same change
    /// sets: who may change the URL shall not get the secrets that another has stored. See decision 132.
    ///
    /// # Errors
    ///
    /// If the options after the change do not fit together, or do not fit the URL.
    pub fn applied_to(
        &self,
        subscription: &Subscription,
        at: Timestamp,
    ) -> Result<ChangedSubscription, InvalidOptions> {
        if let (true, Some(field)) = (subscription.url.is_pull(), self.field_of_requests()) {
            return Err(InvalidOptions::Pulled { field });
        }
        let (mut changed, mut dropped) = (subscription.clone(), DroppedOptions::default());
        if let Some(url) = self.url.as_ref().filter(|url| **url != subscription.url) {
            (changed.url, changed.url_set_by) = (url.clone(), self.by);
        }
        if let Some(events) = &self.events {
            changed.events = events.clone();
        }
        changed.filter = self.filter.apply_to(subscription.filter.as_ref());
        if let Some(description) = &self.description {
            changed.description = description.clone();
        }
        changed.status = match (self.enabled, subscription.status) {
            (Some(true), _) => SubscriptionStatus::Enabled,
            (Some(false), SubscriptionStatus::Enabled) => SubscriptionStatus::DisabledByOwner,
            (_, status) => status,
        };
        if changed.url == subscription.url || changed.url.url().origin() == subscription.url.url().origin() {
            changed.options = self.options.applied_to(&subscription.options, at)?;
        } else {
            (changed.options, dropped) = self.options.at_another_origin(&subscription.options, at)?;
        }
        check_target(changed.options.certificate.is_some(), &changed.url)?;
        if changed != *subscription {
            changed.updated_at = at;
        }
        Ok(ChangedSubscription { subscription: changed, dropped })
    }

    /// A field of the change that applies to requests, as the API has it.
    fn field_of_requests(&self) -> Option<&'static str> {
        let SealedOptionsChange { replaces_headers, headers, auth, max_per_second, on_exhausted, certificate } =
            &self.options;
        let fields = [
            ("url", self.url.is_some()),
            ("headers", *replaces_headers || !headers.is_empty()),
            ("auth", *auth != Patch::default()),
            ("maxPerSecond", *max_per_second != Patch::default()),
            ("onExhausted", on_exhausted.is_some()),
            ("clientCertificate", *certificate != Patch::default()),
        ];
        fields.into_iter().find_map(|(field, is_set)| is_set.then_some(field))
    }
}
