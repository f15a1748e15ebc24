//! A fresh Postgres cluster for one test or bench run, which ends with the process.
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
//! - [`Cluster::shared`] is one cluster for the whole process, which the first call starts. Each test makes its own
//!   [`Database`] in it. [`Cluster::start`] starts a separate cluster, which may be stopped and started again.
//! - The server listens only on loopback, trusts every local user, and keeps its data in a temporary folder, in memory where that
//!   has room for it.
//! - [`Cluster::copy_of`] copies a template that one test fills, such as a migrated database. [`Cluster::sweeper`] drops
//!   the databases of tests that have ended.
//! - It ends with this process, even if the process is killed: see `watchdog.rs`.
//! - If this process runs as root, the server runs as another user, because Postgres refuses root.
//! - Where `CITUS_URL` names a coordinator of Citus on this machine, [`Cluster::shared`] is that one, and each [`Database`]
//!   is on all of its nodes.
//! - [`Pooler`] is a PgBouncer in front of a cluster.
//! - If no server is installed, root on Debian gets one through apt. Other users get an error with the command to run.

mod account;
mod cluster;
mod coordinator;
mod place;
mod pooler;
mod server;
mod server_binaries;
mod sweeper;
mod watchdog;

pub use account::{Account, is_root};
pub use cluster::{Cluster, Database};
pub use place::free_port;
pub use pooler::Pooler;
pub use server::ClusterSettings;
pub use server_binaries::ServerBinaries;
pub use sweeper::Sweeper;

/// Checks a condition every few milliseconds for at most 30 s, and returns whether it became true.
pub(crate) fn wait_until(mut condition: impl FnMut() -> bool) -> bool {
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(5);
    (0..6_000).any(|_| {
        let done = condition();
        if !done {
            std::thread::sleep(PAUSE);
        }
        done
    })
}
