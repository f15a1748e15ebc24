use async_trait::async_trait;

use crate::ports::StoreError;
use crate::webhooks::Delivery;
use crate::{DeliveryId, SubscriptionId, Timestamp, UserId};

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

/// Takes the commands of a delivery's owner, and of the operator who purges.
#[async_trait]
pub trait DeliveryCommands: Send + Sync {
    /// Makes a waiting or ended delivery due now, as the start of a new run of its schedule. Attempts go on counting.
    /// One whose claim has run out is waiting. A closed lane is told before an event that is too old.
    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError>;

    /// Ends a waiting delivery, or one that is being sent, as
    /// [`DeliveryEnd::Cancelled`](crate::webhooks::DeliveryEnd::Cancelled); one that has ended stays as it is. `None`
    /// when there is none, or it is another user's.
    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError>;

    /// Enables the subscription like [`SubscriptionStore::update`](crate::ports::SubscriptionStore::update), with a
    /// [`Breaker`](crate::webhooks::Breaker) as new in any case, and brings back at most `max` of its deliveries as
    /// [`DeliveryCommands::retry`] would, the oldest first: of the events published since `request.published_since`,
    /// those that ended as failed ([`DeliveryStateKind::Failed`](crate::webhooks::DeliveryStateKind::Failed)) or wait
    /// for a retry after `request.at`. Answers how many; fewer than `max` mean that there are no more. `None` when
    /// there is no such subscription, or it is another user's.
    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError>;

    /// Forgets what was published before `before`: ended deliveries, their attempts, events and their publication keys,
    /// and deleted subscriptions without deliveries. At most about `max` rows; answers how many, 0 when nothing is
    /// left.
    ///
    /// Deliveries that have not ended stay, with their attempts; callers keep `before` so far back that there are none.
    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError>;
}
