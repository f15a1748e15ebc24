//! When deliveries are attempted, and when attempts are repeated.

pub(super) mod breaker;
pub(super) mod claim_end;
pub(super) mod queued_delivery;
pub(super) mod retry_schedule;
pub(super) mod retry_wait;
