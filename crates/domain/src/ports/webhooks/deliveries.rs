use async_trait::async_trait;

use crate::ports::StoreError;
use crate::webhooks::{AttemptRecord, Delivery, DeliveryFilter, DeliveryHistory};
use crate::{DeliveryId, EventId, SubscriptionId, Timestamp, UserId};

/// Some of the deliveries that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryPage {
    /// The deliveries, the newest first.
    pub deliveries: Vec<Delivery>,
    /// Where to go on; `None` when there are no more. A page may be short, even empty, and yet not be the last: a
    /// search for what is rare stops after reading a while.
    pub next: Option<DeliveryId>,
}

/// What a retry by hand needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryRequest {
    /// Now, when the delivery becomes due and a new run of its schedule starts.
    pub at: Timestamp,
    /// Events that were published earlier are not delivered again: they may be purged before the run ends.
    pub published_since: Timestamp,
}

/// What became of a retry by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryByHand {
    /// It is due now. What is being sent goes on as it is.
    Due(Delivery),
    /// There is none, or it is another user's.
    NotFound,
    /// Its subscription is disabled or deleted; nothing changed.
    LaneClosed,
    /// Its event was published too long ago; nothing changed.
    TooOld,
}

/// Names an attempt in the order in which attempts end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptCursor {
    /// When it ended.
    pub ended_at: Timestamp,
    /// Of which delivery.
    pub delivery: DeliveryId,
    /// Which attempt of it.
    pub number: u32,
}

/// An attempt and what it was an attempt at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedAttempt {
    /// To which subscription.
    pub subscription: SubscriptionId,
    /// Of which delivery.
    pub delivery: DeliveryId,
    /// Of which event.
    pub event: EventId,
    /// The attempt, its answer's excerpt left out.
    pub attempt: AttemptRecord,
}

impl LoggedAttempt {
    /// Its place among all attempts.
    pub fn cursor(&self) -> AttemptCursor {
        AttemptCursor { ended_at: self.attempt.ended_at(), delivery: self.delivery, number: self.attempt.number }
    }
}

/// Shows deliveries to their owners, and takes their orders.
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// The owner's deliveries with ids below `before` that pass the filter, the newest first, at most `max`; also
    /// those to subscriptions that were deleted.
    async fn list(
        &self,
        owner: &UserId,
        filter: &DeliveryFilter,
        before: Option<DeliveryId>,
        max: u32,
    ) -> Result<DeliveryPage, StoreError>;

    /// All about one of the owner's deliveries; `None` when there is none, or it is another user's.
    async fn find(&self, owner: &UserId, id: DeliveryId) -> Result<Option<DeliveryHistory>, StoreError>;

    /// Makes a waiting or ended delivery due now, as the start of a new run of its schedule. Attempts go on counting.
    /// One whose claim has run out is waiting. A closed lane is told before an event that is too old.
    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError>;

    /// Ends a waiting delivery, or one that is being sent, as
    /// [`DeliveryEnd::Cancelled`](crate::webhooks::DeliveryEnd::Cancelled); one that has ended stays as it is. `None`
    /// when there is none, or it is another user's.
    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError>;

    /// Enables the subscription like [`SubscriptionStore::update`](crate::ports::SubscriptionStore::update), with a
    /// [`Breaker`](crate::webhooks::Breaker) as new in any case, and brings back at most `max` of its deliveries as
    /// [`DeliveryLog::retry`] would, the oldest first: of the events published since `request.published_since`, those
    /// that ended as failed ([`DeliveryStateKind::Failed`](crate::webhooks::DeliveryStateKind::Failed)) or wait for a
    /// retry after `request.at`. Answers how many; fewer than `max` mean that there are no more. `None` when there is
    /// no such subscription, or it is another user's.
    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError>;

    /// Attempts at the owner's deliveries, or of one subscription's, that come after `after`, in order, at most `max`.
    /// One that is being stored may appear later, before others that are already there.
    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError>;

    /// Forgets what was published before `before`: ended deliveries, their attempts, events and their publication keys,
    /// and deleted subscriptions without deliveries. At most about `max` rows; answers how many, 0 when nothing is
    /// left.
    ///
    /// Deliveries that have not ended stay, with their attempts; callers keep `before` so far back that there are none.
    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError>;
}
