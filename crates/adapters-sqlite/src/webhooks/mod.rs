//! Subscriptions, events, the queue and the log on SQLite: one file for each use, and `lane`, which all share.
//!
//! Everything that writes is a job of the one writer, so that what a job has read stays as it is until its end. A lane's
//! `ready_at` says when a claim must look at it, and nothing more: a claim that comes too early puts the lane to sleep
//! again, none may come too late.

mod attempts;
mod cancel;
mod claim;
mod complete;
mod delivery_commands;
mod delivery_log;
mod delivery_page;
mod delivery_queue;
mod end;
mod end_closed;
mod event_store;
mod find_delivery;
mod health;
mod lane;
mod publish;
mod purge;
mod recover;
mod retry;
#[cfg(test)]
mod statements_tests;
mod subscription_store;
mod update_subscription;
mod wake;

pub(crate) use wake::Wake;
