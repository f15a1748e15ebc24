//! A coordinator of Citus with its workers on this machine, and their faults.

use std::ffi::OsString;
use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use throwaway_postgres::{Cluster, Database, Sweeper};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

/// The time between the kill of a worker and its start.
const AWAY: Duration = Duration::from_secs(3);
const STARTED_WITHIN: Duration = Duration::from_mins(1);
const TRY_INTERVAL: Duration = Duration::from_millis(500);

/// The schema of each shard, and the port of a worker that does not have it.
const MOVES: &str = "SELECT relnamespace::regnamespace, (
        SELECT min(nodeport) FROM pg_dist_node WHERE groupid > 0 AND nodeport <> min(shard.nodeport)
    )
    FROM citus_shards AS shard JOIN pg_class ON pg_class.oid = shard.table_name
    WHERE relnamespace::regnamespace::text LIKE 'gatepost_shard_%' GROUP BY relnamespace ORDER BY relnamespace";

pub(crate) struct Citus {
    coordinator: Cluster,
    database: Database,
    shards: usize,
    /// Drops the databases of earlier runs.
    _sweeper: Sweeper,
}

impl Citus {
    pub(crate) async fn start(shards: usize) -> anyhow::Result<Self> {
        let coordinator = Cluster::coordinator()?.context("CITUS_URL names no coordinator")?;
        let database = coordinator.database().await?;
        let sweeper = coordinator.sweeper();
        Ok(Self { coordinator, database, shards, _sweeper: sweeper })
    }

    pub(crate) fn url(&self) -> String {
        self.database.url.clone()
    }

    /// Moves each shard to another worker.
    pub(crate) async fn move_shards(&self) -> anyhow::Result<()> {
        let moves = self.coordinator.execute(&self.database.name, MOVES).await?;
        ensure!(moves.lines().count() == self.shards, "not {} shards on workers: {moves}", self.shards);
        for line in moves.lines() {
            let (shard, port) = line.split_once('|').context("a shard and a port")?;
            let port: u16 = port.parse().context("another worker")?;
            let host = Ipv4Addr::LOCALHOST;
            let command = format!("SELECT citus_schema_move('{shard}', '{host}', {port}, 'force_logical')");
            self.coordinator.execute(&self.database.name, &command).await?;
        }
        Ok(())
    }

    /// Kills a worker, and starts it again after [`AWAY`].
    pub(crate) async fn kill_worker(&self) -> anyhow::Result<()> {
        let folders = self.coordinator.folders_on_disk().await?;
        let worker = Worker::in_folder(folders.get(1).context("the coordinator has no worker")?)?;
        worker.kill()?;
        sleep(AWAY).await;
        worker.start().await
    }
}

/// A running server, and the command that starts it again.
struct Worker {
    process: String,
    port: u16,
    command: Command,
}

impl Worker {
    fn in_folder(folder: &Path) -> anyhow::Result<Self> {
        // The process, the folder, the start time, the port.
        let file = fs::read_to_string(folder.join("postmaster.pid"))?;
        let mut lines = file.lines();
        let process = lines.next().context("the id of a process")?.to_owned();
        let port = lines.nth(2).context("a port")?.parse()?;
        let proc = PathBuf::from("/proc").join(&process);
        let words = |file| -> anyhow::Result<Vec<_>> {
            let bytes = fs::read(proc.join(file))?;
            let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
            Ok(words.map(|word| OsString::from_vec(word.to_vec())).collect())
        };
        let owner = fs::metadata(folder)?;
        let log = File::options().append(true).create(true).open(folder.join("log"))?;
        // Not a child of this program, which would have to wait for its end: a server outlives it.
        let mut command = Command::new("setsid");
        command.arg("--fork").arg(fs::read_link(proc.join("exe"))?).args(words("cmdline")?.into_iter().skip(1));
        command.env_clear().current_dir(folder);
        for variable in words("environ")? {
            let text = variable.to_string_lossy();
            let (name, value) = text.split_once('=').context("a variable")?;
            command.env(name, value);
        }
        command.uid(owner.uid()).gid(owner.gid());
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(Self { process, port, command })
    }

    fn kill(&self) -> anyhow::Result<()> {
        let status = Command::new("sh").args(["-c", &format!("kill -KILL {}", self.process)]).status()?;
        ensure!(status.success(), "cannot kill the worker");
        Ok(())
    }

    /// Starts the server, again and again until it runs: it refuses while a process of the killed one lives.
    async fn start(mut self) -> anyhow::Result<()> {
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await.is_err() {
            ensure!(start.elapsed() < STARTED_WITHIN, "the worker does not start: see `log` in its folder");
            ensure!(self.command.status()?.success(), "`setsid` cannot start the worker");
            sleep(TRY_INTERVAL).await;
        }
        Ok(())
    }
}
