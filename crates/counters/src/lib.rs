//! Counts and durations that engines keep in memory.
//!
//! Most of them are plain atomics, which an adapter shows. Counting takes no lock and looks nothing up: an engine resolves
//! its counters when it starts, and addresses them by the numbers of an enum. This crate knows no name of a metric, label
//! or format. See decision 62. [`Pending`] holds counts until they are stored, in a map behind a lock.

mod duration_family;
mod histogram;
mod pending;
mod tally;

pub use duration_family::{DurationFamily, LabelledDurations};
pub use histogram::{DurationCounts, Histogram, OwnedHistogram, millis};
pub use pending::Pending;
pub use tally::Tally;
