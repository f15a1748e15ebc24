use async_trait::async_trait;

use crate::ports::StoreError;
use crate::webhooks::{Event, NewEvent};

/// What became of a publication of several events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Publication {
    /// All are accepted, in the order given.
    Accepted(Vec<Accepted>),
    /// None is: the owner of the event at this index, from 0, has published another event under its
    /// [`PublisherId`](crate::webhooks::PublisherId).
    Conflict {
        /// Which event.
        index: usize,
    },
}

/// An accepted event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The event; of a repetition, the one that was published first.
    pub event: Event,
    /// How many deliveries it was fanned out to, when it was published first.
    pub deliveries: u32,
    /// Whether it had been published before, so that nothing happened now.
    pub is_duplicate: bool,
}

/// Accepts events.
#[async_trait]
pub trait EventStore: Send + Sync {
    /// Stores the events and, for each, a delivery to each of the owner's enabled subscriptions that match its type at
    /// that instant (or to [`NewEvent::only`], if that is enabled), due at the event's `created_at`.
    ///
    /// - All or nothing, in one transaction: once it has answered, nothing but a delivery's end ends it.
    /// - Matching is [`SubscribedEvents::matches`](crate::webhooks::SubscribedEvents::matches); a delivery's id is
    ///   [`DeliveryId::of`](crate::DeliveryId::of), so that no subscription has two deliveries of one event.
    /// - An event whose owner has published under the same [`PublicationKey`](crate::webhooks::PublicationKey) is not
    ///   stored again: with the same content it is a duplicate, with other content a [`Publication::Conflict`]. Exact
    ///   under any concurrency, and within one call. A key is known as long as its event is.
    /// - A subscription that is disabled, deleted or changed meanwhile is so wholly before or wholly after.
    /// - An [`EventId`](crate::EventId) that is stored already, other than for a repetition, is
    ///   [`StoreError::Duplicate`].
    /// - Callers pass at most [`PUBLISHED_EVENTS_MAX`] events.
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError>;
}

/// The most events in one publication.
pub const PUBLISHED_EVENTS_MAX: usize = 500;
