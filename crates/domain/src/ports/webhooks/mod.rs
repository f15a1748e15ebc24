//! The ports of webhooks: seven storage ports, the port that sends HTTP requests, and the one that reads client certificates.

pub(super) mod delivery_commands;
pub(super) mod delivery_log;
pub(super) mod events;
pub(super) mod operator_log;
pub(super) mod pulled_events;
pub(super) mod queue;
pub(super) mod sender;
pub(super) mod subscriptions;
