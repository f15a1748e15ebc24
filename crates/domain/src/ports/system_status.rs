use std::time::Duration;

use super::figures::{QueueFigures, VersionCount};
use crate::Timestamp;

/// Reports the state of this instance and of the store, from memory. A call does not wait.
pub trait SystemStatus: Send + Sync {
    /// The state at this moment.
    fn read(&self) -> SystemState;
}

/// The state of an instance and its store. Counts begin at 0 when the process starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemState {
    /// The version of the program.
    pub version: &'static str,
    /// The commit that it was built from.
    pub commit: &'static str,
    /// The kind of the database.
    pub database: &'static str,
    /// When the process started.
    pub started_at: Timestamp,
    /// API keys that were presented.
    pub verifications: VerificationCounts,
    /// Events that the host application published.
    pub events: EventCounts,
    /// Attempts to deliver; `None` if this instance does not deliver.
    pub attempts: Option<AttemptCounts>,
    /// The last reading of the queue; `None` before the first.
    pub queue: Option<QueueReading>,
    /// The processes on this database, by version, at the last count of the store; empty before the first answer, and
    /// if no other instance can share the database.
    pub instances: Vec<VersionCount>,
    /// The age of the last successful read of the change feed; `None` if no other instance can share the database.
    pub change_feed_age: Option<Duration>,
    /// The age of the identity provider's keys; `None` before the first fetch.
    pub identity_keys_age: Option<Duration>,
}

/// API keys that were presented, by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerificationCounts {
    /// Good keys.
    pub good: u64,
    /// Keys that were refused.
    pub refused: u64,
    /// Calls without an answer, because the store failed.
    pub failed: u64,
}

/// Published events, by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Events that were stored.
    pub accepted: u64,
    /// Events that were published before.
    pub duplicate: u64,
    /// Events in conflict with another event of the same id.
    pub conflict: u64,
    /// Events without an answer, because the store failed.
    pub failed: u64,
}

/// Attempts to deliver, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttemptCounts {
    /// Attempts that delivered.
    pub delivered: u64,
    /// Attempts that the receiver failed.
    pub failed: u64,
    /// Attempts that could not be made. They are not charged to the receiver.
    pub not_charged: u64,
    /// Attempts that a shutdown cut off.
    pub cut_off: u64,
}

/// A reading of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueReading {
    /// The age of the reading.
    pub age: Duration,
    /// The queue, counted up to the limit of the metrics.
    pub figures: QueueFigures,
    /// For how long the oldest due delivery had been due; zero without one.
    pub oldest_due_age: Duration,
}
