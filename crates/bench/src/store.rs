//! The databases under measurement. The measurements do not depend on the kind.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use async_trait::async_trait;
use throwaway_postgres::{Cluster, ClusterSettings, Database};
use tokio::time::sleep;

use crate::gatepost::Gatepost;
use crate::process::Usage;
use crate::stored_keys::{store_in_postgres, store_in_sqlite};

/// An idle session of Postgres reports its statistics after ten seconds.
const STATISTICS_LAG: Duration = Duration::from_secs(11);

/// A kind of database.
#[async_trait(?Send)]
pub(crate) trait Store {
    fn name(&self) -> &'static str;

    /// Makes an empty database, and points the service at it. The service does not run yet.
    async fn attach(&self, gatepost: &mut Gatepost) -> anyhow::Result<Box<dyn Data>>;
}

/// The database of one service. The value may delete it on drop.
#[async_trait(?Send)]
pub(crate) trait Data {
    /// Stores keys 0 to `count` in a database that is migrated.
    fn store_keys(&self, count: u64) -> anyhow::Result<()>;

    /// The bytes of all keys on disk with their indexes, and without them if the database can tell.
    async fn size(&self) -> anyhow::Result<(u64, Option<u64>)>;

    /// How many statements have looked a key up; `None` if the database does not count them.
    async fn look_ups(&self) -> anyhow::Result<Option<u64>> {
        Ok(None)
    }

    /// How many transactions have written something, and the bytes of the write-ahead log; 0 if the database does not
    /// count them.
    async fn written(&self) -> anyhow::Result<[u64; 2]> {
        Ok([0, 0])
    }

    /// Processor time of the server so far; none if the database runs inside the service.
    fn processor_time(&self) -> anyhow::Result<Duration> {
        Ok(Duration::ZERO)
    }
}

/// All of them.
pub(crate) async fn stores() -> anyhow::Result<[Box<dyn Store>; 2]> {
    Ok([Box::new(Sqlite), Box::new(Postgres::start().await?)])
}

/// A file in the folder of the service.
pub(crate) struct Sqlite;

#[async_trait(?Send)]
impl Store for Sqlite {
    fn name(&self) -> &'static str {
        "SQLite"
    }

    async fn attach(&self, gatepost: &mut Gatepost) -> anyhow::Result<Box<dyn Data>> {
        Ok(Box::new(File(gatepost.folder().join("gatepost-data/gatepost.db"))))
    }
}

struct File(PathBuf);

#[async_trait(?Send)]
impl Data for File {
    fn store_keys(&self, count: u64) -> anyhow::Result<()> {
        store_in_sqlite(&self.0, count)
    }

    async fn size(&self) -> anyhow::Result<(u64, Option<u64>)> {
        Ok((std::fs::metadata(&self.0)?.len(), None))
    }
}

/// A server that flushes commits to disk.
pub(crate) struct Postgres(pub(crate) Cluster);

impl Postgres {
    pub(crate) async fn start() -> anyhow::Result<Self> {
        Ok(Self(Cluster::start(ClusterSettings { durable: true, connections_max: 100 }).await?))
    }
}

#[async_trait(?Send)]
impl Store for Postgres {
    fn name(&self) -> &'static str {
        "Postgres"
    }

    async fn attach(&self, gatepost: &mut Gatepost) -> anyhow::Result<Box<dyn Data>> {
        let database = self.0.database().await?;
        gatepost.set("DATABASE_URL", &database.url);
        Ok(Box::new(OnServer { cluster: self.0.clone(), database }))
    }
}

struct OnServer {
    cluster: Cluster,
    database: Database,
}

impl OnServer {
    async fn number(&self, query: &str) -> anyhow::Result<u64> {
        Ok(self.cluster.execute(&self.database.name, query).await?.parse()?)
    }
}

#[async_trait(?Send)]
impl Data for OnServer {
    fn store_keys(&self, count: u64) -> anyhow::Result<()> {
        store_in_postgres(&self.cluster, &self.database, count)
    }

    async fn size(&self) -> anyhow::Result<(u64, Option<u64>)> {
        let total = self.number("SELECT pg_total_relation_size('api_keys')").await?;
        Ok((total, Some(self.number("SELECT pg_relation_size('api_keys')").await?)))
    }

    async fn look_ups(&self) -> anyhow::Result<Option<u64>> {
        sleep(STATISTICS_LAG).await;
        let count = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'api_keys_digest_unique'";
        Ok(Some(self.number(count).await?))
    }

    async fn written(&self) -> anyhow::Result<[u64; 2]> {
        let transactions = self.number("SELECT pg_snapshot_xmax(pg_current_snapshot())").await?;
        Ok([transactions, self.number("SELECT (pg_current_wal_lsn() - '0/0')::bigint").await?])
    }

    fn processor_time(&self) -> anyhow::Result<Duration> {
        server_of(&self.cluster)?.processor_time_of_family()
    }
}

/// The first process of the server, which starts all others.
pub(crate) fn server_of(cluster: &Cluster) -> anyhow::Result<Usage> {
    let server = std::fs::read_to_string(cluster.data_folder().join("postmaster.pid"))?;
    Ok(Usage(server.lines().next().context("no process id")?.parse()?))
}
