use std::time::Duration;

use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::rest_client::{NO_BODY, member, query, segment};
use crate::subscriptions::path;
use crate::{Client, Error};

/// The longest wait that the service accepts.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// How to receive events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Receive {
    /// The most events, 1 to 500; `None` means 100.
    pub limit: Option<u32>,
    /// How long the call waits if there are no events: whole seconds, at most 30.
    pub wait: Duration,
    /// The length of the lease: whole seconds, at most an hour; `None` means a minute.
    pub lease: Option<Duration>,
}

/// An event in the log of a subscription.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PulledEvent {
    /// The id, which is the same in every log.
    pub id: String,
    /// The type, such as `invoice.paid`.
    #[serde(rename = "type")]
    pub event_type: String,
    /// When it was published.
    pub timestamp: String,
    /// The data as the publisher sent it, byte for byte.
    pub data: Box<RawValue>,
    /// Its number in the log: 1, 2, 3 and so on, without a gap.
    pub sequence: u64,
}

/// The next events of a consumer.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Received {
    /// The events, in the order of the log.
    pub events: Vec<PulledEvent>,
    /// The lease, with which [`Client::commit_events`] commits them; `None` without events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<String>,
    /// When another reader may receive the events that are not committed; `None` without events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leased_until: Option<String>,
}

/// The events behind a place in the log.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PulledPage {
    /// The events, in the order of the log.
    pub events: Vec<PulledEvent>,
    /// The cursor of the next page. The last page has one too, with which to read later events.
    pub cursor: String,
}

/// A reader's place in the log of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Consumer {
    /// Its name.
    pub name: String,
    /// How many events are not committed.
    pub lag: u64,
    /// Until when a reader has leased events; `None` if none has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leased_until: Option<String>,
}

/// The events of a subscription that is pulled: see [`NewSubscription::pull`](crate::NewSubscription::pull). These calls
/// accept a [`FullKey`](crate::FullKey) or an [`IdToken`](crate::IdToken) as credential, and a key that has scopes needs
/// `webhooks:consume`. A consumer is the place of a reader in the log. It exists from its first call on.
impl Client {
    /// Receives the next events of a consumer, and leases them: until the lease ends, no other reader of this consumer
    /// receives any. Events that are not committed are received again.
    ///
    /// # Errors
    ///
    /// Code `consumer_leased` if another reader has events of this consumer, `cursor_expired` if the next events were
    /// deleted, or `consumer_limit_reached`. Otherwise see [`Error`].
    pub async fn receive_events(
        &self,
        subscription_id: &str,
        consumer: &str,
        receive: Receive,
    ) -> Result<Received, Error> {
        let Receive { limit, wait, lease } = receive;
        let body = ReceiveBody { limit, wait: wait.as_secs(), lease_seconds: lease.map(|lease| lease.as_secs()) };
        let path = of_consumer(subscription_id, consumer, "/receive");
        self.call_with_wait(wait.min(WAIT_MAX), Method::POST, &path, Some(&body)).await
    }

    /// Commits the received events up to the one with the id `through`, which ends the lease; `None` commits none, and the next
    /// call receives them again. The call may be repeated.
    ///
    /// # Errors
    ///
    /// Code `lease_lost` if the lease has ended: the events are received again. Otherwise see [`Error`].
    pub async fn commit_events(
        &self,
        subscription_id: &str,
        consumer: &str,
        lease: &str,
        through: Option<&str>,
    ) -> Result<(), Error> {
        let path = of_consumer(subscription_id, consumer, "/commit");
        self.call(Method::POST, &path, Some(&CommitBody { lease, through })).await
    }

    /// Moves a consumer, which ends its lease. `to` is `start`, before the oldest event that is stored; `end`, behind the last
    /// event; or a time (RFC 3339), before the first event that was published then or later.
    ///
    /// # Errors
    ///
    /// Code `consumer_limit_reached`. Otherwise see [`Error`].
    pub async fn seek_consumer(&self, subscription_id: &str, consumer: &str, to: &str) -> Result<(), Error> {
        self.call(Method::POST, &of_consumer(subscription_id, consumer, "/seek"), Some(&member("to", to))).await
    }

    /// A page of the log, for a reader that stores its own position: the first page without a cursor, which begins with the oldest
    /// stored event. `limit` is 1 to 200; `None` means 50. Changes no consumer.
    ///
    /// # Errors
    ///
    /// Code `cursor_expired` if the next events were deleted: continue with [`Problem::oldest_cursor`](crate::Problem).
    /// Otherwise see [`Error`].
    pub async fn read_events(
        &self,
        subscription_id: &str,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<PulledPage, Error> {
        let limit = limit.map(|limit| limit.to_string());
        let query = query(&[("cursor", cursor), ("limit", limit.as_deref())]);
        self.call(Method::GET, &format!("{}{query}", path(subscription_id, "/events")), NO_BODY).await
    }

    /// The consumers of a subscription, sorted by name.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_consumers(&self, subscription_id: &str) -> Result<Vec<Consumer>, Error> {
        let listed: Listed = self.call(Method::GET, &path(subscription_id, "/consumers"), NO_BODY).await?;
        Ok(listed.consumers)
    }

    /// Deletes a consumer. The events stay. A later call with the name begins with the oldest event that is stored.
    ///
    /// # Errors
    ///
    /// Code `consumer_not_found`. Otherwise see [`Error`].
    pub async fn delete_consumer(&self, subscription_id: &str, consumer: &str) -> Result<(), Error> {
        self.call(Method::DELETE, &of_consumer(subscription_id, consumer, ""), NO_BODY).await
    }
}

fn of_consumer(subscription_id: &str, consumer: &str, action: &str) -> String {
    path(subscription_id, &format!("/consumers/{}{action}", segment(consumer)))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReceiveBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
    wait: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_seconds: Option<u64>,
}

#[derive(Serialize)]
struct CommitBody<'a> {
    lease: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    through: Option<&'a str>,
}

#[derive(Deserialize)]
struct Listed {
    consumers: Vec<Consumer>,
}
