use async_trait::async_trait;

use crate::ports::StoreError;
use crate::webhooks::Delivery;
use crate::{DeliveryId, SubscriptionId, Timestamp, UserId};

/// When a delivery is retried by hand, and how old its event may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryRequest {
    /// The present time: the delivery becomes due, and a new run of its schedule starts.
    pub at: Timestamp,
    /// Events that were published before this time are not delivered again: they may be purged before the run ends.
    pub published_since: Timestamp,
}

/// The result of a retry by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryByHand {
    /// The delivery is due now. If it was being sent, that attempt goes on.
    Due(Delivery),
    /// There is no such delivery, or it belongs to another user.
    NotFound,
    /// The subscription is disabled or deleted. Nothing changed.
    LaneClosed,
    /// The event was published too long ago. Nothing changed.
    TooOld,
}

/// Executes the commands of a user on the user's deliveries, and the purge.
#[async_trait]
pub trait DeliveryCommands: Send + Sync {
    /// Makes a waiting or ended delivery due now and starts a new run of its schedule. The count of attempts goes on. A
    /// delivery whose claim has run out is waiting. If the lane is closed and the event is too old as well, the answer
    /// is [`RetryByHand::LaneClosed`].
    async fn retry(&self, owner: &UserId, id: DeliveryId, request: RetryRequest) -> Result<RetryByHand, StoreError>;

    /// Ends a waiting delivery, or one that is being sent, as
    /// [`DeliveryEnd::Cancelled`](crate::webhooks::DeliveryEnd::Cancelled). A delivery that has ended does not change.
    /// `None` if there is no such delivery, or it belongs to another user.
    async fn cancel(&self, owner: &UserId, id: DeliveryId, at: Timestamp) -> Result<Option<Delivery>, StoreError>;

    /// Enables the subscription like [`SubscriptionStore::update`](crate::ports::SubscriptionStore::update), always
    /// with a new [`Breaker`](crate::webhooks::Breaker), and retries at most `max` of its deliveries as
    /// [`DeliveryCommands::retry`] does, oldest first. It takes deliveries of events published since
    /// `request.published_since` that have failed
    /// ([`DeliveryStateKind::Failed`](crate::webhooks::DeliveryStateKind::Failed)) or wait for a retry after
    /// `request.at`. Returns how many; after fewer than `max`, nothing is left to retry. `None` if there is no such
    /// subscription, or it belongs to another user.
    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
    ) -> Result<Option<u32>, StoreError>;

    /// Deletes what was published before `before`: ended deliveries, their attempts, events and their publication keys,
    /// and deleted subscriptions without deliveries. Deletes about `max` rows at most, and returns how many; 0 if
    /// nothing is left to delete.
    ///
    /// Deliveries that have not ended stay, with their attempts. Callers choose `before` so early that there are none.
    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError>;
}
