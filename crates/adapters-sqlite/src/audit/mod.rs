//! The audit log.

mod audit_log;

pub(crate) use audit_log::{take_stored, write_events};
