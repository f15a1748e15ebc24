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
    /// Names the delivery in every other call.
    pub id: String,
    /// The event: what the receiver sees as `webhook-id`.
    pub event_id: String,
    /// The event's type.
    pub event_type: String,
    /// Where it goes.
    pub subscription_id: String,
    /// `waiting`, `sending`, `delivered`, `failed` or `cancelled`.
    pub state: String,
    /// Why it failed or was cancelled; `None` in other states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Attempts that were begun.
    pub attempts: u32,
    /// When it will be attempted; `None` unless it waits.
    pub next_attempt_at: Option<String>,
    /// When the event was published.
    pub created_at: String,
    /// When it ended; `None` while it has not.
    pub completed_at: Option<String>,
}

/// An attempt that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Attempt {
    /// Which attempt of its delivery, from 1. There may be gaps.
    pub number: u32,
    /// When it started.
    pub started_at: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The status of the receiver's answer; `None` without an answer.
    pub status: Option<u16>,
    /// Why it failed, such as `timeout`; `None` when it was a success.
    pub error: Option<String>,
    /// The first 16 KiB of the answer's body. In a [`DeliveryHistory`] alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
}

/// All about a delivery.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DeliveryHistory {
    /// The delivery.
    pub delivery: Delivery,
    /// Its event, with the payload.
    pub event: Event,
    /// Its attempts that have ended, the first first; of more than 100 the last 100.
    pub attempts: Vec<Attempt>,
}

/// Which deliveries to list: those that pass everything that is set.
#[derive(Clone, Debug, Default)]
pub struct DeliveryQuery {
    /// Those to this subscription.
    pub subscription_id: Option<String>,
    /// Those of events of this type; no pattern.
    pub event_type: Option<String>,
    /// Those that stand so: `waiting`, `sending`, `delivered`, `failed` or `cancelled`.
    pub state: Option<String>,
    /// Those of events published then or later: RFC 3339.
    pub since: Option<String>,
    /// Those of events published before then: RFC 3339.
    pub until: Option<String>,
    /// The `next_cursor` of the page before, which had the same filters.
    pub cursor: Option<String>,
    /// How many: 1 to 200; `None`: 50.
    pub limit: Option<u32>,
}

/// A page of deliveries, newest first. It may be short, even empty, and yet not be the last.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DeliveryPage {
    /// The deliveries.
    pub deliveries: Vec<Delivery>,
    /// Asks for the next page; `None` when this is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The deliveries to a user's subscriptions: these calls take a [`FullKey`](crate::FullKey) or an
/// [`IdToken`](crate::IdToken) as credential. Those that name a delivery fail with code `delivery_not_found` when it is
/// not the user's.
impl Client {
    /// A page of deliveries, newest first; also of those to subscriptions that were deleted.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_deliveries(&self, wanted: &DeliveryQuery) -> Result<DeliveryPage, Error> {
        let limit = wanted.limit.map(|limit| limit.to_string());
        let query = query(&[
            ("subscriptionId", wanted.subscription_id.as_deref()),
            ("eventType", wanted.event_type.as_deref()),
            ("state", wanted.state.as_deref()),
            ("since", wanted.since.as_deref()),
            ("until", wanted.until.as_deref()),
            ("cursor", wanted.cursor.as_deref()),
            ("limit", limit.as_deref()),
        ]);
        self.call(Method::GET, &format!("{PATH}{query}"), NO_BODY).await
    }

    /// A delivery, what it carries, and what came of each attempt.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn find_delivery(&self, id: &str) -> Result<DeliveryHistory, Error> {
        self.call(Method::GET, &path(id, ""), NO_BODY).await
    }

    /// Delivers again, now, and then on the retry schedule from its start.
    ///
    /// # Errors
    ///
    /// Code `subscription_disabled` or `event_too_old`. Otherwise see [`Error`].
    pub async fn retry_delivery(&self, id: &str) -> Result<Delivery, Error> {
        let changed: Changed = self.call(Method::POST, &path(id, "/retry"), NO_BODY).await?;
        Ok(changed.delivery)
    }

    /// Gives a delivery up. Cancelling what has ended changes nothing and succeeds.
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
struct Changed {
    delivery: Delivery,
}
