//! The promises of [`domain::ports::AuditLog`], for a store that implements it together with the other ports. A change
//! and its events are one.
//!
//! Add them as tests with [`audit_log_tests`](crate::audit_log_tests), which takes a future that creates
//! [`AuditedStores`].

pub mod announcements;
pub mod cancellation;
pub mod key_changes;
pub mod list_events;
pub mod purge_events;
pub mod round_trip;
mod sample;
pub mod session_changes;
mod suite;
pub mod webhook_changes;

pub use suite::{AuditPorts, AuditedStores, PROMISES};
