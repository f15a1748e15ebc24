//! The engine that delivers webhooks.
//!
//! [`Dispatcher::run`] claims what is due from the [`DeliveryQueue`](domain::ports::DeliveryQueue), sends it
//! through the [`WebhookSender`](domain::ports::WebhookSender), and writes down what came of it. One task
//! holds all of its state, so that nothing is locked; attempts run as tasks of their own beside it.
//!
//! - **Claiming** goes on while attempts run: as many deliveries as may be sent at a time may wait in memory, and what
//!   cannot start within its claim goes back to the queue, uncounted.
//! - **Sending** is bounded in all, for each destination host, and for each subscription by what its receiver has shown
//!   to take. Lanes take turns. What a failure tells about the receiver holds at once for what waits in memory.
//! - **Writing** gathers what ends within a few milliseconds into one transaction. While the store takes nothing, nothing
//!   is claimed, and what has ended is kept and tried again.
//! - **Dying** at any point loses nothing: what was claimed is due again when its lease ends.
//!
//! Any number of dispatchers may work on one queue.
//!
//! See decision 33.

mod claim_room;
mod claiming;
mod completions;
mod counters;
mod dispatcher;
mod host_caps;
mod lane;
mod lane_cap;
mod lanes;
mod next_step;
mod outage;
mod run;
mod secrets;
mod sending;
mod settings;
mod stopping;
mod sweep;
mod writing;

use std::time::Duration;

pub use counters::DispatcherCounts;
pub use dispatcher::{Dispatcher, DispatcherPorts};
pub use settings::DispatcherSettings;

/// How often the queue is asked when nothing hints at something due.
pub const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long one call to the store may take before it has failed.
pub const STORE_TIMEOUT: Duration = Duration::from_secs(30);
/// How many deliveries of closed lanes are ended in one transaction.
pub const SWEEP_MAX: u32 = 1_000;
/// How long the last ends may take to be stored when the dispatcher stops and its attempts are over.
pub const LAST_WRITE_MAX: Duration = Duration::from_secs(5);
