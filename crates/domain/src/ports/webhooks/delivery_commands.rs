use async_trait::async_trait;

use crate::audit::Cause;
use crate::ports::StoreError;
use crate::webhooks::Delivery;
use crate::{DeliveryId, Hour, SubscriptionId, Timestamp, UserId};

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

/// The result of a retry of failed deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryOfFailed {
    /// This many are due now.
    Due(u32),
    /// There is no such subscription, or it belongs to another user.
    NotFound,
    /// The subscription is disabled. Nothing changed.
    LaneClosed,
}

/// Executes the commands of a user on the user's deliveries, and the purge. A change and the event of its [`Cause`] are
/// one: see [`AuditLog`](crate::ports::AuditLog).
#[async_trait]
pub trait DeliveryCommands: Send + Sync {
    /// Makes a waiting or ended delivery due now and starts a new run of its schedule. The count of attempts goes on. A
    /// delivery whose claim has run out is waiting. A delivery that is being sent does not change. If the lane is closed
    /// and the event is too old as well, the answer is [`RetryByHand::LaneClosed`].
    async fn retry(
        &self,
        owner: &UserId,
        id: DeliveryId,
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryByHand, StoreError>;

    /// Ends a waiting delivery, or one that is being sent, as
    /// [`DeliveryEnd::Cancelled`](crate::webhooks::DeliveryEnd::Cancelled). A delivery that has ended does not change.
    /// `None` if there is no such delivery, or it belongs to another user.
    async fn cancel(
        &self,
        owner: &UserId,
        id: DeliveryId,
        at: Timestamp,
        cause: &Cause,
    ) -> Result<Option<Delivery>, StoreError>;

    /// Retries these deliveries to one subscription as [`DeliveryCommands::retry`] does, except those that have not failed
    /// ([`DeliveryStateKind::Failed`](crate::webhooks::DeliveryStateKind::Failed)), those to other subscriptions, and those
    /// of events published before `request.published_since`, which do not change. All in one transaction, with an event
    /// for each. Of parallel calls, one retries a delivery. Callers pass at most 1,000 different ids.
    async fn retry_failed(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        ids: &[DeliveryId],
        request: RetryRequest,
        cause: &Cause,
    ) -> Result<RetryOfFailed, StoreError>;

    /// Enables the subscription like [`SubscriptionStore::update`](crate::ports::SubscriptionStore::update), always
    /// with a new [`Breaker`](crate::webhooks::Breaker), and retries at most `max` of its deliveries as
    /// [`DeliveryCommands::retry`] does, oldest first. It takes deliveries of events published since
    /// `request.published_since` that have failed
    /// ([`DeliveryStateKind::Failed`](crate::webhooks::DeliveryStateKind::Failed)) or wait for a retry after
    /// `request.at`. Returns how many; after fewer than `max`, nothing is left to retry. `None` if there is no such
    /// subscription, or it belongs to another user. A call that finds the subscription always writes its event.
    async fn recover(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<Option<u32>, StoreError>;

    /// Retries at most `max` further deliveries that [`DeliveryCommands::recover`] left, and changes neither the
    /// subscription nor its breaker. Returns how many; 0 if the owner has no such subscription, or if it is disabled. A
    /// call that retries a delivery writes its event, as a recovery does.
    async fn recover_rest(
        &self,
        owner: &UserId,
        subscription: SubscriptionId,
        request: RetryRequest,
        max: u32,
        cause: &Cause,
    ) -> Result<u32, StoreError>;

    /// Prepares the store for what is published from `at` on, some days ahead. A store that keeps its history in
    /// periods, and deletes a period as a whole, makes new periods of `days` whole days (UTC).
    ///
    /// Callers call this from time to time, from any number of processes. Events are accepted at any time without it:
    /// it only makes publications faster. A store without periods keeps this default, which does nothing.
    async fn prepare_history(&self, _at: Timestamp, _days: u32) -> Result<(), StoreError> {
        Ok(())
    }

    /// Deletes what was published on days (UTC) that had ended at `before`: ended deliveries, their attempts, events and
    /// their publication keys. Also deletes subscriptions that were deleted before `before` and have no deliveries.
    ///
    /// - Nothing is deleted that was published at `before` or later. What was published earlier on the day of `before`
    ///   may be deleted or not. A store with periods keeps each period until its last day has ended.
    /// - Deliveries that have not ended stay, with their attempts and events. A store with periods keeps the whole
    ///   period until they have ended. Callers choose `before` so early that there are none.
    /// - One call does a small part: about `max` rows at most, where a period that is deleted as a whole is one row.
    ///   Returns how many; 0 if nothing is left to delete. The work grows with the number of rows, and no faster.
    /// - A delivery goes with all of its attempts, at once.
    /// - [`StoreError::Unavailable`] if something else uses the data for too long. Other calls are not held up.
    async fn purge_history(&self, before: Timestamp, max: u32) -> Result<u32, StoreError>;

    /// Deletes the counts of at most `max` subscriptions and hours before the hour `before`, and returns how many.
    /// Parallel calls together count each of them once.
    async fn purge_outcomes(&self, before: Hour, max: u32) -> Result<u32, StoreError>;
}
