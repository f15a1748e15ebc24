//! The counts of the engines, as metrics for Prometheus.
//!
//! The engines count in plain atomics and know no metric. This crate reads them when they are requested ([`Metrics`]),
//! and shows them on a separate listener ([`serve`]). A request for metrics never asks the database: [`StoreWatch`]
//! reads the figures of the database every [`WATCH_INTERVAL`].
//!
//! [`CATALOGUE`] is the one list of the metrics. No label has a value that a client or a user chooses. See decision 62.

mod catalogue;
mod counted_audit;
mod counted_events;
mod format;
mod metrics;
mod page;
mod process;
mod server;
mod status;
mod store_watch;

use std::time::Duration;

pub use catalogue::{CATALOGUE, Family, Kind};
pub use counted_audit::CountedAudit;
pub use counted_events::CountedEvents;
pub use metrics::{BuildInfo, Metrics, Sources, Surroundings};
pub use server::serve;
pub use store_watch::StoreWatch;

/// The interval at which the figures of the database are read.
pub const WATCH_INTERVAL: Duration = Duration::from_secs(10);
/// The highest count that the database answers, because counting takes longer the more rows there are. A larger number
/// is reported as this one. See decision 63.
pub const COUNTED_MAX: u32 = 100_000;
