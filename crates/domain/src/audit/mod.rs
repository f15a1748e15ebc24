//! The audit log: each change with its actor, means, time and origin. See decision 71.
//!
//! An [`Origin`] is the source of a call. The use case makes a [`Cause`] of it, which has the id and with it the time,
//! and passes it to the store with the change. The store makes the [`AuditEvent`]s of the cause with the functions in
//! `recording`, and stores them in the transaction of the change.

mod audit_action;
mod audit_event;
mod audit_filter;
mod audit_id;
mod field_change;
mod later_name;
mod origin;
mod recording;
mod use_cases;

pub use audit_action::AuditAction;
pub use audit_event::{AuditEvent, AuditTarget, InvalidAuditTarget};
pub use audit_filter::AuditFilter;
pub use field_change::{AuditField, FieldChange};
pub use later_name::LaterName;
pub use origin::{Actor, Cause, InvalidMeans, Means, OPERATOR_NAME_LENGTH_MAX, Origin, RequestId};
pub use use_cases::{AUDIT_RETENTION_DAYS_DEFAULT, Audit, AuditRetention, InvalidAuditRetention};
