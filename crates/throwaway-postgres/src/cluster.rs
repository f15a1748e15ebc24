use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tokio::sync::OnceCell;

use crate::ServerBinaries;
use crate::account::Account;
use crate::coordinator;
use crate::sweeper::Sweeper;
use crate::watchdog::Watchdog;

/// The variable with the cluster that a parent process shares: its port, a colon, its folder.
const LOAN: &str = "THROWAWAY_POSTGRES_LOAN";

/// The names of databases begin so. The id of the process that made the database follows.
pub(crate) const DATABASES: &str = "test_";

/// A folder in memory, on Linux.
const MEMORY: &str = "/dev/shm";

/// The free memory that a run of tests needs.
const KIB_MIN: u64 = 2 * 1024 * 1024;

/// One empty database of a cluster.
#[derive(Clone, Debug)]
pub struct Database {
    /// The URL: `postgres://postgres@127.0.0.1:<port>/<name>`. There is no password, because the cluster trusts
    /// loopback.
    pub url: String,
    /// The name of the database.
    pub name: String,
}

/// The settings of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterSettings {
    /// Whether a commit waits for the disk. Without it, data survives a killed server or client, but not a crash of the
    /// machine. Measurements turn it on.
    pub durable: bool,
    /// The maximum of connections at the same time.
    pub connections_max: u32,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        Self { durable: false, connections_max: 300 }
    }
}

/// A running Postgres server with its own data folder. Both are removed on drop, and when the process ends.
#[derive(Clone, Debug)]
pub struct Cluster {
    inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    binaries: ServerBinaries,
    account: Account,
    folder: PathBuf,
    pub(crate) port: u16,
    /// Whether its databases are on several nodes.
    pub(crate) is_coordinator: bool,
    databases: AtomicU32,
    server: Mutex<Option<Child>>,
    // `None` if another process owns the cluster and stops it. The folder is removed after this field is dropped.
    _watchdog: Option<Watchdog>,
}

impl Cluster {
    /// The cluster of this process, which the first call starts with the settings for tests. If a parent process shares
    /// its cluster ([`Cluster::loan`]), that one: test runners start many processes. `CITUS_URL` comes before both.
    ///
    /// # Errors
    ///
    /// No server is installed (the error names the command that installs one), or the server does not start.
    pub async fn shared() -> anyhow::Result<&'static Self> {
        static SHARED: OnceCell<Cluster> = OnceCell::const_new();
        SHARED
            .get_or_try_init(async || match Self::coordinator()?.or(Inner::lent()?.map(Self::of)) {
                Some(cluster) => Ok(cluster),
                None => Self::start(ClusterSettings::default()).await,
            })
            .await
    }

    /// The coordinator of Citus that `CITUS_URL` names, if it names one.
    ///
    /// # Errors
    ///
    /// It is not a URL of this machine, or no `psql` is installed.
    pub fn coordinator() -> anyhow::Result<Option<Self>> {
        Ok(coordinator::named()?.map(Self::of))
    }

    fn of(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// Starts a separate cluster.
    ///
    /// # Errors
    ///
    /// No server is installed (the error names the command that installs one), or the server does not start.
    pub async fn start(settings: ClusterSettings) -> anyhow::Result<Self> {
        let inner =
            off_the_runtime(move || Inner::create(&place(settings.durable), |new| new.initialise(settings))).await?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Starts a hot standby of this cluster: a copy that streams what the primary writes, and takes no writes until
    /// [`Cluster::promote`].
    ///
    /// # Errors
    ///
    /// The primary is stopped, or the standby does not start.
    pub async fn standby(&self) -> anyhow::Result<Self> {
        let (port, place) = (self.port(), self.inner.folder.parent().unwrap_or(&self.inner.folder).to_owned());
        let inner = off_the_runtime(move || Inner::create(&place, |new| new.copy_primary(port))).await?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Promotes a standby, and returns when it accepts writes.
    ///
    /// # Errors
    ///
    /// The cluster is not a standby, or is stopped.
    pub async fn promote(&self) -> anyhow::Result<()> {
        self.execute("postgres", "SELECT pg_promote()").await.map(drop)
    }

    /// The environment variable, name and value, with which child processes use this cluster as their
    /// [`Cluster::shared`]. The cluster ends with this process.
    pub fn loan(&self) -> (&'static str, String) {
        (LOAN, format!("{}:{}", self.port(), self.inner.folder.display()))
    }

    /// Drops the databases of child processes that have ended, until the sweeper is dropped.
    pub fn sweeper(&self) -> Sweeper {
        Sweeper::over(Arc::clone(&self.inner))
    }

    /// A new and empty database.
    ///
    /// # Errors
    ///
    /// The server is stopped.
    pub async fn database(&self) -> anyhow::Result<Database> {
        self.database_from("template0").await
    }

    /// A copy of the template with this name. The first call in a cluster makes the template: `fill` gets an empty database,
    /// and closes its connections. Processes that share a cluster share its templates.
    ///
    /// # Errors
    ///
    /// The server is stopped, `fill` fails, or it leaves a connection open.
    pub async fn copy_of(
        &self,
        template: &str,
        fill: impl AsyncFnOnce(&Database) -> anyhow::Result<()>,
    ) -> anyhow::Result<Database> {
        if self.inner.is_coordinator {
            let database = self.database().await?;
            fill(&database).await?;
            return Ok(database);
        }
        match self.database_from(template).await {
            Err(error) if error.to_string().contains("does not exist") => {
                self.make_template(template, fill).await?;
                self.database_from(template).await
            }
            copied_or_failed => copied_or_failed,
        }
    }

    /// Fills a database before it gives it the name, so that the template is whole for other processes, one of which may
    /// have made it first.
    async fn make_template(
        &self,
        template: &str,
        fill: impl AsyncFnOnce(&Database) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let filled = self.database().await?;
        fill(&filled).await?;
        let rename = format!("ALTER DATABASE {} RENAME TO {template}", filled.name);
        match self.execute("postgres", &rename).await {
            Err(error) if !error.to_string().contains("already exists") => Err(error),
            _ => Ok(()),
        }
    }

    async fn database_from(&self, template: &str) -> anyhow::Result<Database> {
        let number = self.inner.databases.fetch_add(1, Ordering::Relaxed);
        // The process id says whom the sweeper waits for. A long run of tests uses an id again, so it is not enough.
        let random = RandomState::new().hash_one(number);
        let name = format!("{DATABASES}{}_{random:x}_{number}", std::process::id());
        let database = Database { url: format!("postgres://postgres@127.0.0.1:{}/{name}", self.port()), name };
        if self.inner.is_coordinator {
            let (inner, name) = (Arc::clone(&self.inner), database.name.clone());
            off_the_runtime(move || coordinator::make_database(&inner, &name)).await?;
            return Ok(database);
        }
        // Copies files: with its default, the server writes each page to its log too.
        let create = format!("CREATE DATABASE {} TEMPLATE {template} STRATEGY file_copy", database.name);
        self.execute("postgres", &create).await?;
        Ok(database)
    }

    /// Runs SQL in the named database through psql, and returns its output: unaligned, tuples only.
    ///
    /// # Errors
    ///
    /// The server is stopped, or refuses the SQL.
    pub async fn execute(&self, database: &str, sql: &str) -> anyhow::Result<String> {
        let (inner, database, sql) = (Arc::clone(&self.inner), database.to_owned(), sql.to_owned());
        off_the_runtime(move || inner.psql(&database, &[&sql])).await
    }

    /// How many rows, and entries of indexes, the server has read since `pg_stat_reset()`, in the tables whose names
    /// start with `tables`. A connection reports its counts when it is closed, so this waits until those of Gatepost are.
    ///
    /// # Errors
    ///
    /// When `psql` fails.
    pub async fn rows_read(&self, database: &str, tables: &str) -> anyhow::Result<u64> {
        const CONNECTIONS: &str = "SELECT count(*) FROM pg_stat_activity
            WHERE application_name = 'gatepost' AND datname = current_database()";
        while self.execute(database, CONNECTIONS).await? != "0" {}
        let rows_read = format!(
            "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname LIKE '{tables}%')
                + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname LIKE '{tables}%')"
        );
        Ok(self.execute(database, &rows_read).await?.parse()?)
    }

    /// Stops the server as an operator does: transactions end, connections close, data is written.
    ///
    /// # Errors
    ///
    /// The server does not stop within 30 s.
    pub async fn stop(&self) -> anyhow::Result<()> {
        self.end("INT").await
    }

    /// Stops the server as a crash does: at once, with recovery from the log at the next start.
    ///
    /// # Errors
    ///
    /// The server does not stop within 30 s.
    pub async fn crash(&self) -> anyhow::Result<()> {
        self.end("QUIT").await
    }

    /// Starts the stopped server again, on the same port with the same data, and returns when it answers.
    ///
    /// # Errors
    ///
    /// The server does not start within 30 s.
    pub async fn start_again(&self) -> anyhow::Result<()> {
        let inner = Arc::clone(&self.inner);
        off_the_runtime(move || inner.run_server()).await
    }

    /// [`Cluster::stop`], then [`Cluster::start_again`].
    ///
    /// # Errors
    ///
    /// As those two.
    pub async fn restart(&self) -> anyhow::Result<()> {
        self.stop().await?;
        self.start_again().await
    }

    /// The port on 127.0.0.1, the same for the life of the cluster.
    pub fn port(&self) -> u16 {
        self.inner.port
    }

    /// The folder with the files of the server.
    pub fn data_folder(&self) -> PathBuf {
        self.inner.folder.join("data")
    }

    /// The folder of the cluster, if it is in memory. It is removed with the cluster.
    pub fn folder_in_memory(&self) -> Option<&Path> {
        self.inner.folder.starts_with(MEMORY).then_some(&self.inner.folder)
    }

    /// The programs of the server, such as `pgbench`.
    pub fn binaries(&self) -> &ServerBinaries {
        &self.inner.binaries
    }

    async fn end(&self, signal: &'static str) -> anyhow::Result<()> {
        let inner = Arc::clone(&self.inner);
        off_the_runtime(move || inner.end_server(signal)).await
    }
}

impl Inner {
    #[expect(clippy::disallowed_methods, reason = "the one way to tell a test runner's children")]
    fn lent() -> anyhow::Result<Option<Self>> {
        let Some(loan) = std::env::var_os(LOAN) else { return Ok(None) };
        let loan = loan.to_string_lossy().into_owned();
        let (port, folder) = loan.split_once(':').with_context(|| format!("{LOAN} is {loan:?}, no cluster's"))?;
        let port = port.parse().with_context(|| format!("{LOAN} is {loan:?}, no cluster's"))?;
        Self::of_others(port, PathBuf::from(folder), false).map(Some)
    }

    /// A cluster that another process starts and stops.
    pub(crate) fn of_others(port: u16, folder: PathBuf, is_coordinator: bool) -> anyhow::Result<Self> {
        Ok(Self {
            binaries: ServerBinaries::find_or_install()?,
            account: Account::choose()?,
            folder,
            port,
            is_coordinator,
            databases: AtomicU32::new(0),
            server: Mutex::new(None),
            _watchdog: None,
        })
    }

    fn create(place: &Path, fill: impl FnOnce(&Self) -> anyhow::Result<()>) -> anyhow::Result<Self> {
        let binaries = ServerBinaries::find_or_install()?;
        let account = Account::choose()?;
        let folder = tempfile::Builder::new().prefix("throwaway-postgres-").tempdir_in(place);
        let folder = folder.context("no temporary folder")?;
        account.own(folder.path())?;
        let watchdog = Watchdog::over(folder.path())?;
        let mut cluster = Self {
            binaries,
            account,
            folder: folder.keep(), // the watchdog removes it
            port: 0,
            is_coordinator: false,
            databases: AtomicU32::new(0),
            server: Mutex::new(None),
            _watchdog: Some(watchdog),
        };
        fill(&cluster)?;
        cluster.start_on_a_free_port()?;
        Ok(cluster)
    }

    fn initialise(&self, settings: ClusterSettings) -> anyhow::Result<()> {
        let mut initdb = self.command("initdb");
        initdb.args([
            "--no-sync",
            "--auth=trust",
            "--username=postgres",
            "--encoding=UTF8",
            "--locale=C",
            "-D",
            "data",
        ]);
        let output = initdb.output().context("cannot run initdb")?;
        ensure!(output.status.success(), "initdb failed: {}", String::from_utf8_lossy(&output.stderr));

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
    fn copy_primary(&self, port: u16) -> anyhow::Result<()> {
        let mut copy = self.command("pg_basebackup");
        copy.args(["-h", "127.0.0.1", "-U", "postgres", "-p", &port.to_string(), "-D", "data", "-R", "--no-sync"]);
        copy.args(["--checkpoint=fast", "--wal-method=stream"]);
        let output = copy.output().context("cannot run pg_basebackup")?;
        ensure!(output.status.success(), "pg_basebackup failed: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
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

    fn run_server(&self) -> anyhow::Result<()> {
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

    fn end_server(&self, signal: &str) -> anyhow::Result<()> {
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
        psql.args(statements.iter().flat_map(|statement| ["-c", statement]));
        let output = psql.output().context("cannot run psql")?;
        ensure!(output.status.success(), "psql failed: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
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
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.server().is_some() {
            let _ = self.end_server("QUIT");
        }
    }
}

/// Where clusters have their folders: in memory, if there is room and no cluster must survive a crash of the machine.
/// Making a database there takes a seventh of the processor time that a disk takes, most of which is the file system's.
fn place(durable: bool) -> PathBuf {
    if !durable && free_kib(Path::new(MEMORY)).is_some_and(|free| free >= KIB_MIN) {
        return PathBuf::from(MEMORY);
    }
    std::env::temp_dir()
}

/// The fourth column of the last line that `df` prints.
fn free_kib(folder: &Path) -> Option<u64> {
    let output = Command::new("df").args(["-P", "-k"]).arg(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().last()?.split_whitespace().nth(3)?.parse().ok()
}

/// A free port below those of outgoing connections (32768 and up), so that no other process takes it by accident while
/// the server is stopped.
fn free_port() -> anyhow::Result<u16> {
    use std::hash::{BuildHasher, RandomState};
    let start = RandomState::new().hash_one(std::process::id()) % 12_000;
    let candidates =
        (0..12_000).map(|step| 20_000 + (start + step) % 12_000).filter_map(|port| u16::try_from(port).ok());
    let mut free = candidates.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next().context("no port from 20000 to 31999 is free")
}

/// Checks a condition every few milliseconds for at most 30 s, and returns whether it became true.
pub(crate) fn wait_until(mut condition: impl FnMut() -> bool) -> bool {
    const PAUSE: Duration = Duration::from_millis(5);
    (0..6_000).any(|_| {
        let done = condition();
        if !done {
            std::thread::sleep(PAUSE);
        }
        done
    })
}

async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    tokio::task::spawn_blocking(work).await.context("the work panicked")?
}
