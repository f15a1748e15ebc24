//! Counts and durations that engines keep in plain atomics, for the adapter that shows them.
//!
//! Counting needs no wait and no look-up: an engine resolves its counters when it starts, and addresses them by the
//! numbers of an enum. This crate knows no name of a metric, label or format. See decision 62.

mod duration_family;
mod histogram;
mod tally;

pub use duration_family::{DurationFamily, LabelledDurations};
pub use histogram::{DurationCounts, Histogram, OwnedHistogram, millis};
pub use tally::Tally;
