use super::event_type::EventType;
use super::payload::Payload;
use super::publication_key::PublicationKey;
use crate::{EventId, SubscriptionId, Timestamp, UserId};

/// Something that happened to a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id, sent as `webhook-id`.
    pub id: EventId,
    /// Whom it happened to.
    pub owner: UserId,
    /// What kind of thing.
    pub event_type: EventType,
    /// What is sent.
    pub payload: Payload,
    /// When it was published.
    pub created_at: Timestamp,
}

/// An event to be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// The event. Its id was minted at its `created_at`.
    pub event: Event,
    /// How its publisher recognizes it; `None`: it cannot be published twice by mistake.
    pub publication: Option<PublicationKey>,
    /// Deliver it to this subscription of the owner alone, whatever that asks for; `None`: to all that match.
    pub only: Option<SubscriptionId>,
}
