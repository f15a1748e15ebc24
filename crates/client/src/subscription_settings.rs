//! The settings of a subscription in a call: all of a new subscription, or a change.

use serde::Serialize;

use crate::{Patch, PayloadFilter, WebhookOptions, WebhookSecret};

/// A subscription to create.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewSubscription {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    events: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<PayloadFilter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<WebhookSecret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signing: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ordering: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_exhausted: Option<String>,
    #[serde(flatten)]
    options: WebhookOptions,
}

impl NewSubscription {
    /// Subscribes `url` to `events`: event types (`invoice.paid`), patterns (`invoice.*`), or `*` for all events.
    pub fn new(url: impl Into<String>, events: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { url: Some(url.into()), ..Self::of(events) }
    }

    /// Keeps `events` in a log, from which readers fetch them with [`Client::receive_events`](crate::Client::receive_events).
    /// Such a subscription makes no requests: apart from the events it has a filter and a description, and the service refuses
    /// all other settings.
    pub fn pull(events: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { kind: Some("pull"), ..Self::of(events) }
    }

    fn of(events: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            kind: None,
            url: None,
            events: events.into_iter().map(Into::into).collect(),
            filter: None,
            description: None,
            secret: None,
            signing: None,
            max_per_second: None,
            ordering: None,
            on_exhausted: None,
            options: WebhookOptions::default(),
        }
    }

    /// Sets the filter. Without this call the subscription receives all of its events.
    #[must_use]
    pub fn filtered_by(self, filter: PayloadFilter) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// Sets the description, up to 1,000 characters.
    #[must_use]
    pub fn described_as(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// Sets the signing secret. Without this call the service generates one.
    #[must_use]
    pub fn signed_with(self, secret: WebhookSecret) -> Self {
        Self { secret: Some(secret), ..self }
    }

    /// Sets which signatures its webhooks carry: `hmac`, the default; `ed25519`, without a secret; or `both`.
    #[must_use]
    pub fn signed_by(self, signing: impl Into<String>) -> Self {
        Self { signing: Some(signing.into()), ..self }
    }

    /// Sets the most deliveries in a second, over all instances of the service: 0.1 to 1,000. Retries count.
    #[must_use]
    pub fn at_most(self, per_second: f64) -> Self {
        Self { max_per_second: Some(per_second), ..self }
    }

    /// Sends the deliveries one after the other, in the order of publication. `on_exhausted` is the rule for a delivery that has no
    /// attempts left: `skip` sends the next one, `stop` disables the subscription.
    #[must_use]
    pub fn in_order(self, on_exhausted: impl Into<String>) -> Self {
        Self { ordering: Some("subscription".to_owned()), on_exhausted: Some(on_exhausted.into()), ..self }
    }

    /// Sets the headers, the authentication and the client certificate.
    #[must_use]
    pub fn with_options(self, options: WebhookOptions) -> Self {
        Self { options, ..self }
    }
}

/// A change of a subscription. A field that is `None` stays unchanged.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionChange {
    /// The URL. Deliveries that are already waiting go to the new URL as well. With another scheme, host or port, the
    /// subscription keeps only the headers, the authentication and the client certificate of this change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The event types and patterns from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<String>>,
    /// The filter.
    #[serde(skip_serializing_if = "Patch::is_absent")]
    pub filter: Patch<PayloadFilter>,
    /// The description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether to send webhooks. `false` ends waiting deliveries as failed. `true` enables the subscription again, also
    /// if the service had disabled it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The most deliveries in a second.
    #[serde(skip_serializing_if = "Patch::is_absent")]
    pub max_per_second: Patch<f64>,
    /// The rule of a subscription with an order: `skip` or `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_exhausted: Option<String>,
    /// The headers, the authentication and the client certificate.
    #[serde(flatten)]
    pub options: WebhookOptions,
}
