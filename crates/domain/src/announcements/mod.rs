//! Operational events: changes of keys and subscriptions, as webhooks to the operator and the owners. The audit log is
//! their outbox. See decision 89.

mod announce;
mod expiring_certificates;
mod expiring_keys;
mod operator_quota;

pub use announce::Announcements;
pub use operator_quota::OPERATOR_EVENTS_PER_HOUR;
