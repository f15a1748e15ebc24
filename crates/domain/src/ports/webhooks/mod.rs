//! The ports of webhooks: four of storage, and the one through which webhooks leave.

pub(super) mod deliveries;
pub(super) mod events;
pub(super) mod queue;
pub(super) mod sender;
pub(super) mod subscriptions;
