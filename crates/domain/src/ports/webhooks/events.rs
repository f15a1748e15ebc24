use async_trait::async_trait;

use crate::ports::StoreError;
use crate::webhooks::{Event, NewEvent};

/// The most bytes of the events of calls that wait in a store. Further calls are
/// [unavailable](StoreError::Unavailable), because they would need memory while they wait.
pub const WAITING_BYTES_MAX: u32 = 64 * 1024 * 1024;

/// How many bytes a call holds while it waits. A call that needs the whole room gets it when no other call waits.
pub fn waiting_bytes(events: &[NewEvent]) -> u32 {
    let bytes: usize = events.iter().map(|new| size_of_val(new) + new.event.payload.bytes().len()).sum();
    u32::try_from(bytes).unwrap_or(u32::MAX).min(WAITING_BYTES_MAX)
}

/// The result of publishing several events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Publication {
    /// All events are accepted. They are in the order of the call.
    Accepted(Vec<Accepted>),
    /// No event is accepted. The owner of the event at this index, from 0, has published another event under the same
    /// [`PublisherId`](crate::webhooks::PublisherId).
    Conflict {
        /// The index of the event, from 0.
        index: usize,
    },
}

/// An accepted event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The event. For a repetition, the event that was published first.
    pub event: Event,
    /// How many deliveries were made of it when it was published first.
    pub deliveries: u32,
    /// Whether the event was published before. Then this call had no effect.
    pub is_duplicate: bool,
}

/// Accepts events and makes their deliveries.
#[async_trait]
pub trait EventStore: Send + Sync {
    /// Stores the events. For each event it also stores a delivery to each of the owner's enabled subscriptions that
    /// match the event's type, and whose filter it passes, at that instant (or to [`NewEvent::only`], if that is enabled). The deliveries are due at
    /// the event's `created_at`.
    ///
    /// - A disabled subscription that matches [misses](NewEvent::is_missed) the event: the call stores a delivery that ended as
    ///   [`Missed`](crate::webhooks::DeliveryEnd::Missed) at the event's `created_at`, without an attempt. A
    ///   [recovery](crate::ports::DeliveryCommands::recover) can send it. The answer does not count it. See decision 143.
    /// - The call stores all events or none, in one transaction. After the answer, a delivery lasts until one of its
    ///   ends.
    /// - Matching is [`SubscribedEvents::matches`](crate::webhooks::SubscribedEvents::matches), and then
    ///   [`FilteredPayload::passes`](crate::webhooks::FilteredPayload::passes); a delivery's id is
    ///   [`DeliveryId::of`](crate::DeliveryId::of), so that no subscription has two deliveries of one event.
    /// - An event with the owner and the [`PublicationKey`](crate::webhooks::PublicationKey) of a stored event is not
    ///   stored again: with the same content it is a duplicate, with other content a [`Publication::Conflict`]. This is
    ///   exact under any concurrency, and within one call. A publication key is deleted with its event.
    /// - [`NewEvent::trace`] is kept with the event, for
    ///   [`ClaimedDelivery::trace`](crate::ports::ClaimedDelivery::trace).
    /// - An event without deliveries, also ended ones, is stored without its payload, which no receiver needs. A later repetition gets
    ///   the event with an empty payload.
    /// - An event without deliveries that is not [stored without them](NewEvent::is_stored_without_deliveries) leaves
    ///   no row.
    /// - A change of a subscription happens entirely before the publication or entirely after it.
    /// - If an [`EventId`](crate::EventId) is stored already, and the event is not a repetition, the result is
    ///   [`StoreError::Duplicate`].
    /// - Callers pass at most [`PUBLISHED_EVENTS_MAX`] events.
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError>;
}

/// The most events in one publication.
pub const PUBLISHED_EVENTS_MAX: usize = 500;
