//! One event on its way to one subscription, and its attempts.

pub(super) mod attempt_outcome;
pub(super) mod cancel_delivery;
pub(super) mod delivery;
pub(super) mod find_delivery;
pub(super) mod follow_attempts;
pub(super) mod list_deliveries;
pub(super) mod purge_history;
pub(super) mod retry_delivery;
