//! The ports of webhooks.

mod delivery_commands;
mod delivery_log;
mod delivery_queue;
mod event_store;
mod operator_log;
mod pulled_events;
mod store_figures;
mod subscription_store;
