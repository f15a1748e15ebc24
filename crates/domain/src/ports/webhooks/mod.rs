//! The ports of webhooks: five of storage, and the one through which webhooks leave.

pub(super) mod delivery_commands;
pub(super) mod delivery_log;
pub(super) mod events;
pub(super) mod queue;
pub(super) mod sender;
pub(super) mod subscriptions;
