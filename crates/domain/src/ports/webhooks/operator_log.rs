use async_trait::async_trait;

use crate::ports::StoreError;
use crate::webhooks::{AttemptRecord, Breaker, Event, EventFilter, Subscription};
use crate::{EventId, SubscriptionId, Timestamp};

/// An enabled subscription that failed at its last attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingSubscription {
    /// The subscription.
    pub subscription: Subscription,
    /// The breaker of its lane, which has the time since which every attempt has failed.
    pub breaker: Breaker,
    /// The attempt that ended last, without the excerpt of the answer; `None` after it is purged.
    pub last_attempt: Option<AttemptRecord>,
}

/// The place of a failing subscription in the order of [`OperatorLog::failing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FailingPlace {
    /// Since when every attempt has failed.
    pub since: Timestamp,
    /// The subscription.
    pub subscription: SubscriptionId,
}

impl FailingSubscription {
    /// Its place in the order; `None` if no attempt has failed.
    pub fn place(&self) -> Option<FailingPlace> {
        let since = self.breaker.failing_since?;
        Some(FailingPlace { since, subscription: self.subscription.id })
    }
}

/// A published event, and how many deliveries its publication made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// The event.
    pub event: Event,
    /// How many deliveries were made.
    pub deliveries: u32,
}

/// One page of a list of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPage {
    /// The events, newest first, with empty payloads.
    pub events: Vec<LoggedEvent>,
    /// Where the next page begins; `None` if this is the last page. A page may be short or even empty without being the
    /// last: a search for rare events stops after some time.
    pub next: Option<EventId>,
}

/// Asks for [`OperatorLog::list_events`].
#[derive(Clone, Debug)]
pub struct ListEventsRequest {
    /// The filter that the events pass.
    pub filter: EventFilter,
    /// The events have ids below this one.
    pub before: Option<EventId>,
    /// The most events of the answer.
    pub max: u32,
}

/// Reads the webhooks of all owners, for operators and for the notices of certificates that expire. It changes nothing.
#[async_trait]
pub trait OperatorLog: Send + Sync {
    /// At most `max` subscriptions of any owners, with ids above `after`, in the order of ids, without deleted and damaged ones.
    /// It reads `max` rows at most.
    async fn subscriptions(&self, after: Option<SubscriptionId>, max: u32) -> Result<Vec<Subscription>, StoreError>;

    /// At most `max` failing subscriptions of any owners behind `after`, in the order of [`FailingPlace`]: the longest
    /// failing ones come first.
    ///
    /// - Failing are the enabled subscriptions whose lane has a [`Breaker::failing_since`], also while the lane pauses.
    ///   Disabled and deleted ones are not among them.
    /// - It reads only the rows that it shows, so its time does not depend on the number of deliveries.
    async fn failing(&self, after: Option<FailingPlace>, max: u32) -> Result<Vec<FailingSubscription>, StoreError>;

    /// Events of any owners, newest first. The payloads are left out.
    async fn list_events(&self, request: &ListEventsRequest) -> Result<EventPage, StoreError>;

    /// The event with its payload, which is empty if no subscription asked for the event. `None` if no event has this id.
    async fn find_event(&self, id: EventId) -> Result<Option<LoggedEvent>, StoreError>;
}
