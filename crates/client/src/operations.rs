use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::rest_client::{NO_BODY, query, segment};
use crate::{Attempt, Client, Error, Event, Owner};

/// An enabled subscription of any user that failed at its last attempt.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FailingSubscription {
    /// The subscription's id.
    pub id: String,
    /// The user that it belongs to; `None` if it is an organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The organization that it belongs to; `None` if it is a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<String>,
    /// Scheme, host and port of the receiver.
    pub receiver: String,
    /// `failing` or `paused`.
    pub state: String,
    /// The error of the last attempt, or `retry_after`.
    pub reason: Option<String>,
    /// When the current run of failures began.
    pub failing_since: Option<String>,
    /// How many attempts have failed in a row.
    pub failures_in_a_row: u32,
    /// The attempt that ended last; `None` after it is purged.
    pub last_attempt: Option<Attempt>,
}

/// A page of failing subscriptions. Those that have failed longest come first.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FailingPage {
    /// The subscriptions.
    pub subscriptions: Vec<FailingSubscription>,
    /// The cursor of the next page; `None` on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A filter for events: every field that is set must match.
#[derive(Clone, Debug, Default)]
pub struct EventQuery {
    /// Only events of this owner.
    pub owner: Option<Owner>,
    /// Only events of this type. Patterns are not allowed.
    pub event_type: Option<String>,
    /// Only events published at this time or later: RFC 3339.
    pub since: Option<String>,
    /// Only events published before this time: RFC 3339.
    pub until: Option<String>,
    /// The `next_cursor` of the previous page, which must have had the same filters.
    pub cursor: Option<String>,
    /// The size of the page, 1 to 200; `None` means 50.
    pub limit: Option<u32>,
}

/// A published event, and the number of subscriptions that received it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LoggedEvent {
    /// The event. Only [`Client::find_event`] returns the payload.
    pub event: Event,
    /// How many subscriptions it went to when it was published.
    pub deliveries: u32,
}

/// A page of events, newest first. A page can be short or even empty without being the last.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EventPage {
    /// The events, without payloads.
    pub events: Vec<LoggedEvent>,
    /// The cursor of the next page; `None` on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The webhooks of all users, for operators. These calls need an [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// A page of the failing subscriptions of all users: the first page, or the page of a `next_cursor`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_failing_subscriptions(&self, cursor: Option<&str>) -> Result<FailingPage, Error> {
        let path = format!("/api/operator/failing-subscriptions{}", query(&[("cursor", cursor)]));
        self.call(Method::GET, &path, NO_BODY).await
    }

    /// A page of published events, newest first. If it is of one owner, the owner sees the call in the audit log.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_published_events(&self, wanted: &EventQuery) -> Result<EventPage, Error> {
        let limit = wanted.limit.map(|limit| limit.to_string());
        let query = query(&[
            ("userId", wanted.owner.as_ref().and_then(Owner::user_id)),
            ("organizationId", wanted.owner.as_ref().and_then(Owner::organization_id)),
            ("type", wanted.event_type.as_deref()),
            ("since", wanted.since.as_deref()),
            ("until", wanted.until.as_deref()),
            ("cursor", wanted.cursor.as_deref()),
            ("limit", limit.as_deref()),
        ]);
        self.call(Method::GET, &format!("/api/operator/events{query}"), NO_BODY).await
    }

    /// A published event with its payload. The user of the event sees the call in the audit log.
    ///
    /// # Errors
    ///
    /// Code `event_not_found`. Otherwise see [`Error`].
    pub async fn find_event(&self, id: &str) -> Result<LoggedEvent, Error> {
        self.call(Method::GET, &format!("/api/operator/events/{}", segment(id)), NO_BODY).await
    }

    /// The state of the instance that answers and of its store, as the JSON object that `findSystemState` describes.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn find_system_state(&self) -> Result<serde_json::Value, Error> {
        self.call(Method::GET, "/api/operator/system", NO_BODY).await
    }
}
