//! A node: Patroni and the Postgres server that it runs.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use throwaway_postgres::{Account, free_port};
use tokio::time::sleep;

use super::programs::Programs;
use super::sandbox::Sandbox;

/// A failed primary is replaced after `ttl`. `docs/high-availability.md` explains the settings.
const DYNAMIC_SETTINGS: &str = "
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    primary_start_timeout: 10
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    synchronous_mode_strict: true
    failsafe_mode: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: {max_connections: 200, wal_log_hints: 'on', max_wal_size: 128MB, min_wal_size: 64MB, wal_keep_size: 64MB,
        shared_buffers: 32MB, wal_receiver_timeout: 5s, wal_sender_timeout: 5s, wal_retrieve_retry_interval: 1s}
";

const FILLER: &str = "filler";
/// More than the disk of a node can hold.
const DISK_SIZE_MAX: u64 = 1 << 30;

pub(super) struct Node {
    pub(super) number: usize,
    pub(super) postgres: SocketAddr,
    pub(super) rest: SocketAddr,
    folder: PathBuf,
    sandbox: Sandbox,
    account: Account,
    programs: Programs,
    patroni: Option<Child>,
}

impl Node {
    /// A node that does not run yet. Its folder and its log are in `folder`.
    pub(super) fn new(
        number: usize,
        sandbox: Sandbox,
        store: SocketAddr,
        folder: &Path,
        programs: &Programs,
    ) -> anyhow::Result<Self> {
        let address: IpAddr = sandbox.node(number);
        let account = Account::choose()?;
        let postgres = SocketAddr::new(address, free_port()?);
        let rest = SocketAddr::new(address, free_port()?);
        let folder = folder.join(format!("node{number}"));
        fs::create_dir_all(&folder)?;
        account.own(&folder)?;
        let programs = programs.clone();
        let node = Self { number, postgres, rest, folder, sandbox, account, programs, patroni: None };
        fs::write(node.beside("yaml"), node.configuration(store))?;
        Ok(node)
    }

    /// Starts Patroni, which starts Postgres.
    pub(super) fn start(&mut self) -> anyhow::Result<()> {
        let log = File::options().create(true).append(true).open(self.beside("log"))?;
        let mut command = self.sandbox.command(self.number);
        if let Some((user, group)) = self.account.other() {
            command.args(["setpriv", "--clear-groups", &format!("--reuid={user}"), &format!("--regid={group}")]);
        }
        command.arg(&self.programs.patroni).arg(self.beside("yaml")).current_dir(&self.folder).env_clear();
        command
            .env("LC_ALL", "C")
            .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            .env("PGPASSFILE", self.folder.join("pgpass"));
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        self.patroni = Some(command.spawn().context("cannot start Patroni")?);
        Ok(())
    }

    /// Kills Patroni and Postgres at once.
    pub(super) fn kill(&mut self) -> anyhow::Result<()> {
        send("KILL", &[self.patroni_processes()?, self.postgres_processes()?].concat())?;
        if let Some(mut patroni) = self.patroni.take() {
            patroni.wait()?;
        }
        Ok(())
    }

    /// Stops every process of the node, as when its machine stands still.
    pub(super) fn pause(&self) -> anyhow::Result<()> {
        send("STOP", &[self.patroni_processes()?, self.postgres_processes()?].concat())
    }

    /// Lets Postgres continue. Patroni still stands still, so the server continues in its old role.
    pub(super) fn resume_postgres(&self) -> anyhow::Result<()> {
        send("CONT", &self.postgres_processes()?)
    }

    pub(super) fn resume_patroni(&self) -> anyhow::Result<()> {
        send("CONT", &self.patroni_processes()?)
    }

    /// Writes to the node's disk until it is full.
    pub(super) fn fill_disk(&self) -> anyhow::Result<()> {
        let mut filler = File::create(self.folder.join(FILLER))?;
        let _ = io::copy(&mut io::repeat(0).take(DISK_SIZE_MAX), &mut filler);
        Ok(())
    }

    pub(super) fn free_disk(&self) -> anyhow::Result<()> {
        Ok(fs::remove_file(self.folder.join(FILLER))?)
    }

    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.beside("log")).unwrap_or_default()
    }

    /// A client of the node's server that is not Gatepost.
    pub(super) fn psql(&self) -> Psql {
        Psql { program: self.programs.postgres.join("psql"), server: self.postgres }
    }

    fn patroni_processes(&self) -> anyhow::Result<Vec<u32>> {
        let patroni = self.patroni.as_ref().context("the node does not run")?;
        with_children(patroni.id())
    }

    /// None when the server does not run.
    fn postgres_processes(&self) -> anyhow::Result<Vec<u32>> {
        let pid_file = fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap_or_default();
        let postmaster = pid_file.lines().next().and_then(|line| line.trim().parse().ok());
        postmaster.map_or(Ok(Vec::new()), with_children)
    }

    /// A file next to the node's folder, which may be full.
    fn beside(&self, extension: &str) -> PathBuf {
        self.folder.with_extension(extension)
    }

    fn configuration(&self, store: SocketAddr) -> String {
        let Self { number, postgres, rest, .. } = self;
        let (data, sockets, binaries) =
            (self.folder.join("data"), self.folder.display(), self.programs.postgres.display());
        format!(
            "scope: gatepost
name: node{number}
restapi: {{listen: '{rest}', connect_address: '{rest}'}}
etcd3: {{host: '{store}'}}
bootstrap:
  dcs: {DYNAMIC_SETTINGS}
  initdb: [data-checksums, {{encoding: UTF8}}, {{locale: C}}]
postgresql:
  listen: '{postgres}'
  connect_address: '{postgres}'
  data_dir: '{}'
  bin_dir: '{binaries}'
  pgpass: '{sockets}/pgpass'
  authentication:
    superuser: {{username: postgres}}
    replication: {{username: replicator}}
  parameters: {{unix_socket_directories: '{sockets}'}}
  pg_hba: [local all all trust, host all all 0.0.0.0/0 trust, host replication all 0.0.0.0/0 trust]
",
            data.display()
        )
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if self.patroni.is_some() {
            let _ = self.kill();
        }
    }
}

/// Runs SQL on one server as the superuser.
#[derive(Clone)]
pub(super) struct Psql {
    program: PathBuf,
    server: SocketAddr,
}

impl Psql {
    pub(super) fn execute(&self, sql: &str) -> anyhow::Result<()> {
        let mut psql = Command::new(&self.program);
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", "postgres", "-c", sql]);
        psql.args(["-h", &self.server.ip().to_string(), "-p", &self.server.port().to_string()]);
        psql.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        ensure!(psql.status().context("cannot run psql")?.success(), "psql failed");
        Ok(())
    }

    /// Returns when a commit has succeeded: the promotion is complete, and a synchronous standby exists. Returns an
    /// error when the server takes no commit within a minute.
    pub(super) async fn until_commit(&self) -> anyhow::Result<()> {
        for _ in 0..600 {
            let psql = self.clone();
            let write = "SELECT pg_logical_emit_message(true, 'ha', '')";
            if tokio::task::spawn_blocking(move || psql.execute(write)).await?.is_ok() {
                return Ok(());
            }
            sleep(Duration::from_millis(100)).await;
        }
        bail!("{} takes no commit", self.server)
    }
}

/// Sends a signal; `name` is without SIG. A process that has ended is ignored.
fn send(name: &str, processes: &[u32]) -> anyhow::Result<()> {
    let ids = processes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    if !ids.is_empty() {
        let kill = format!("kill -{name} {ids}");
        Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status().context("cannot run sh")?;
    }
    Ok(())
}

/// The process, its children, their children, and so on.
fn with_children(process: u32) -> anyhow::Result<Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc")? {
        let Ok(id) = entry?.file_name().to_string_lossy().parse() else { continue };
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        if let Some(parent) = parent_in(&stat) {
            children.entry(parent).or_default().push(id);
        }
    }
    let mut found = vec![process];
    let mut next = 0;
    while let Some(id) = found.get(next).copied() {
        found.extend(children.remove(&id).unwrap_or_default());
        next += 1;
    }
    Ok(found)
}

/// The parent in a line of `/proc/*/stat`. The name of a process may have spaces and brackets.
fn parent_in(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::io::BufRead;

    use super::*;

    /// The page shows the settings of this run. Only the sizes are for a small disk.
    #[test]
    fn the_page_has_these_settings() {
        let page = include_str!("../../../../docs/high-availability.md");
        let settings = DYNAMIC_SETTINGS.split(['\n', '{', '}', ',']).map(str::trim).filter(|text| !text.is_empty());
        let mut missing: Vec<_> = settings.filter(|setting| !page.contains(setting)).collect();
        missing.retain(|setting| {
            !["max_wal_size", "min_wal_size", "wal_keep_size", "shared_buffers"]
                .iter()
                .any(|size| setting.starts_with(size))
        });
        assert_eq!(missing, [""; 0]);
    }

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_in("42 (postgres: a) (b) S 7 42 42 0"), Some(7));
        assert_eq!(parent_in(""), None);
    }

    #[test]
    fn children_of_children_are_found_and_killed() {
        let script = "sh -c 'sh -c \"sleep 60 & echo ready; wait\" & wait' & wait";
        let mut shell = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = io::BufReader::new(shell.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        let found = with_children(shell.id()).unwrap();
        assert!(found.len() >= 3, "{found:?}");
        send("KILL", &found).unwrap();
        shell.wait().unwrap();
        output.read_line(&mut line).unwrap(); // ends when every process has closed its output
    }
}
