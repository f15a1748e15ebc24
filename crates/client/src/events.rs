use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::{Client, Error};

const PATH: &str = "/api/operator/events";

/// Something that happened to a user, to be published.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewEvent {
    user_id: String,
    #[serde(rename = "type")]
    event_type: String,
    data: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

impl NewEvent {
    /// An event of this type, such as `invoice.paid`, that happened to the user with this id: the `sub` of their ID
    /// tokens. Receivers get `data` as it is written here, byte for byte; a [`RawValue`] keeps its own writing.
    ///
    /// # Errors
    ///
    /// When `data` cannot be written as JSON.
    pub fn new(
        user_id: impl Into<String>,
        event_type: impl Into<String>,
        data: &impl Serialize,
    ) -> Result<Self, serde_json::Error> {
        let data = to_raw_value(data)?;
        Ok(Self { user_id: user_id.into(), event_type: event_type.into(), data, id: None })
    }

    /// Is known by this id of the publisher's own, which makes publishing safe to repeat.
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
    /// What receivers see as `webhook-id`.
    pub id: String,
    /// Whom it happened to.
    pub user_id: String,
    /// What kind of thing.
    #[serde(rename = "type")]
    pub event_type: String,
    /// When it was published.
    pub created_at: String,
    /// The body that is signed and sent, byte for byte. In a [`DeliveryHistory`](crate::DeliveryHistory) alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Box<RawValue>>,
}

/// What became of publishing an event.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PublishedEvent {
    /// The event.
    pub event: Event,
    /// How many subscriptions get it.
    pub deliveries: u32,
    /// Whether it had been published before, so that nothing happened now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub duplicate: bool,
}

/// Publishing is the host application's: these calls need an [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// Publishes an event. Once this has answered, every enabled subscription that matches gets it at least once.
    ///
    /// After an [`Error::NoAnswer`] it is safe to repeat for an event with an id of its own.
    ///
    /// # Errors
    ///
    /// Code `event_conflict` when another event had this id, or `payload_too_large`. Otherwise see [`Error`].
    pub async fn publish_event(&self, event: &NewEvent) -> Result<PublishedEvent, Error> {
        self.call(Method::POST, PATH, Some(event)).await
    }

    /// Publishes 1 to 500 events, all or none, and answers for each in the same order.
    ///
    /// # Errors
    ///
    /// As [`Client::publish_event`]; the fields of the refusal name the event, as in `events[3].type`.
    pub async fn publish_events(&self, events: &[NewEvent]) -> Result<Vec<PublishedEvent>, Error> {
        let published: PublishedBatch =
            self.call(Method::POST, &format!("{PATH}/batch"), Some(&Batch { events })).await?;
        Ok(published.results)
    }
}

#[derive(Serialize)]
struct Batch<'a> {
    events: &'a [NewEvent],
}

#[derive(Deserialize)]
struct PublishedBatch {
    results: Vec<PublishedEvent>,
}
