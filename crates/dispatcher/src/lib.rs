//! The engine that delivers webhooks.
//!
//! [`Dispatcher::run`] claims due deliveries from the [`DeliveryQueue`](domain::ports::DeliveryQueue), sends them
//! through the [`WebhookSender`](domain::ports::WebhookSender), and stores the results. One task holds all state, so
//! that there are no locks. Each attempt runs in its own task.
//!
//! - **Claiming** continues while attempts run. Deliveries wait in memory only where they start soon. A delivery that
//!   has not started a second after its claim goes back to the queue, and no attempt is counted.
//! - **Sending** has a limit in total, for each host, and for each subscription by the capacity of its receiver. Owners
//!   share the first two, as [`FairShares`](domain::webhooks::FairShares) says. Owners take turns, and so do the lanes
//!   of an owner. A failure of the receiver also holds back the deliveries of the lane that wait in memory.
//! - **Writing** gathers the results of a few milliseconds into one transaction. While the store fails, no delivery is
//!   claimed, and the results are kept and written again.
//! - **Dying** at any point loses no delivery: a claimed delivery is due again when its lease ends.
//!
//! Several dispatchers can share one queue.
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
mod offering;
mod outage;
mod outcome_tally;
mod run;
mod secrets;
mod sending;
mod settings;
mod spans;
mod start_order;
mod state;
mod stopping;
mod sweep;
mod windows;
mod writing;

use std::time::Duration;

pub use self::counters::{DispatcherCounts, DispatcherDurations};
pub use dispatcher::{Dispatcher, DispatcherPorts};
pub use settings::DispatcherSettings;

/// The interval between claims while the queue gives no hint.
pub const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long a claimed delivery may wait to be sent. So an owner's change holds for all attempts that start a second
/// later. See decision 51.
pub const UNSENT_MAX: Duration = Duration::from_secs(1);
/// How long one call to the store may take before it fails.
pub const STORE_TIMEOUT: Duration = Duration::from_secs(30);
/// The most deliveries of closed lanes that end in one transaction.
pub const SWEEP_MAX: u32 = 1_000;
/// How often the counts of outcomes are written.
pub const COUNT_INTERVAL: Duration = Duration::from_secs(2);
/// The most pairs of a subscription and an hour with counts in memory.
pub const COUNTED_MAX: usize = 20_000;
/// On shutdown: how long the last write of counts may take.
pub const LAST_COUNT_MAX: Duration = Duration::from_secs(1);
/// On shutdown: how long storing the last results may take after all attempts have ended.
pub const LAST_WRITE_MAX: Duration = Duration::from_secs(5);
