use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, bail, ensure};

use crate::account::Account;
use crate::place::free_port;
use crate::watchdog::Watchdog;
use crate::{ServerBinaries, wait_until};

/// The variable with the cluster that a parent process shares: its port, a colon, its folder.
pub(crate) const LOAN: &str = "THROWAWAY_POSTGRES_LOAN";

/// The settings of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterSettings {
    /// Whether a commit waits for the disk. Without it, data survives a killed server or client, but not a crash of the
    /// machine. Measurements turn it on.
    pub durable: bool,
    /// The maximum number of connections at the same time.
    pub connections_max: u32,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        Self { durable: false, connections_max: 300 }
    }
}

/// The server of a [`Cluster`](crate::Cluster).
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) binaries: ServerBinaries,
    account: Account,
    pub(crate) folder: PathBuf,
    pub(crate) port: u16,
    /// Whether its databases are on several nodes.
    pub(crate) is_coordinator: bool,
    pub(crate) databases: AtomicU32,
    process: Mutex<Option<Child>>,
    // `None` if another process owns the cluster and stops it. The folder is removed after this field is dropped.
    _watchdog: Option<Watchdog>,
}

impl Server {
    #[expect(clippy::disallowed_methods, reason = "the one way to tell a test runner's children")]
    fn loan() -> anyhow::Result<Option<(u16, PathBuf)>> {
        let Some(loan) = std::env::var_os(LOAN) else { return Ok(None) };
        let loan = loan.to_string_lossy().into_owned();
        let (port, folder) = loan.split_once(':').with_context(|| format!("{LOAN} is {loan:?}, no cluster's"))?;
        let port = port.parse().with_context(|| format!("{LOAN} is {loan:?}, no cluster's"))?;
        Ok(Some((port, PathBuf::from(folder))))
    }

    /// The cluster of a parent process, if it shares one.
    pub(crate) fn lent() -> anyhow::Result<Option<Self>> {
        Self::loan()?.map(|(port, folder)| Self::of(port, folder, false, None)).transpose()
    }

    /// A cluster. Without a watchdog, another process starts and stops it.
    pub(crate) fn of(
        port: u16,
        folder: PathBuf,
        is_coordinator: bool,
        watchdog: Option<Watchdog>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            binaries: ServerBinaries::find_or_install()?,
            account: Account::choose()?,
            folder,
            port,
            is_coordinator,
            databases: AtomicU32::new(0),
            process: Mutex::new(None),
            _watchdog: watchdog,
        })
    }

    pub(crate) fn create(place: &Path, fill: impl FnOnce(&Self) -> anyhow::Result<()>) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("throwaway-postgres-").tempdir_in(place);
        let folder = folder.context("no temporary folder")?;
        let watchdog = Watchdog::over(folder.path())?;
        // The watchdog removes the folder.
        let mut cluster = Self::of(0, folder.keep(), false, Some(watchdog))?;
        cluster.account.own(&cluster.folder)?;
        fill(&cluster)?;
        cluster.start_on_a_free_port()?;
        Ok(cluster)
    }

    /// Makes the data folder. Processes that share a cluster share a copy of the first new one: `initdb` takes seconds of
    /// processor time, a copy a tenth of a second. A process may start several clusters at once.
    pub(crate) fn initialise(&self, settings: ClusterSettings) -> anyhow::Result<()> {
        const DATA: &str = "data";
        let shared = Self::loan()?.map(|(_, folder)| folder.join("initialised"));
        match shared {
            Some(shared) if shared.exists() => self.copy_folder(&shared, Path::new(DATA))?,
            shared => {
                self.init_db()?;
                if let Some(shared) = shared {
                    let copy = shared.with_extension(self.folder.file_name().unwrap_or_default());
                    self.copy_folder(Path::new(DATA), &copy)?;
                    // Another cluster may have shared its folder in the meantime.
                    fs::rename(&copy, shared)
                        .or_else(|_| fs::remove_dir_all(&copy))
                        .context("cannot share the data")?;
                }
            }
        }
        self.configure(settings)
    }

    fn init_db(&self) -> anyhow::Result<()> {
        let mut initdb = self.command("initdb");
        initdb.args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C"]);
        output_of("initdb", initdb.args(["-D", "data"])).map(drop)
    }

    fn copy_folder(&self, from: &Path, to: &Path) -> anyhow::Result<()> {
        let mut copy = Command::new("cp");
        copy.arg("-r").args([from, to]).current_dir(&self.folder);
        self.account.apply(&mut copy);
        output_of("cp", &mut copy).map(drop)
    }

    fn configure(&self, settings: ClusterSettings) -> anyhow::Result<()> {
        let ClusterSettings { durable, connections_max } = settings;
        let on_or_off = if durable { "on" } else { "off" };
        let configuration = format!(
            "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = {connections_max}\n\
             fsync = {on_or_off}\nfull_page_writes = {on_or_off}\n\
             shared_buffers = '64MB'\nlog_min_messages = 'warning'\n"
        );
        let file = self.folder.join("data/postgresql.auto.conf");
        fs::write(file, configuration).context("cannot write the configuration of the server")
    }

    /// Copies the primary with its settings.
    pub(crate) fn copy_primary(&self, port: u16) -> anyhow::Result<()> {
        let mut copy = self.command("pg_basebackup");
        copy.args(["-h", "127.0.0.1", "-U", "postgres", "-p", &port.to_string(), "-D", "data", "-R", "--no-sync"]);
        output_of("pg_basebackup", copy.args(["--checkpoint=fast", "--wal-method=stream"])).map(drop)
    }

    /// Another process may take a port before the server does; then the next port is tried.
    fn start_on_a_free_port(&mut self) -> anyhow::Result<()> {
        for _ in 0..10 {
            self.port = free_port()?;
            match self.run_server() {
                Ok(()) => return Ok(()),
                Err(_) if self.log().contains("Address already in use") => {}
                Err(error) => return Err(error),
            }
        }
        bail!("found no free port for the server")
    }

    pub(crate) fn run_server(&self) -> anyhow::Result<()> {
        let mut server = self.server();
        ensure!(server.is_none(), "the server is already running");
        let mut postgres = self.command("postgres");
        postgres.args(["-D", "data", "-p", &self.port.to_string()]);
        let log = File::create(self.folder.join("server.log")).context("cannot create the server's log")?;
        postgres.stderr(log).stdout(Stdio::null());
        // A separate process group: a Ctrl-C in the terminal ends this process, and then the watchdog ends the server.
        let mut child = postgres.process_group(0).spawn().context("cannot run postgres")?;
        wait_until(|| self.is_ready(child.id()) || !matches!(child.try_wait(), Ok(None)));
        if self.is_ready(child.id()) && matches!(child.try_wait(), Ok(None)) {
            *server = Some(child);
            return Ok(());
        }
        let _ = child.kill();
        let _ = child.wait();
        bail!("the Postgres server did not start: {}", self.log())
    }

    /// Whether the server accepts connections, which the last line of its pid file says. A crash leaves the file
    /// behind, so the pid in it must be that of this server.
    fn is_ready(&self, process: u32) -> bool {
        let pid_file = fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap_or_default();
        let mut lines = pid_file.lines().map(str::trim);
        lines.next() == Some(&process.to_string()) && lines.nth(6) == Some("ready")
    }

    pub(crate) fn end_server(&self, signal: &str) -> anyhow::Result<()> {
        let mut server = self.server();
        let child = server.as_mut().context("the server is stopped already")?;
        let kill = format!("kill -{signal} {}", child.id());
        Command::new("sh").args(["-c", &kill]).status().context("cannot run sh")?;
        ensure!(wait_until(|| matches!(child.try_wait(), Ok(Some(_)))), "the Postgres server did not stop");
        *server = None;
        Ok(())
    }

    /// Runs each statement in its own transaction.
    pub(crate) fn psql(&self, database: &str, statements: &[&str]) -> anyhow::Result<String> {
        self.psql_at(self.port, database, statements)
    }

    /// [`Self::psql`] on the node with this port.
    pub(crate) fn psql_at(&self, port: u16, database: &str, statements: &[&str]) -> anyhow::Result<String> {
        let mut psql = self.command("psql");
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "postgres"]);
        psql.args(["-p", &port.to_string(), "-d", database]);
        let output = output_of("psql", psql.args(statements.iter().flat_map(|statement| ["-c", statement])))?;
        Ok(String::from_utf8(output)?.trim_end().to_owned())
    }

    /// A program of the server, run as the account in the folder, without the `PG…` variables of the environment.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.binaries.path(program));
        command.env_clear().env("LC_ALL", "C").env("PATH", "/usr/bin:/bin");
        command.current_dir(&self.folder).stdin(Stdio::null());
        self.account.apply(&mut command);
        command
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("server.log")).unwrap_or_default()
    }

    fn server(&self) -> MutexGuard<'_, Option<Child>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a program to its end, and returns its output.
fn output_of(name: &str, program: &mut Command) -> anyhow::Result<Vec<u8>> {
    let output = program.output().with_context(|| format!("cannot run {name}"))?;
    ensure!(output.status.success(), "{name} failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.server().is_some() {
            let _ = self.end_server("QUIT");
        }
    }
}
