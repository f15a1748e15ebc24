use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::ports::{RetryRequest, StoreError};
#[cfg(doc)]
use crate::webhooks::SHOWN_ATTEMPTS_MAX;
use crate::webhooks::{
    AttemptRecord, DeliveryFilter, DeliveryHistory, FailedDelivery, ListedDelivery, OutcomeCounts, RecoveryFilter,
};
use crate::{DeliveryId, EventId, Hour, HourRange, OwnerId, SubscriptionId, Timestamp};

/// One page of a list of deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryPage {
    /// The deliveries, newest first.
    pub deliveries: Vec<ListedDelivery>,
    /// Where the next page begins; `None` if this is the last page. A page may be short or even empty without being the
    /// last: a search for rare deliveries stops after some time.
    pub next: Option<DeliveryId>,
}

/// The place of an attempt in the order in which attempts end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptCursor {
    /// When it ended.
    pub ended_at: Timestamp,
    /// The delivery.
    pub delivery: DeliveryId,
    /// The number of the attempt, from 1.
    pub number: u32,
}

/// An attempt, with its delivery, its event and its subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedAttempt {
    /// The subscription.
    pub subscription: SubscriptionId,
    /// The delivery.
    pub delivery: DeliveryId,
    /// The event.
    pub event: EventId,
    /// The attempt, without the excerpt of the answer.
    pub attempt: AttemptRecord,
}

impl LoggedAttempt {
    /// The place of the attempt in the order in which attempts end.
    pub fn cursor(&self) -> AttemptCursor {
        AttemptCursor { ended_at: self.attempt.ended_at(), delivery: self.delivery, number: self.attempt.number }
    }
}

/// Asks for [`DeliveryLog::list`].
#[derive(Clone, Debug)]
pub struct ListDeliveriesRequest {
    /// The user who owns the deliveries.
    pub owner: OwnerId,
    /// The filter that the deliveries pass.
    pub filter: DeliveryFilter,
    /// The deliveries have ids below this one.
    pub before: Option<DeliveryId>,
    /// The most deliveries of the answer.
    pub max: u32,
}

/// Asks for [`DeliveryLog::failed`].
#[derive(Clone, Debug)]
pub struct ListFailedRequest {
    /// The user who owns the deliveries.
    pub owner: OwnerId,
    /// The subscription of the deliveries; all of the owner's subscriptions without one.
    pub subscription: Option<SubscriptionId>,
    /// The events were published at this time or later.
    pub published_since: Timestamp,
    /// The most deliveries of the answer.
    pub max: u32,
}

/// Asks for [`DeliveryLog::count_recoverable`].
#[derive(Clone, Debug)]
pub struct CountRecoverableRequest {
    /// The user who must own the subscription.
    pub owner: OwnerId,
    /// The subscription.
    pub subscription: SubscriptionId,
    /// When deliveries would be retried, and how old their events may be.
    pub retry: RetryRequest,
    /// Which deliveries count.
    pub filter: RecoveryFilter,
    /// The highest count.
    pub max: u32,
}

impl CountRecoverableRequest {
    /// The most deliveries of each state to read: `max`, or ten times `max` if only some event types count.
    pub fn read_max(&self) -> u32 {
        self.max.saturating_mul(if self.filter.events.is_some() { 10 } else { 1 })
    }
}

/// Asks for [`DeliveryLog::attempts_after`].
#[derive(Clone, Debug)]
pub struct ListAttemptsRequest {
    /// The user who owns the deliveries.
    pub owner: OwnerId,
    /// The subscription of the deliveries; all of the owner's subscriptions without one.
    pub subscription: Option<SubscriptionId>,
    /// The attempts come after this place.
    pub after: AttemptCursor,
    /// The most attempts of the answer.
    pub max: u32,
}

/// Asks for [`DeliveryLog::outcomes`].
#[derive(Clone, Debug)]
pub struct OutcomesRequest {
    /// The user who must own the subscription.
    pub owner: OwnerId,
    /// The subscription; all of the owner's subscriptions without one.
    pub subscription: Option<SubscriptionId>,
    /// The hours to read.
    pub hours: HourRange,
}

/// Shows deliveries and attempts to the user who owns them. It only reads:
/// [`DeliveryCommands`](crate::ports::DeliveryCommands) makes the changes.
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// A page of the owner's deliveries, newest first. Deliveries to deleted subscriptions are included.
    ///
    /// Of each delivery on the page it reads one attempt, however many are stored.
    async fn list(&self, request: &ListDeliveriesRequest) -> Result<DeliveryPage, StoreError>;

    /// One of the owner's deliveries with its event and its newest [`SHOWN_ATTEMPTS_MAX`] attempts, oldest first. No more
    /// attempts are read than that. `None` if there is no such delivery, or it
    /// belongs to another user.
    async fn find(&self, owner: &OwnerId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError>;

    /// The owner's failed deliveries ([`DeliveryStateKind::Failed`](crate::webhooks::DeliveryStateKind::Failed)), newest
    /// first, each with the end of its last attempt. Deliveries to deleted subscriptions are left out.
    ///
    /// It reads at most `max` failed deliveries of a subscription, and no other deliveries.
    async fn failed(&self, request: &ListFailedRequest) -> Result<Vec<FailedDelivery>, StoreError>;

    /// How many deliveries a call of [`DeliveryCommands::recover`](crate::ports::DeliveryCommands::recover) with these
    /// arguments would retry. `None` if there is no such subscription, or it belongs to another user.
    async fn count_recoverable(&self, request: &CountRecoverableRequest) -> Result<Option<u32>, StoreError>;

    /// Attempts at the owner's deliveries, in the order of [`AttemptCursor`]. An attempt that is being stored now may appear later, at a place before attempts that are already
    /// listed.
    async fn attempts_after(&self, request: &ListAttemptsRequest) -> Result<Vec<LoggedAttempt>, StoreError>;

    /// The counts in each of the hours: of one of the owner's subscriptions, or the sums of all. Hours without a count
    /// are absent. Deleted subscriptions do not count. `None` if the owner has no subscription with this id.
    ///
    /// It reads one row for each subscription and hour, however many counts are stored.
    async fn outcomes(&self, request: &OutcomesRequest) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError>;
}
