use crate::webhooks::{AttemptRecord, Breaker};

/// The breaker, the queue and the last attempt of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionHealth {
    /// The breaker of its lane.
    pub breaker: Breaker,
    /// How many deliveries are waiting or being sent, counted up to [`SubscriptionHealth::WAITING_COUNT_MAX`].
    pub waiting: u32,
    /// The attempt that ended last, without the excerpt of the answer. `None` before the first attempt, and after the
    /// attempt is purged.
    pub last_attempt: Option<AttemptRecord>,
}

impl SubscriptionHealth {
    /// The largest count of waiting deliveries. Counting further would take as long as reading the queue.
    pub const WAITING_COUNT_MAX: u32 = 100_000;
}
