use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::rest_client::{NO_BODY, query, segment};
use crate::{Client, Error, Event};

const PATH: &str = "/api/webhooks/deliveries";

/// One event on its way to one subscription. Times are RFC 3339 in UTC with milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Delivery {
    /// The id with which other calls name the delivery.
    pub id: String,
    /// The id of the event, which the receiver sees as `webhook-id`.
    pub event_id: String,
    /// The event's type.
    pub event_type: String,
    /// The subscription that it goes to.
    pub subscription_id: String,
    /// `waiting`, `sending`, `delivered`, `failed`, `cancelled` or `missed`.
    pub state: String,
    /// Why it failed or was cancelled; `None` in other states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many attempts have started.
    pub attempts: u32,
    /// When the next attempt is due; `None` unless the state is `waiting`.
    pub next_attempt_at: Option<String>,
    /// When the event was published.
    pub created_at: String,
    /// When it ended; `None` before that.
    pub completed_at: Option<String>,
    /// The last attempt that has ended. Only lists of deliveries contain it; `None` before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_attempt: Option<Attempt>,
}

/// An attempt that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Attempt {
    /// The number of the attempt within its delivery, from 1. Numbers may be missing.
    pub number: u32,
    /// When it started.
    pub started_at: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The status of the receiver's answer; `None` without an answer.
    pub status: Option<u16>,
    /// Why it failed, such as `timeout`; `None` if it succeeded.
    pub error: Option<String>,
    /// The first 16 KiB of the answer's body. Only a [`DeliveryHistory`] contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// The headers of the answer to an attempt that failed. Only a [`DeliveryHistory`] contains them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response_headers: Vec<Header>,
}

/// A header of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Header {
    /// The name, in lower case.
    pub name: String,
    /// The value.
    pub value: String,
}

/// A delivery with its event and its attempts.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DeliveryHistory {
    /// The delivery.
    pub delivery: Delivery,
    /// Its event, with the payload.
    pub event: Event,
    /// The attempts that have ended, oldest first, at most the last 100.
    pub attempts: Vec<Attempt>,
}

/// A filter for deliveries: every field that is set must match.
#[derive(Clone, Debug, Default)]
pub struct DeliveryQuery {
    /// Only deliveries to this subscription.
    pub subscription_id: Option<String>,
    /// Only events of this type. Patterns are not allowed.
    pub event_type: Option<String>,
    /// Only deliveries in this state: `waiting`, `sending`, `delivered`, `failed`, `cancelled` or `missed`.
    pub state: Option<String>,
    /// Only events published at this time or later: RFC 3339.
    pub since: Option<String>,
    /// Only events published before this time: RFC 3339.
    pub until: Option<String>,
    /// The `next_cursor` of the previous page, which must have had the same filters.
    pub cursor: Option<String>,
    /// The size of the page, 1 to 200; `None` means 50.
    pub limit: Option<u32>,
}

impl DeliveryQuery {
    pub(crate) fn to_query(&self) -> String {
        let limit = self.limit.map(|limit| limit.to_string());
        query(&[
            ("subscriptionId", self.subscription_id.as_deref()),
            ("eventType", self.event_type.as_deref()),
            ("state", self.state.as_deref()),
            ("since", self.since.as_deref()),
            ("until", self.until.as_deref()),
            ("cursor", self.cursor.as_deref()),
            ("limit", limit.as_deref()),
        ])
    }
}

/// A page of deliveries, newest first. A page can be short or even empty without being the last.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DeliveryPage {
    /// The deliveries.
    pub deliveries: Vec<Delivery>,
    /// The cursor of the next page; `None` on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The deliveries to a user's subscriptions. These calls accept a [`FullKey`](crate::FullKey) or an
/// [`IdToken`](crate::IdToken) as credential. A call that names a delivery of another user fails with code
/// `delivery_not_found`.
impl Client {
    /// A page of deliveries, newest first, including deliveries to deleted subscriptions.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_deliveries(&self, wanted: &DeliveryQuery) -> Result<DeliveryPage, Error> {
        self.call(Method::GET, &format!("{PATH}{}", wanted.to_query()), NO_BODY).await
    }

    /// A delivery with its event and the result of each attempt.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn find_delivery(&self, id: &str) -> Result<DeliveryHistory, Error> {
        self.call(Method::GET, &path(id, ""), NO_BODY).await
    }

    /// Makes the delivery due now, and restarts its retry schedule.
    ///
    /// # Errors
    ///
    /// Code `subscription_disabled` or `event_too_old`. Otherwise see [`Error`].
    pub async fn retry_delivery(&self, id: &str) -> Result<Delivery, Error> {
        let changed: Changed = self.call(Method::POST, &path(id, "/retry"), NO_BODY).await?;
        Ok(changed.delivery)
    }

    /// Cancels a delivery. Cancelling a delivery that has ended succeeds without effect.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn cancel_delivery(&self, id: &str) -> Result<Delivery, Error> {
        let changed: Changed = self.call(Method::POST, &path(id, "/cancel"), NO_BODY).await?;
        Ok(changed.delivery)
    }
}

fn path(id: &str, action: &str) -> String {
    format!("{PATH}/{}{action}", segment(id))
}

#[derive(Deserialize)]
pub(crate) struct Changed {
    pub(crate) delivery: Delivery,
}
