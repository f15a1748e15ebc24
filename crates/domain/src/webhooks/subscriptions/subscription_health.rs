use crate::webhooks::{AttemptRecord, Breaker};

/// How a subscription fares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionHealth {
    /// What its lane knows of the receiver.
    pub breaker: Breaker,
    /// Deliveries that are waiting or being sent, counted up to [`SubscriptionHealth::WAITING_COUNT_MAX`].
    pub waiting: u32,
    /// The attempt that ended last, its answer's excerpt left out; `None` before the first, and once it is purged.
    pub last_attempt: Option<AttemptRecord>,
}

impl SubscriptionHealth {
    /// How far waiting deliveries are counted: the count of a longer queue would take as long as reading it.
    pub const WAITING_COUNT_MAX: u32 = 100_000;
}
