use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::rest_client::member;
use crate::{Client, Error, Owner, SchemaFault};

const PATH: &str = "/api/operator/events";

/// An event to publish.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewEvent {
    #[serde(flatten)]
    owner: Owner,
    #[serde(rename = "type")]
    event_type: String,
    data: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

impl NewEvent {
    /// An event of this type, such as `invoice.paid`, for the user with this id (the `sub` of the user's ID tokens).
    /// Receivers get `data` byte for byte as it is serialized here. A [`RawValue`] is sent unchanged.
    ///
    /// # Errors
    ///
    /// When `data` cannot be serialized as JSON.
    pub fn new(
        user_id: impl Into<String>,
        event_type: impl Into<String>,
        data: &impl Serialize,
    ) -> Result<Self, serde_json::Error> {
        Self::for_owner(Owner::User(user_id.into()), event_type, data)
    }

    /// As [`NewEvent::new`], for a user or an organization.
    ///
    /// # Errors
    ///
    /// When `data` cannot be serialized as JSON.
    pub fn for_owner(
        owner: Owner,
        event_type: impl Into<String>,
        data: &impl Serialize,
    ) -> Result<Self, serde_json::Error> {
        Ok(Self { owner, event_type: event_type.into(), data: to_raw_value(data)?, id: None })
    }

    /// Sets the id. With an id, publishing is safe to repeat.
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }
}

/// An event that the service has accepted. Times are RFC 3339 in UTC with milliseconds.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Event {
    /// The id, which receivers see as `webhook-id`.
    pub id: String,
    /// The user that receives the event; `None` if it is an organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The organization that receives the event; `None` if it is a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<String>,
    /// The type, such as `invoice.paid`.
    #[serde(rename = "type")]
    pub event_type: String,
    /// When it was published.
    pub created_at: String,
    /// The exact body that is signed and sent. Only a [`DeliveryHistory`](crate::DeliveryHistory) contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Box<RawValue>>,
}

/// The result of publishing an event.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PublishedEvent {
    /// The event.
    pub event: Event,
    /// How many subscriptions receive it.
    pub deliveries: u32,
    /// Whether an event with this id existed already. If so, the call had no effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub duplicate: bool,
    /// Where the data breaks the schema of its type, which the catalogue does not enforce.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<SchemaFault>,
}

/// Publishing by the host application. These calls need an [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// Publishes an event. After this call succeeds, every enabled subscription that matches receives the event at
    /// least once.
    ///
    /// If the event has an id, the call is safe to repeat after [`Error::NoAnswer`].
    ///
    /// # Errors
    ///
    /// Code `event_conflict` if another event has this id, or `payload_too_large`. Otherwise see [`Error`].
    pub async fn publish_event(&self, event: &NewEvent) -> Result<PublishedEvent, Error> {
        self.call(Method::POST, PATH, Some(event)).await
    }

    /// Publishes 1 to 500 events, all or none, and returns one result for each, in the same order.
    ///
    /// # Errors
    ///
    /// As for [`Client::publish_event`]. The field errors name the event, as in `events[3].type`.
    pub async fn publish_events(&self, events: &[NewEvent]) -> Result<Vec<PublishedEvent>, Error> {
        let published: PublishedBatch =
            self.call(Method::POST, &format!("{PATH}/batch"), Some(&member("events", events))).await?;
        Ok(published.results)
    }
}

#[derive(Deserialize)]
struct PublishedBatch {
    results: Vec<PublishedEvent>,
}
