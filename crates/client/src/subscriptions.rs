use std::time::Duration;

use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::rest_client::{NO_BODY, query, segment};
use crate::{
    Attempt, Client, Delivery, Error, Event, NewSubscription, PayloadFilter, SubscriptionAuth, SubscriptionCertificate,
    SubscriptionChange, SubscriptionHeader, WebhookOptions, WebhookSecret,
};

const PATH: &str = "/api/webhooks/subscriptions";

/// A webhook subscription, as the service writes it. Times are RFC 3339 in UTC with milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Subscription {
    /// The id with which other calls name the subscription.
    pub id: String,
    /// `pull` if readers fetch the events; `None` if the service sends them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// The URL that receives the webhooks, normalized; `pull:` if readers fetch the events.
    pub url: String,
    /// The id of the API key that set the URL; `None` if an ID token did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_set_by: Option<String>,
    /// The event types and patterns that it subscribes to.
    pub events: Vec<String>,
    /// Which of these events it receives, by their content; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<PayloadFilter>,
    /// The description that its owner chose; may be empty.
    pub description: String,
    /// Whether it receives events.
    pub enabled: bool,
    /// Why it is disabled: `owner`, `gone`, `only_failures`, `order_stopped` or `key_leaked`; `None` while it is enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<String>,
    /// The headers that it adds to its requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<SubscriptionHeader>,
    /// The authentication of its requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<SubscriptionAuth>,
    /// The most deliveries in a second, over all instances of the service; `None` if there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_per_second: Option<Number>,
    /// `subscription` if deliveries leave one after the other, in the order of publication; `None` without an order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordering: Option<String>,
    /// The rule for a delivery that has no attempts left: `skip` or `stop`; `None` without an order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_exhausted: Option<String>,
    /// The certificate with which the service authenticates at the receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate: Option<SubscriptionCertificate>,
    /// Which signatures its webhooks carry: `hmac`, `ed25519` or `both`; `None` if all are `v1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signing: Option<String>,
    /// The public keys (`whpk_…`) that verify signatures `v1a`, newest first: two during the overlap of a rotation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub public_keys: Vec<String>,
    /// When it was created.
    pub created_at: String,
    /// When its owner or the service last changed it.
    pub updated_at: String,
    /// Its health. Only [`Client::list_subscriptions_with_health`] fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<SubscriptionHealth>,
}

/// A subscription after a change.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ChangedSubscription {
    /// The subscription.
    pub subscription: Subscription,
    /// Which fields lost values that the change did not set, because of the new URL: `headers`, `auth`,
    /// `clientCertificate`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
}

/// A subscription with a new secret.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionWithSecret {
    /// The subscription.
    pub subscription: Subscription,
    /// The secret that the service generated. Only this answer contains it. `None` if the caller chose the secret, with
    /// `ed25519`, which shares none, and if readers fetch the events.
    pub secret: Option<WebhookSecret>,
}

/// A subscription and its health.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FoundSubscription {
    /// The subscription.
    pub subscription: Subscription,
    /// The health of the subscription.
    pub health: SubscriptionHealth,
}

/// The health of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionHealth {
    /// `healthy`, `failing`, `paused` or `disabled`.
    pub state: String,
    /// The reason for the state: why it is disabled (`owner`, `gone`, `only_failures`, `order_stopped`, `key_leaked`), `retry_after`, or
    /// the error of the last attempt.
    pub reason: Option<String>,
    /// Since when every attempt has failed; `None` if the last one succeeded.
    pub failing_since: Option<String>,
    /// When the pause ends; `None` unless paused.
    #[serde(default)]
    pub paused_until: Option<String>,
    /// How many deliveries are waiting or being sent, counted up to 10,000.
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
    /// The cursor of the next page; `None` on the last page.
    pub next_cursor: Option<String>,
}

/// A test event for one subscription.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionTest {
    /// The event, of the type `webhook.test`.
    pub event: Event,
    /// Its delivery. [`Client::find_delivery`] shows the result.
    pub delivery: Delivery,
}

/// What a filter says about an event.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FilterVerdict {
    /// Whether the event passes.
    pub passes: bool,
    /// The leaf that was checked last, such as `filter.all[1]`: with it the answer was certain.
    pub decided_by: String,
}

/// A test of a URL.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UrlTest {
    /// The event, of the type `webhook.test`. It is not stored.
    pub event: Event,
    /// The attempt to send it, with the start of the answer.
    pub attempt: Attempt,
}

/// The deliveries that [`Client::recover_subscription`] makes due now.
#[derive(Clone, Copy, Debug)]
pub struct Recovery<'a> {
    /// Only deliveries of events that were published at this time or later: RFC 3339.
    pub since: &'a str,
    /// `failed`: deliveries that failed or wait for a retry; `missed`: deliveries of events that were published while the
    /// subscription was disabled; `None`: both.
    pub what: Option<&'a str>,
    /// Only deliveries of these events: 1 to 100 types, or patterns such as `invoice.*`; `None`: all. A comma separates names,
    /// as in the query of the count.
    pub events: Option<&'a [String]>,
}

#[derive(Serialize)]
struct RecoveryBody<'a> {
    since: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    what: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<&'a str>>,
}

impl<'a> Recovery<'a> {
    /// All deliveries of events that were published at this time or later.
    pub fn since(since: &'a str) -> Self {
        Self { since, what: None, events: None }
    }
}

/// The webhook subscriptions of a user. These calls accept a [`FullKey`](crate::FullKey) or an
/// [`IdToken`](crate::IdToken) as credential. A call that names a subscription of another user fails with code
/// `subscription_not_found`.
impl Client {
    /// Subscribes a URL, or makes a log from which readers fetch the events.
    ///
    /// # Errors
    ///
    /// Code `subscription_limit_reached` if the user has the maximum number of subscriptions. Otherwise see [`Error`].
    pub async fn create_subscription(&self, new: &NewSubscription) -> Result<SubscriptionWithSecret, Error> {
        self.call(Method::POST, PATH, Some(new)).await
    }

    /// A page of the user's subscriptions, newest first: the first page, or the page of a `next_cursor`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_subscriptions(&self, cursor: Option<&str>) -> Result<SubscriptionPage, Error> {
        self.call(Method::GET, &format!("{PATH}{}", query(&[("cursor", cursor)])), NO_BODY).await
    }

    /// The same, with the health of each subscription.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_subscriptions_with_health(&self, cursor: Option<&str>) -> Result<SubscriptionPage, Error> {
        let query = query(&[("cursor", cursor), ("include", Some("health"))]);
        self.call(Method::GET, &format!("{PATH}{query}"), NO_BODY).await
    }

    /// A subscription and its health.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn find_subscription(&self, id: &str) -> Result<FoundSubscription, Error> {
        self.call(Method::GET, &path(id, ""), NO_BODY).await
    }

    /// Changes a subscription and returns its new state.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn change_subscription(
        &self,
        id: &str,
        change: &SubscriptionChange,
    ) -> Result<ChangedSubscription, Error> {
        self.call(Method::PATCH, &path(id, ""), Some(change)).await
    }

    /// Deletes a subscription and cancels its waiting deliveries.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn delete_subscription(&self, id: &str) -> Result<(), Error> {
        self.call(Method::DELETE, &path(id, ""), NO_BODY).await
    }

    /// Replaces the signing secret with `secret`, or with one that the service generates, and a key pair with a new one.
    /// What signed before signs as well until `overlap` ends (whole seconds, at most a week; `None` means a day).
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
        self.rotate(id, None, secret, overlap).await
    }

    /// The same, after which webhooks carry these signatures: `hmac`, `ed25519` or `both`. Those from before are carried
    /// as well until `overlap` ends.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn change_webhook_signing(
        &self,
        id: &str,
        signing: &str,
        secret: Option<&WebhookSecret>,
        overlap: Option<Duration>,
    ) -> Result<SubscriptionWithSecret, Error> {
        self.rotate(id, Some(signing), secret, overlap).await
    }

    async fn rotate(
        &self,
        id: &str,
        signing: Option<&str>,
        secret: Option<&WebhookSecret>,
        overlap: Option<Duration>,
    ) -> Result<SubscriptionWithSecret, Error> {
        let body = RotateBody { signing, secret, overlap_seconds: overlap.map(|overlap| overlap.as_secs()) };
        self.call(Method::POST, &path(id, "/rotate-secret"), Some(&body)).await
    }

    /// The JWK set with the public keys of a subscription of any user. No credential is needed.
    ///
    /// # Errors
    ///
    /// Code `subscription_not_found` also if the subscription has no public key. Otherwise see [`Error`].
    pub async fn find_webhook_keys(&self, id: &str) -> Result<Value, Error> {
        self.call(Method::GET, &format!("/.well-known/webhooks/{}/jwks.json", segment(id)), NO_BODY).await
    }

    /// Sends an event of the type `webhook.test` to this subscription only, whatever events it subscribes to.
    ///
    /// # Errors
    ///
    /// Code `subscription_disabled`. Otherwise see [`Error`].
    pub async fn test_subscription(&self, id: &str) -> Result<SubscriptionTest, Error> {
        self.call(Method::POST, &path(id, "/test"), NO_BODY).await
    }

    /// Sends an event of the type `webhook.test` to a URL without a subscription, and waits up to 10 seconds for the
    /// answer of the receiver. The request is signed with `secret`, or with one that is made for this test, and carries
    /// the headers and the client certificate of `options`.
    ///
    /// # Errors
    ///
    /// Code `invalid_field` if webhooks may not go to the URL. Otherwise see [`Error`]. A failed attempt is not an error.
    pub async fn test_url(
        &self,
        url: &str,
        secret: Option<&WebhookSecret>,
        options: &WebhookOptions,
    ) -> Result<UrlTest, Error> {
        self.call(Method::POST, "/api/webhooks/test", Some(&TestUrlBody { url, secret, options })).await
    }

    /// Whether an event with this body passes the filter. `event` is JSON: what receivers get. Nothing is stored or sent.
    ///
    /// # Errors
    ///
    /// Code `invalid_field` if the filter is not valid: the fault names the part. Otherwise see [`Error`].
    pub async fn test_filter(&self, filter: &PayloadFilter, event: &RawValue) -> Result<FilterVerdict, Error> {
        self.call(Method::POST, "/api/webhooks/filters/test", Some(&TestFilterBody { filter, event })).await
    }

    /// How many deliveries [`Client::recover_subscription`] would make due now, counted up to 10,000.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn count_recoverable(&self, id: &str, recovery: &Recovery<'_>) -> Result<u32, Error> {
        let Recovery { since, what, events } = *recovery;
        let names = events.map(|events| events.join(","));
        let query = query(&[("since", Some(since)), ("what", what), ("events", names.as_deref())]);
        let path = format!("{}{query}", path(id, "/recoverable"));
        let counted: Recovered = self.call(Method::GET, &path, NO_BODY).await?;
        Ok(counted.deliveries)
    }

    /// Enables a subscription, and makes the deliveries of the recovery due now. Returns their number. If the result is 100,000
    /// or more, call again.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn recover_subscription(&self, id: &str, recovery: &Recovery<'_>) -> Result<u32, Error> {
        let Recovery { since, what, events } = *recovery;
        let events = events.map(|events| events.iter().flat_map(|name| name.split(',')).collect());
        let body = RecoveryBody { since, what, events };
        let recovered: Recovered = self.call(Method::POST, &path(id, "/recover"), Some(&body)).await?;
        Ok(recovered.deliveries)
    }
}

/// The path of an action on a subscription.
pub(crate) fn path(id: &str, action: &str) -> String {
    format!("{PATH}/{}{action}", segment(id))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RotateBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    signing: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a WebhookSecret>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overlap_seconds: Option<u64>,
}

#[derive(Serialize)]
struct TestUrlBody<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a WebhookSecret>,
    #[serde(flatten)]
    options: &'a WebhookOptions,
}

#[derive(Serialize)]
struct TestFilterBody<'a> {
    filter: &'a PayloadFilter,
    event: &'a RawValue,
}

#[derive(Deserialize)]
pub(crate) struct Recovered {
    pub(crate) deliveries: u32,
}
