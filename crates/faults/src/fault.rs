//! The faults, and how each ends.

use std::time::Duration;

use clap::ValueEnum;
use throwaway_postgres::Cluster;
use tokio::time::{Instant, sleep};

use crate::database::{Kind, Postgres};
use crate::flood::flood;
use crate::gatepost::{Gatepost, faketime};
use crate::line::State;
use crate::small_disk::SmallDisk;
use crate::stage::Stage;

/// How long a process stands still, a line is silent, or a disk is full: longer than a cache is trusted without a
/// reading.
const OUTAGE: Duration = Duration::from_secs(12);
/// How long a commit stalls.
const STALL: Duration = Duration::from_secs(14);
/// How far ahead a clock is, which is longer than a claim on a delivery lasts.
const CLOCK_AHEAD: &str = "+90s";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fault {
    /// kill -9 of an instance
    Kill,
    /// SIGTERM of an instance
    Terminate,
    /// An instance stands still for 12 s and continues (SIGSTOP, SIGCONT)
    Pause,
    /// The clock of an instance is 90 s ahead
    Clock,
    /// 8,500 idle connections, and 1,500 that send requests and never read
    Flood,
    /// The disk is full for 12 s
    FullDisk,
    /// The database server restarts
    Restart,
    /// The database server crashes and recovers
    Crash,
    /// The lines to the database are cut for 12 s
    Cut,
    /// The lines to the database are silent for 12 s
    Silence,
    /// Each commit stalls for 14 s
    StalledCommit,
    /// A standby that is behind is reached first; the primary dies; the standby is promoted
    FailOver,
    /// kill -9 of a worker of Citus, which starts again after 3 s
    KillWorker,
    /// Each shard moves to another worker of Citus
    MoveShards,
}

impl Fault {
    /// Whether the fault can happen with this database.
    pub(crate) fn concerns(self, kind: Kind) -> bool {
        match self {
            Self::Kill | Self::Terminate | Self::Pause | Self::Clock | Self::Flood => true,
            Self::FullDisk => kind == Kind::Sqlite,
            Self::Restart | Self::Crash | Self::Cut | Self::Silence | Self::StalledCommit | Self::FailOver => {
                kind == Kind::Postgres
            }
            Self::KillWorker | Self::MoveShards => kind == Kind::Citus,
        }
    }

    /// The missing means of this machine for the fault.
    pub(crate) fn missing(self, kind: Kind) -> Option<&'static str> {
        match self {
            _ if kind == Kind::Citus && matches!(Cluster::coordinator(), Ok(None)) => {
                Some("CITUS_URL names no coordinator")
            }
            Self::Clock if faketime().is_none() => Some("libfaketime is not installed (`apt install libfaketime`)"),
            Self::FullDisk if SmallDisk::mount().is_err() => Some("this user may not mount a file system"),
            _ => None,
        }
    }

    /// The disk that the fault needs for the database.
    pub(crate) fn disk(self) -> anyhow::Result<Option<SmallDisk>> {
        (self == Self::FullDisk).then(SmallDisk::mount).transpose()
    }

    /// Lets the fault happen. Returns when it was over: a killed process is started again later.
    pub(crate) async fn strike(self, stage: &mut Stage) -> anyhow::Result<Instant> {
        match self {
            Self::Kill => end_and_start(stage.next_instance(), "KILL").await,
            Self::Terminate => end_and_start(stage.next_instance(), "TERM").await,
            Self::Pause => {
                let instance = stage.next_instance();
                instance.signal("STOP")?;
                sleep(OUTAGE).await;
                instance.signal("CONT")?;
                Ok(Instant::now())
            }
            Self::Clock => run_ahead(stage.next_instance()).await,
            Self::Flood => {
                let good_key = stage.good_key();
                flood(stage.next_instance(), &good_key, OUTAGE).await
            }
            Self::FullDisk => {
                stage.database.disk()?.fill();
                sleep(OUTAGE).await;
                stage.database.disk()?.free()?;
                Ok(Instant::now())
            }
            Self::Restart | Self::Crash | Self::Cut | Self::Silence | Self::StalledCommit | Self::FailOver => {
                self.strike_server(stage.database.postgres()?).await
            }
            Self::KillWorker => stage.database.citus()?.kill_worker().await.map(|()| Instant::now()),
            Self::MoveShards => stage.database.citus()?.move_shards().await.map(|()| Instant::now()),
        }
    }

    async fn strike_server(self, server: &mut Postgres) -> anyhow::Result<Instant> {
        match self {
            Self::Restart => server.primary.restart().await?,
            Self::Crash => server.crash_and_recover().await?,
            Self::Cut => server.interrupt(State::Cut, OUTAGE).await,
            Self::Silence => server.interrupt(State::Silent(server.primary.port()), OUTAGE).await,
            Self::StalledCommit => {
                server.wait_for_standby("unreachable").await?;
                sleep(STALL).await;
                server.wait_for_standby("").await?;
            }
            _ => server.fail_over(OUTAGE).await?,
        }
        Ok(Instant::now())
    }
}

async fn end_and_start(instance: &mut Gatepost, signal: &str) -> anyhow::Result<Instant> {
    instance.end(signal).await?;
    let ended = Instant::now();
    instance.start().await?;
    Ok(ended)
}

/// The instance runs with a clock that is ahead, and starts again with the right time.
async fn run_ahead(instance: &mut Gatepost) -> anyhow::Result<Instant> {
    instance.set_clock(Some(CLOCK_AHEAD)).await?;
    sleep(OUTAGE).await;
    instance.unset("LD_PRELOAD");
    end_and_start(instance, "TERM").await
}
