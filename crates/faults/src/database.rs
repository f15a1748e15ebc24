//! The databases that the instances share, and their faults.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::ValueEnum;
use tempfile::TempDir;
use throwaway_postgres::{Cluster, ClusterSettings};
use tokio::time::{Instant, sleep};

use crate::citus::Citus;
use crate::line::{Line, State};
use crate::small_disk::SmallDisk;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
    Citus,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "Postgres",
            Self::Citus => "Citus",
        })
    }
}

pub(crate) enum Database {
    Sqlite { folder: TempDir, disk: Option<SmallDisk> },
    Postgres(Postgres),
    Citus(Citus),
}

impl Database {
    pub(crate) async fn start(kind: Kind, disk: Option<SmallDisk>, shards: usize) -> anyhow::Result<Self> {
        match kind {
            Kind::Sqlite => Ok(Self::Sqlite { folder: TempDir::new()?, disk }),
            Kind::Postgres => Ok(Self::Postgres(Postgres::start().await?)),
            Kind::Citus => Ok(Self::Citus(Citus::start(shards).await?)),
        }
    }

    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite { folder, disk } => {
                let folder = disk.as_ref().map_or(folder.path(), SmallDisk::path);
                format!("sqlite://{}", folder.join("gatepost.db").display())
            }
            Self::Postgres(postgres) => postgres.url(),
            Self::Citus(citus) => citus.url(),
        }
    }

    pub(crate) fn disk(&self) -> anyhow::Result<&SmallDisk> {
        match self {
            Self::Sqlite { disk, .. } => disk.as_ref().context("not on a small disk"),
            Self::Postgres(_) | Self::Citus(_) => anyhow::bail!("Postgres is not on a small disk"),
        }
    }

    pub(crate) fn postgres(&mut self) -> anyhow::Result<&mut Postgres> {
        match self {
            Self::Postgres(postgres) => Ok(postgres),
            Self::Sqlite { .. } | Self::Citus(_) => anyhow::bail!("not one server of Postgres"),
        }
    }

    pub(crate) fn citus(&self) -> anyhow::Result<&Citus> {
        if let Self::Citus(citus) = self { Ok(citus) } else { anyhow::bail!("not on Citus") }
    }
}

/// A primary, sometimes with a standby. Gatepost knows two hosts, which are lines of this program.
pub(crate) struct Postgres {
    pub(crate) primary: Cluster,
    database: String,
    lines: [Line; 2],
}

impl Postgres {
    async fn start() -> anyhow::Result<Self> {
        let primary = Cluster::start(ClusterSettings { durable: true, ..ClusterSettings::default() }).await?;
        let database = primary.database().await?.name;
        let lines = [Line::start(State::To(primary.port())).await?, Line::start(State::Cut).await?];
        Ok(Self { primary, database, lines })
    }

    fn url(&self) -> String {
        let [first, second] = self.lines.each_ref().map(Line::address);
        format!("postgres://postgres@{first},{second}/{}", self.database)
    }

    pub(crate) async fn crash_and_recover(&self) -> anyhow::Result<()> {
        self.primary.crash().await?;
        self.primary.start_again().await
    }

    /// Leaves the line to the primary in this state for a time, and mends it.
    pub(crate) async fn interrupt(&self, state: State, time: Duration) {
        self.lines[0].set(state);
        sleep(time).await;
        self.lines[0].set(State::To(self.primary.port()));
    }

    /// Lets each commit wait for a standby with this name; an empty name means that none waits.
    pub(crate) async fn wait_for_standby(&self, name: &str) -> anyhow::Result<()> {
        let alter = format!("ALTER SYSTEM SET synchronous_standby_names = '{name}'");
        self.primary.execute("postgres", &alter).await?;
        self.primary.execute("postgres", "SELECT pg_reload_conf()").await?;
        Ok(())
    }

    /// A standby that has every commit and shows none of them becomes the host that Gatepost reaches first. Then the
    /// primary dies, and the standby is promoted.
    pub(crate) async fn fail_over(&mut self, behind: Duration) -> anyhow::Result<()> {
        let standby = self.primary.standby().await?;
        standby.execute("postgres", "SELECT pg_wal_replay_pause()").await?;
        self.wait_for_standby("*").await?;
        self.until_synchronous().await?;
        self.lines[1].set(State::To(self.primary.port()));
        self.lines[0].set(State::To(standby.port()));
        sleep(behind).await;
        self.primary.crash().await?;
        self.lines[1].set(State::Cut);
        standby.promote().await?;
        self.primary = standby;
        Ok(())
    }

    async fn until_synchronous(&self) -> anyhow::Result<()> {
        let start = Instant::now();
        let query = "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')";
        while self.primary.execute("postgres", query).await? == "0" {
            ensure!(start.elapsed() < Duration::from_secs(30), "the standby does not become synchronous");
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }
}
