//! Subscriptions, events, the queue and the log on SQLite: one file for each use case. All share `lane`.
//!
//! Every write is performed by the one writer, so that the data stays the same between its first read and its end. A
//! lane's `ready_at` is the time when a claim must check the lane. It may be too early: then the claim finds no
//! delivery, and the lane sleeps again. It must never be too late. See decision 31.

mod cancel_delivery;
mod change_subscription;
mod claim;
mod close_lane;
mod complete;
mod create_subscription;
mod delete_subscription;
mod delivery_commands;
mod delivery_log;
mod delivery_queue;
mod disable_set_by;
mod end_closed;
mod event_row;
mod find_delivery;
mod find_subscription;
mod follow_attempts;
mod lane;
mod list_deliveries;
mod list_failures;
mod operator_log;
mod publish_events;
mod pulled_events;
mod purge_history;
mod queued_row;
mod recover_subscription;
mod retry_delivery;
mod retry_failures;
#[cfg(test)]
mod statements_tests;
mod store_figures;
mod subscription_queries;
mod subscription_secrets;
mod subscription_store;

pub(crate) use purge_history::{Id, delete_events, delete_subscriptions};
