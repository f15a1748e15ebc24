//! Counts and durations that engines keep in memory.
//!
//! Those that an adapter shows are plain atomics, which need no wait and no look-up: an engine resolves its counters when
//! it starts, and addresses them by the numbers of an enum. This crate knows no name of a metric, label or format. See
//! decision 62. Counts that wait for a write to the store are a map behind a lock, [`Pending`].

mod duration_family;
mod histogram;
mod pending;
mod tally;

pub use duration_family::{DurationFamily, LabelledDurations};
pub use histogram::{DurationCounts, Histogram, OwnedHistogram, millis};
pub use pending::Pending;
pub use tally::Tally;
