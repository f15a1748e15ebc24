use std::time::Duration;

use async_trait::async_trait;

use super::store_error::StoreError;
use crate::Timestamp;
use crate::webhooks::SubscriptionStatus;

/// The load of a store, for operators. No decision depends on these figures.
#[async_trait]
pub trait StoreFigures: Send + Sync {
    /// The state of the queue of webhooks at `at`. No count is higher than `max`: more rows count as `max`, so that the
    /// time of the call is bounded. It only reads.
    ///
    /// - [`QueueFigures::waiting`] counts deliveries that have not ended, those that are being sent included.
    /// - [`QueueFigures::oldest_due`] is the earliest time at which a delivery was due by `at` that waits in an open lane
    ///   without a pause, whose owner is not suspended. A delivery under a claim does not wait. A store may leave out lanes that probe, and may look
    ///   only at the [`LANES_SEARCHED_MAX`] lanes that have waited longest for service.
    /// - Lanes and subscriptions are counted among the first `max` rows of each, in any order.
    async fn queue_figures(&self, at: Timestamp, max: u32) -> Result<QueueFigures, StoreError>;

    /// The state of the database server. A store that only one process can use keeps this default, because it has no
    /// server.
    async fn server_figures(&self) -> Result<ServerFigures, StoreError> {
        Ok(ServerFigures::default())
    }

    /// The state of the store in this process, from memory. The call does not wait.
    fn process_figures(&self) -> ProcessFigures {
        ProcessFigures::default()
    }
}

/// In how many lanes [`StoreFigures::queue_figures`] must look for the oldest due delivery.
pub const LANES_SEARCHED_MAX: u32 = 1_000;
/// The upper bounds of [`PoolFigures::waits`].
pub const POOL_WAIT_BOUNDS: &[Duration] = &[
    Duration::from_millis(1),
    Duration::from_millis(5),
    Duration::from_millis(25),
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
];

/// The state of the queue of webhooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueFigures {
    /// Deliveries that have not ended.
    pub waiting: u32,
    /// Since when the oldest due delivery waits.
    pub oldest_due: Option<Timestamp>,
    /// Lanes by their state.
    pub lanes: LaneFigures,
    /// How many subscriptions have each status, deleted ones apart. A status without subscriptions may be missing.
    pub subscriptions: Vec<(SubscriptionStatus, u32)>,
}

/// How many lanes are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneFigures {
    /// Lanes of enabled subscriptions that may deliver.
    pub open: u32,
    /// Lanes of enabled subscriptions that pause now.
    pub paused: u32,
    /// Lanes of other subscriptions, including deleted ones that are still stored.
    pub closed: u32,
}

/// The state of a database server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFigures {
    /// The age of the oldest transaction of any program that keeps the database from removing old versions of rows;
    /// zero without one. `None` if the store does not tell.
    pub oldest_snapshot: Option<Duration>,
    /// The oldest snapshot of the database, if it keeps enough rows to matter.
    pub held_snapshot: Option<HeldSnapshot>,
    /// The processes that the server serves now, counted by the version of the program.
    pub instances: Vec<VersionCount>,
}

/// The state of a store in one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessFigures {
    /// The pools of connections.
    pub pools: Vec<PoolFigures>,
    /// The bytes that were written and not moved into the tables yet, if this machine keeps them in a file.
    pub log_bytes: Option<u64>,
}

/// A held snapshot of the database. The database keeps every row that was deleted since, so its tables grow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldSnapshot {
    /// The holder, for the log of the operator.
    pub holder: String,
    /// The state that it shows. The same holder with the same state holds the same snapshot.
    pub state: String,
}

/// How many processes have a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionCount {
    /// The version of the program.
    pub version: String,
    /// How many processes have it.
    pub instances: u32,
}

/// The state of a pool of connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolFigures {
    /// The name of the pool.
    pub name: &'static str,
    /// Connections that calls use now.
    pub used: usize,
    /// Connections that are open and unused.
    pub idle: usize,
    /// Calls that wait for a connection.
    pub waiting: usize,
    /// How many calls have waited for a time up to each of [`POOL_WAIT_BOUNDS`] and above the bound before it, and at the
    /// end how many have waited longer than all bounds.
    pub waits: Vec<u64>,
    /// How long all calls together have waited.
    pub waited: Duration,
}
