use super::event::{Event, NewEvent};
use super::event_type::EventType;
use super::payload::{Payload, PayloadTooLarge};
use super::publication_key::{ContentDigest, PublicationKey, PublisherId};
use crate::ports::{Accepted, PUBLISHED_EVENTS_MAX, Publication, StoreError};
use crate::webhooks::Webhooks;
use crate::{EventId, SubscriptionId, Timestamp, UserId};

/// Something that happened to a user, as its publisher tells it.
#[derive(Clone, Debug)]
pub struct PublishEvent<'a> {
    /// Whom it happened to.
    pub owner: UserId,
    /// What kind of thing.
    pub event_type: EventType,
    /// What receivers are told of it: one JSON value in its text form, which the caller has parsed. It is delivered as
    /// it stands.
    pub data: &'a str,
    /// The publisher's own id: publishing the same again under it changes nothing.
    pub id: Option<PublisherId>,
}

/// Why no event was accepted.
#[derive(Debug, thiserror::Error)]
pub enum PublishEventsError {
    /// Not 1 to [`PUBLISHED_EVENTS_MAX`] events.
    #[error("must hold 1 to {PUBLISHED_EVENTS_MAX} events")]
    Count,
    /// The webhook of the event at this index, from 0, would be too large.
    #[error("event {index}")]
    TooLarge {
        /// Which event.
        index: usize,
        /// What is allowed.
        source: PayloadTooLarge,
    },
    /// The event at this index, from 0, has the id of another one that its user has.
    #[error("event {index} was published before with another type or other data")]
    Conflict {
        /// Which event.
        index: usize,
    },
    /// The store failed; nothing says whether the events are accepted. With an id each, they can be published again.
    #[error("the events could not be stored")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Accepts events, all or none: once it has answered, every enabled subscription that matched gets its event at
    /// least once, unless the delivery comes to one of its ends. Answers with each, in order.
    ///
    /// # Errors
    ///
    /// See [`PublishEventsError`].
    pub async fn publish(&self, requests: Vec<PublishEvent<'_>>) -> Result<Vec<Accepted>, PublishEventsError> {
        if !(1..=PUBLISHED_EVENTS_MAX).contains(&requests.len()) {
            return Err(PublishEventsError::Count);
        }
        let now = self.clock.now();
        let composed = requests.into_iter().enumerate().map(|(index, request)| {
            self.compose(request, None, now).map_err(|source| PublishEventsError::TooLarge { index, source })
        });
        let events = composed.collect::<Result<Vec<NewEvent>, _>>()?;
        match self.stores.events.publish(&events).await? {
            Publication::Accepted(accepted) => Ok(accepted),
            Publication::Conflict { index } => Err(PublishEventsError::Conflict { index }),
        }
    }

    pub(in crate::webhooks) fn compose(
        &self,
        request: PublishEvent<'_>,
        only: Option<SubscriptionId>,
        at: Timestamp,
    ) -> Result<NewEvent, PayloadTooLarge> {
        let PublishEvent { owner, event_type, data, id } = request;
        let payload = Payload::compose(&event_type, at, data, self.rules.policy.max_payload_bytes())?;
        let publication = id.map(|id| PublicationKey { id, content: ContentDigest::of(&event_type, data) });
        let id = EventId::mint(at, &*self.entropy);
        Ok(NewEvent { event: Event { id, owner, event_type, payload, created_at: at }, publication, only })
    }
}
