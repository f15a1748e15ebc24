use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::ports::{RetryRequest, StoreError};
#[cfg(doc)]
use crate::webhooks::SHOWN_ATTEMPTS_MAX;
use crate::webhooks::{AttemptRecord, DeliveryFilter, DeliveryHistory, FailedDelivery, ListedDelivery, OutcomeCounts};
use crate::{DeliveryId, EventId, Hour, HourRange, SubscriptionId, Timestamp, UserId};

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

/// Shows deliveries and attempts to the user who owns them. Nothing here changes what is stored:
/// [`DeliveryCommands`](crate::ports::DeliveryCommands) does.
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// At most `max` of the owner's deliveries with ids below `before` that pass the filter, newest first. Deliveries
    /// to deleted subscriptions are included.
    ///
    /// Of each delivery on the page it reads one attempt, however many are stored.
    async fn list(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError>;

    /// One of the owner's deliveries with its event and its newest [`SHOWN_ATTEMPTS_MAX`] attempts, oldest first. No more
    /// attempts are read than that. `None` if there is no such delivery, or it
    /// belongs to another user.
    async fn find(&self, owner: &UserId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError>;

    /// At most `max` of the owner's failed deliveries
    /// ([`DeliveryStateKind::Failed`](crate::webhooks::DeliveryStateKind::Failed)) of events published since
    /// `published_since`, newest first, each with the end of its last attempt: of all the owner's subscriptions, or of
    /// one. Deliveries to deleted subscriptions are left out.
    ///
    /// It reads no more failed deliveries of a subscription than `max`, and no other deliveries.
    async fn failed(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        published_since: Timestamp,
        max: u32,
    ) -> Result<Vec<FailedDelivery>, StoreError>;

    /// How many deliveries a call of [`DeliveryCommands::recover`](crate::ports::DeliveryCommands::recover) with these
    /// arguments would retry. `None` if there is no such subscription, or it belongs to another user.
    async fn count_recoverable(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError>;

    /// At most `max` attempts after `after`, in order: at all of the owner's deliveries, or at those to one
    /// subscription. An attempt that is being stored now may appear later, at a place before attempts that are already
    /// listed.
    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError>;

    /// The counts in each of the hours: of one of the owner's subscriptions, or the sums of all. Hours without a count
    /// are absent. Deleted subscriptions do not count. `None` if the owner has no subscription with this id.
    ///
    /// It reads one row for each subscription and hour, however many counts are stored.
    async fn outcomes(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        hours: HourRange,
    ) -> Result<Option<BTreeMap<Hour, OutcomeCounts>>, StoreError>;
}
