//! The ports of webhooks: six storage ports, and the port that sends HTTP requests.

pub(super) mod delivery_commands;
pub(super) mod delivery_log;
pub(super) mod events;
pub(super) mod operator_log;
pub(super) mod queue;
pub(super) mod sender;
pub(super) mod subscriptions;
