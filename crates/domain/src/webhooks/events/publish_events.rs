use super::event::{Event, NewEvent};
use super::event_type::EventType;
use super::payload::{Payload, PayloadTooLarge};
use super::publication_key::{ContentDigest, PublicationKey, PublisherId};
use crate::catalogue::{PublicationRefusal, Warning};
use crate::ports::{Accepted, PUBLISHED_EVENTS_MAX, Publication, StoreError};
use crate::webhooks::Webhooks;
use crate::{EventId, OwnerId, SubscriptionId, Timestamp, TraceContext};

/// An event as its publisher reports it.
#[derive(Clone, Debug)]
pub struct PublishEvent<'a> {
    /// The user.
    pub owner: OwnerId,
    /// The type of the event.
    pub event_type: EventType,
    /// The data for receivers: JSON that the caller has already checked to be one value. It is delivered unchanged.
    pub data: &'a str,
    /// The id that the publisher has given the event. Publishing the same event again with the same id has no effect.
    pub id: Option<PublisherId>,
}

/// Events that were accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The events, in the order in which they were reported.
    pub accepted: Vec<Accepted>,
    /// Those that break the schema of their type.
    pub warnings: Vec<Warning>,
}

/// Why no event was accepted.
#[derive(Debug, thiserror::Error)]
pub enum PublishEventsError {
    /// There are no events, or more than [`PUBLISHED_EVENTS_MAX`].
    #[error("must hold 1 to {PUBLISHED_EVENTS_MAX} events")]
    Count,
    /// The payload of the event at this index is too large.
    #[error("event {index}")]
    TooLarge {
        /// The index of the event, from 0.
        index: usize,
        /// The largest size.
        source: PayloadTooLarge,
    },
    /// The catalogue of event types refuses an event.
    #[error(transparent)]
    Catalogue(#[from] PublicationRefusal),
    /// The event at this index has the id of another event of the same user.
    #[error("event {index} was published before with another type or other data")]
    Conflict {
        /// The index of the event, from 0.
        index: usize,
    },
    /// The store failed. The events may have been accepted anyway. If each has an id, publishing them again is safe.
    #[error("the events could not be stored")]
    Store(#[from] StoreError),
}

impl Webhooks {
    /// Accepts all of the events or none. After `Ok`, every enabled subscription that matches receives its event at
    /// least once, unless the delivery ends otherwise. The spans of the attempts link to `trace`, the span of the caller.
    ///
    /// # Errors
    ///
    /// See [`PublishEventsError`].
    pub async fn publish(
        &self,
        requests: Vec<PublishEvent<'_>>,
        trace: Option<TraceContext>,
    ) -> Result<Published, PublishEventsError> {
        if !(1..=PUBLISHED_EVENTS_MAX).contains(&requests.len()) {
            return Err(PublishEventsError::Count);
        }
        let warnings = match &self.catalogue {
            Some(catalogue) => catalogue.check(requests.iter().map(|event| (&event.event_type, event.data))).await?,
            None => Vec::new(),
        };
        let now = self.clock.now();
        let composed = requests.into_iter().enumerate().map(|(index, request)| {
            let composed = self.compose(request, None, now);
            composed.map(|event| NewEvent { trace, ..event }).map_err(|source| too_large(index, source))
        });
        let mut events = composed.collect::<Result<Vec<NewEvent>, _>>()?;
        sort_ids(&mut events);
        match self.stores.events.publish(&events).await? {
            Publication::Accepted(accepted) => Ok(Published { accepted, warnings }),
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
        Ok(NewEvent { event: Event { id, owner, event_type, payload, created_at: at }, publication, only, trace: None })
    }
}

/// Gives the ids of events of one time to the events in their order, so that the ids tell it.
fn sort_ids(events: &mut [NewEvent]) {
    let mut ids: Vec<EventId> = events.iter().map(|new| new.event.id).collect();
    ids.sort_unstable();
    for (new, id) in events.iter_mut().zip(ids) {
        new.event.id = id;
    }
}

fn too_large(index: usize, source: PayloadTooLarge) -> PublishEventsError {
    PublishEventsError::TooLarge { index, source }
}
