//! Events that readers fetch themselves: each subscription of this type has a log, and each reader of it a consumer.

pub(super) mod consumer;
pub(super) mod consumer_name;
pub(super) mod pull_events;
