use std::time::Duration;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::rest_client::{NO_BODY, query, segment};
use crate::{Attempt, Client, Delivery, Error, Event, WebhookSecret};

const PATH: &str = "/api/webhooks/subscriptions";

/// A webhook subscription, as the service writes it. Times are RFC 3339 in UTC with milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Subscription {
    /// Names the subscription in every other call.
    pub id: String,
    /// Where its webhooks go, in its normal form.
    pub url: String,
    /// The event types and patterns that it asks for.
    pub events: Vec<String>,
    /// What its owner calls it; may be empty.
    pub description: String,
    /// Whether it receives events.
    pub enabled: bool,
    /// When it was created.
    pub created_at: String,
    /// When its owner, or the service, last changed it.
    pub updated_at: String,
}

/// What a new subscription is to be.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewSubscription {
    url: String,
    events: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<WebhookSecret>,
}

impl NewSubscription {
    /// Sends to `url` what one of `events` names: event types (`invoice.paid`), patterns (`invoice.*`), or `*` for all.
    pub fn new(url: impl Into<String>, events: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let events = events.into_iter().map(Into::into).collect();
        Self { url: url.into(), events, description: None, secret: None }
    }

    /// Is called so: up to 1,000 characters.
    #[must_use]
    pub fn described_as(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// Is signed with this secret, in place of one that the service makes.
    #[must_use]
    pub fn signed_with(self, secret: WebhookSecret) -> Self {
        Self { secret: Some(secret), ..self }
    }
}

/// What to change of a subscription: what is not set stays as it is.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionChange {
    /// Where to send. What waits already goes there, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What to send from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<String>>,
    /// What to call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether to send. `false` ends what waits, as failed; `true` starts anew, also what the service had disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// A subscription whose secret is new.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionWithSecret {
    /// The subscription.
    pub subscription: Subscription,
    /// The secret that the service made. It is in this answer and never again; `None` when the caller gave one.
    pub secret: Option<WebhookSecret>,
}

/// A subscription, and how it fares.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FoundSubscription {
    /// The subscription.
    pub subscription: Subscription,
    /// How it fares.
    pub health: SubscriptionHealth,
}

/// How a subscription fares.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionHealth {
    /// `healthy`, `failing`, `paused` or `disabled`.
    pub state: String,
    /// Why: who disabled it (`owner`, `gone`, `only_failures`), `retry_after`, or the error of the last attempt.
    pub reason: Option<String>,
    /// Since when there are nothing but failures; `None` when there are none.
    pub failing_since: Option<String>,
    /// Deliveries that wait or are being sent, counted up to 100,000.
    pub waiting: u32,
    /// The attempt that ended last; `None` before the first.
    pub last_attempt: Option<Attempt>,
}

/// A page of subscriptions, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionPage {
    /// The subscriptions.
    pub subscriptions: Vec<Subscription>,
    /// Asks for the next page; `None` when this is the last one.
    pub next_cursor: Option<String>,
}

/// A test event on its way to one subscription.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionTest {
    /// The event, of the type `webhook.test`.
    pub event: Event,
    /// Its delivery: [`Client::find_delivery`] says what came of it.
    pub delivery: Delivery,
}

/// The webhook subscriptions of a user: these calls take a [`FullKey`](crate::FullKey) or an
/// [`IdToken`](crate::IdToken) as credential. Those that name a subscription fail with code `subscription_not_found`
/// when it is not the user's.
impl Client {
    /// Subscribes a URL.
    ///
    /// # Errors
    ///
    /// Code `subscription_limit_reached` when the user has as many as allowed. Otherwise see [`Error`].
    pub async fn create_subscription(&self, new: &NewSubscription) -> Result<SubscriptionWithSecret, Error> {
        self.call(Method::POST, PATH, Some(new)).await
    }

    /// A page of the user's subscriptions, newest first: the first, or the one that a `next_cursor` names.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_subscriptions(&self, cursor: Option<&str>) -> Result<SubscriptionPage, Error> {
        self.call(Method::GET, &format!("{PATH}{}", query(&[("cursor", cursor)])), NO_BODY).await
    }

    /// A subscription, and how it fares.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn find_subscription(&self, id: &str) -> Result<FoundSubscription, Error> {
        self.call(Method::GET, &path(id, ""), NO_BODY).await
    }

    /// Changes a subscription, and answers how it is now.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn change_subscription(&self, id: &str, change: &SubscriptionChange) -> Result<Subscription, Error> {
        let changed: Changed = self.call(Method::PATCH, &path(id, ""), Some(change)).await?;
        Ok(changed.subscription)
    }

    /// Deletes a subscription, and cancels what waits for it.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn delete_subscription(&self, id: &str) -> Result<(), Error> {
        self.call(Method::DELETE, &path(id, ""), NO_BODY).await
    }

    /// Signs with a new secret, the given one or one that the service makes. Until `overlap` ends (whole seconds, at
    /// most a week; `None`: a day) the old one signs as well.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn rotate_webhook_secret(
        &self,
        id: &str,
        secret: Option<&WebhookSecret>,
        overlap: Option<Duration>,
    ) -> Result<SubscriptionWithSecret, Error> {
        let body = RotateBody { secret, overlap_seconds: overlap.map(|overlap| overlap.as_secs()) };
        self.call(Method::POST, &path(id, "/rotate-secret"), Some(&body)).await
    }

    /// Sends an event of the type `webhook.test` to this subscription alone, whatever it asks for.
    ///
    /// # Errors
    ///
    /// Code `subscription_disabled`. Otherwise see [`Error`].
    pub async fn test_subscription(&self, id: &str) -> Result<SubscriptionTest, Error> {
        self.call(Method::POST, &path(id, "/test"), NO_BODY).await
    }

    /// Enables a subscription, and makes due what failed, or waits for a retry, of events published since then (RFC
    /// 3339). Answers how many deliveries that are; with 100,000, call again.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn recover_subscription(&self, id: &str, since: &str) -> Result<u32, Error> {
        let recovered: Recovered = self.call(Method::POST, &path(id, "/recover"), Some(&RecoverBody { since })).await?;
        Ok(recovered.deliveries)
    }
}

fn path(id: &str, action: &str) -> String {
    format!("{PATH}/{}{action}", segment(id))
}

#[derive(Deserialize)]
struct Changed {
    subscription: Subscription,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RotateBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a WebhookSecret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overlap_seconds: Option<u64>,
}

#[derive(Serialize)]
struct RecoverBody<'a> {
    since: &'a str,
}

#[derive(Deserialize)]
struct Recovered {
    deliveries: u32,
}
