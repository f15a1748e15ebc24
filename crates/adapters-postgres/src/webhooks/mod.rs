//! The ports of webhooks. Each use case is one file.
//!
//! Locks are taken in one order: deliveries, then lanes in the order of their ids, then subscriptions, then the places
//! of attempts. A transaction that has to take them in another order skips locked deliveries.
//!
//! A statement that writes many rows of the queue, each by its key, compares `subscription_id` with an array of one id.
//! Two columns that are equal would be a join that a planner could begin with a read of the whole queue, if it last saw
//! the queue empty. An array can only be looked up in the index, for one row after the other. See decision 115.

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
mod ends;
mod find_delivery;
mod find_subscription;
mod follow_attempts;
mod left_claims;
mod list_deliveries;
mod list_failures;
mod list_subscriptions;
mod locate_delivery;
mod numbers;
mod operator_log;
mod periods;
mod picked_row;
mod prepare_history;
mod publish_events;
mod publish_questions;
mod publisher;
mod pulled_events;
mod purge_history;
mod ready_lane;
mod recover_subscription;
mod retry_delivery;
mod retry_failures;
mod settle_lanes;
mod snapshots;
mod store_figures;
mod subscription_queries;
mod subscription_secrets;
mod subscription_store;
mod thin_period;
mod unreadable;

pub(crate) use periods::create_periods_of;
pub(crate) use publisher::{Audience, Publisher};
pub(crate) use purge_history::Place;
