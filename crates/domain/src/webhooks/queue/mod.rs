//! When a delivery is attempted.

pub(super) mod breaker;
pub(super) mod retry_schedule;
