use async_trait::async_trait;

use crate::audit::Cause;
use crate::ports::StoreError;
use crate::webhooks::{Delivery, RecoveryFilter};
use crate::{DeliveryId, OwnerId, SubscriptionId, Timestamp};

/// The most deliveries beyond the maximum that a recovery takes because they are of the same millisecond.
const ONE_TIME_MAX: u32 = 4_000;

/// When a delivery is retried by hand, and how old its event may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryRequest {
    /// The present time: the delivery becomes due, and a new run of its schedule starts.
    pub at: Timestamp,
    /// Events that were published before this time are not delivered again: they may be purged before the run ends.
    pub published_since: Timestamp,
}

/// Asks for [`DeliveryCommands::retry`].
#[derive(Clone, Debug)]
pub struct RetryDeliveryRequest {
    /// The user who must own the delivery.
    pub owner: OwnerId,
    /// The delivery.
    pub id: DeliveryId,
    /// When it is retried, and how old its event may be.
    pub retry: RetryRequest,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`DeliveryCommands::cancel`].
#[derive(Clone, Debug)]
pub struct CancelDeliveryRequest {
    /// The user who must own the delivery.
    pub owner: OwnerId,
    /// The delivery.
    pub id: DeliveryId,
    /// The present time.
    pub at: Timestamp,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`DeliveryCommands::retry_failed`].
#[derive(Clone, Debug)]
pub struct RetryFailedRequest {
    /// The user who must own the subscription.
    pub owner: OwnerId,
    /// The subscription.
    pub subscription: SubscriptionId,
    /// The deliveries, at most 1,000, each once.
    pub ids: Vec<DeliveryId>,
    /// When they are retried, and how old their events may be.
    pub retry: RetryRequest,
    /// The reason, for the audit log.
    pub cause: Cause,
}

/// Asks for [`DeliveryCommands::recover`].
#[derive(Clone, Debug)]
pub struct RecoverRequest {
    /// The user who must own the subscription.
    pub owner: OwnerId,
    /// The subscription.
    pub subscription: SubscriptionId,
    /// When deliveries are retried, and how old their events may be.
    pub retry: RetryRequest,
    /// Which deliveries are retried.
    pub filter: RecoveryFilter,
    /// Only deliveries after this one, where an earlier call has stopped.
    pub after: Option<DeliveryId>,
    /// The most deliveries that the call reads, of all event types. In an order it may read more: see
    /// [`RecoverRequest::cut`].
    pub max: u32,
    /// Whether the call enables the subscription. Further calls, for the rest of its deliveries, do not.
    pub enables: bool,
    /// The reason, for the audit log.
    pub cause: Cause,
}

impl RecoverRequest {
    /// The call reads deliveries with greater ids than this one.
    pub fn place(&self) -> DeliveryId {
        self.after.unwrap_or_else(|| DeliveryId::first_at(self.retry.published_since))
    }

    /// How many deliveries to look for: in an order, more than `max`.
    pub fn wanted(&self, is_ordered: bool) -> u32 {
        self.max + if is_ordered { self.max.saturating_mul(4).min(ONE_TIME_MAX) } else { 0 }
    }

    /// Leaves `max` of these deliveries, which are sorted by id. In an order, it also leaves those of the same millisecond as
    /// the last of them, because the ids of deliveries tell no order within it.
    pub fn cut<Found>(&self, found: &mut Vec<Found>, is_ordered: bool, id: impl Fn(&Found) -> &[u8]) {
        let max = usize::try_from(self.max).unwrap_or(usize::MAX);
        let time = |one: &Found| id(one).get(..6).map(<[u8]>::to_vec);
        let last = max.checked_sub(1).and_then(|last| found.get(last)).and_then(time);
        let same = found.iter().skip(max).take_while(|one| is_ordered && time(one) == last).count();
        found.truncate(max + same);
    }

    /// Where the next call continues, after this one has read `count` deliveries up to `last`.
    pub fn rest(&self, count: usize, last: Option<DeliveryId>) -> Option<DeliveryId> {
        last.filter(|_| u32::try_from(count).is_ok_and(|count| count >= self.max))
    }
}

/// The result of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// How many deliveries are due now.
    pub deliveries: u32,
    /// The last delivery that the call has read, if there may be more after it.
    pub rest: Option<DeliveryId>,
}

/// The result of a retry by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetryByHand {
    /// The delivery is due now. If it was being sent, that attempt continues.
    Due(Delivery),
    /// There is no such delivery, or it belongs to another user.
    NotFound,
    /// The subscription is disabled or deleted. The call had no effect.
    LaneClosed,
    /// The event was published too long ago. The call had no effect.
    TooOld,
}

/// The result of a retry of failed deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryOfFailed {
    /// This many are due now.
    Due(u32),
    /// There is no such subscription, or it belongs to another user.
    NotFound,
    /// The subscription is disabled. The call had no effect.
    LaneClosed,
}

/// Executes the commands of a user on the user's deliveries. A change and the event of its [`Cause`] are
/// one: see [`AuditLog`](crate::ports::AuditLog).
#[async_trait]
pub trait DeliveryCommands: Send + Sync {
    /// Makes a waiting or ended delivery due now and starts a new run of its schedule. The count of attempts continues.
    /// A delivery with an expired claim counts as waiting. A delivery that is being sent does not change. If the lane
    /// is closed and the event is too old as well, the answer is [`RetryByHand::LaneClosed`].
    async fn retry(&self, request: &RetryDeliveryRequest) -> Result<RetryByHand, StoreError>;

    /// Ends a waiting delivery, or one that is being sent, as
    /// [`DeliveryEnd::Cancelled`](crate::webhooks::DeliveryEnd::Cancelled). A delivery that has ended does not change.
    /// `None` if there is no such delivery, or it belongs to another user.
    async fn cancel(&self, request: &CancelDeliveryRequest) -> Result<Option<Delivery>, StoreError>;

    /// Retries these deliveries to one subscription as [`DeliveryCommands::retry`] does, with one transaction and an
    /// event for each. It skips deliveries that have not failed
    /// ([`DeliveryStateKind::Failed`](crate::webhooks::DeliveryStateKind::Failed)), deliveries to other subscriptions,
    /// and deliveries of events published before `retry.published_since`. Of parallel calls, one retries a delivery.
    async fn retry_failed(&self, request: &RetryFailedRequest) -> Result<RetryOfFailed, StoreError>;

    /// Reads the subscription's `max` oldest lost deliveries after `after`, and retries those with an event type of the filter,
    /// as [`DeliveryCommands::retry`] does. A failed or missed delivery is lost, and a waiting one if it is due after
    /// `retry.at`. `None` if the owner has no subscription with this id.
    ///
    /// A call reads no more rows, even if few of them match. It would hold the store's locks for seconds.
    ///
    /// - If the request enables, the call first enables the subscription like
    ///   [`SubscriptionStore::update`](crate::ports::SubscriptionStore::update), always with a new
    ///   [`Breaker`](crate::webhooks::Breaker), and always writes its event.
    /// - Otherwise it changes neither the subscription nor its breaker, and writes its event if it retries a delivery.
    ///   `None` also if the subscription is disabled.
    async fn recover(&self, request: &RecoverRequest) -> Result<Option<Recovered>, StoreError>;
}
