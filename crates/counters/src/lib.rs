//! Counts and durations that engines keep in plain atomics, for the adapter that shows them.
//!
//! Counting never waits and looks nothing up: an engine resolves its counters when it starts, and addresses them by the
//! numbers of an enum. Nothing here knows a name of a metric, a label or a format. See decision 62.

mod duration_family;
mod histogram;
mod tally;

pub use duration_family::{DurationFamily, LabelledDurations};
pub use histogram::{DurationCounts, Histogram, OwnedHistogram, millis};
pub use tally::Tally;
