//! A fresh Postgres cluster for one test or bench run, gone with the process.
//!
//! ```no_run
//! # async fn example() -> anyhow::Result<()> {
//! let cluster = throwaway_postgres::Cluster::shared().await?;
//! let database = cluster.database().await?;
//! println!("an empty database at {}", database.url);
//! # Ok(())
//! # }
//! ```
//!
//! - [`Cluster::shared`] is one cluster for the whole process, started when it is first asked for, each test with a
//!   [`Database`] of its own. [`Cluster::start`] is a cluster of one's own, which may be stopped and started again.
//! - The server listens on loopback alone, trusts everybody there, and keeps its data in a temporary folder.
//! - It never outlives this process, even one that is killed: see `watchdog.rs`.
//! - Run by root, the server runs as another user, because Postgres refuses root.
//! - With no server installed, root on Debian gets one through apt; everybody else gets an error that names the one
//!   command to run.

mod account;
mod cluster;
mod database;
mod server_binaries;
mod watchdog;

pub use cluster::{Cluster, ClusterSettings};
pub use database::Database;
pub use server_binaries::ServerBinaries;
