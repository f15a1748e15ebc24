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

/// Shows deliveries and attempts to the user who owns them. Nothing here changes what is stored:
/// [`DeliveryCommands`](crate::ports::DeliveryCommands) does.
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

    /// Attempts at the owner's deliveries, or of one subscription's, that come after `after`, in order, at most `max`.
    /// One that is being stored may appear later, before others that are already there.
    async fn attempts_after(
        &self,
        owner: &UserId,
        subscription: Option<SubscriptionId>,
        after: AttemptCursor,
        max: u32,
    ) -> Result<Vec<LoggedAttempt>, StoreError>;
}
