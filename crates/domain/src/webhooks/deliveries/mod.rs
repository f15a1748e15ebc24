//! Deliveries: one event to one subscription, and the attempts at it.

pub(super) mod answer_headers;
pub(super) mod attempt_outcome;
pub(super) mod attempt_record;
pub(super) mod attempt_times;
pub(super) mod delivery;
pub(super) mod delivery_filter;
pub(super) mod delivery_state;
pub(super) mod failed_delivery;
pub(super) mod failure_reason;
pub(super) mod follow_attempts;
pub(super) mod list_failures;
pub(super) mod outcome_counts;
pub(super) mod recoverable;
pub(super) mod retry_delivery;
pub(super) mod retry_failures;
