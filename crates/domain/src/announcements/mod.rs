//! Operational events: what the operator and the owners want to hear of keys and subscriptions, as webhooks of Gatepost
//! itself. The audit log is their outbox. See decision 89.

mod announce;
mod expiring_keys;
mod operator_quota;

pub use announce::Announcements;
pub use operator_quota::OPERATOR_EVENTS_PER_HOUR;
