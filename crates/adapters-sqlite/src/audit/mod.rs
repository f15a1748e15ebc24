//! The audit log.

mod audit_log;

pub(crate) use audit_log::{bound, write_events};
