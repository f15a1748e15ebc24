use super::event_type::EventType;
use super::payload::Payload;
use super::publication_key::PublicationKey;
use crate::{EventId, OwnerId, SubscriptionId, Timestamp, TraceContext};

/// An event that a publisher has reported about a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id, sent as `webhook-id`.
    pub id: EventId,
    /// The user.
    pub owner: OwnerId,
    /// The type of the event.
    pub event_type: EventType,
    /// The body that is sent to receivers.
    pub payload: Payload,
    /// When it was published.
    pub created_at: Timestamp,
}

/// An event that is to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// The event. Its id contains its `created_at`.
    pub event: Event,
    /// The key by which a repetition is recognized. Without it, an event that is published twice is two events.
    pub publication: Option<PublicationKey>,
    /// The only subscription of the owner that receives the event, whatever its patterns and its filter are; `None`
    /// for all subscriptions that match.
    pub only: Option<SubscriptionId>,
    /// The span that published the event, if it is recorded.
    pub trace: Option<TraceContext>,
}

impl NewEvent {
    /// Whether the event is stored if it has no delivery. An event for one subscription is stored for its delivery, or
    /// for its publication key.
    pub const fn is_stored_without_deliveries(&self) -> bool {
        self.only.is_none() || self.publication.is_some()
    }

    /// Whether disabled subscriptions that match miss the event. Nobody needs an event of the service later.
    pub fn is_missed(&self) -> bool {
        self.only.is_none() && !self.event.event_type.is_reserved()
    }
}
