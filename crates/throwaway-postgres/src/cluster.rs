use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep};

use crate::place::{MEMORY, place};
use crate::server::{ClusterSettings, LOAN, Server};
use crate::sweeper::{DATABASES, Sweeper};
use crate::{ServerBinaries, coordinator};

/// The template of empty databases.
const EMPTY: &str = "template0";
/// The longest wait for another process that names a template on each node of Citus.
const NAMED_WITHIN: Duration = Duration::from_secs(10);
const TRY_INTERVAL: Duration = Duration::from_millis(100);

/// One empty database of a cluster.
#[derive(Clone, Debug)]
pub struct Database {
    /// The URL: `postgres://postgres@127.0.0.1:<port>/<name>`. There is no password, because the cluster trusts
    /// loopback.
    pub url: String,
    /// The name of the database.
    pub name: String,
}

/// A running Postgres server with its own data folder. Both are removed on drop, and when the process ends.
#[derive(Clone, Debug)]
pub struct Cluster {
    inner: Arc<Server>,
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
            .get_or_try_init(async || match Self::coordinator()?.or(Server::lent()?.map(Self::of)) {
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

    fn of(inner: Server) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// Starts a separate cluster.
    ///
    /// # Errors
    ///
    /// No server is installed (the error names the command that installs one), or the server does not start.
    pub async fn start(settings: ClusterSettings) -> anyhow::Result<Self> {
        let create = move || Server::create(&place(settings.durable), |new| new.initialise(settings));
        off_the_runtime(create).await.map(Self::of)
    }

    /// Starts a hot standby of this cluster: a copy that streams the writes of the primary, and takes no writes until
    /// [`Cluster::promote`].
    ///
    /// # Errors
    ///
    /// The primary is stopped, or the standby does not start.
    pub async fn standby(&self) -> anyhow::Result<Self> {
        let (port, place) = (self.port(), self.inner.folder.parent().unwrap_or(&self.inner.folder).to_owned());
        off_the_runtime(move || Server::create(&place, |new| new.copy_primary(port))).await.map(Self::of)
    }

    /// Promotes a standby, and returns when it accepts writes.
    ///
    /// # Errors
    ///
    /// The cluster is not a standby, or is stopped.
    pub async fn promote(&self) -> anyhow::Result<()> {
        self.execute("postgres", "SELECT pg_promote()").await.map(drop)
    }

    /// Makes each commit wait for a standby of this name, or for none. Returns when the server does so.
    ///
    /// # Errors
    ///
    /// The server is stopped.
    pub async fn wait_for_standby(&self, name: &str) -> anyhow::Result<()> {
        self.execute("postgres", &format!("ALTER SYSTEM SET synchronous_standby_names = '{name}'")).await?;
        self.execute("postgres", "SELECT pg_reload_conf()").await?;
        while self.execute("postgres", "SHOW synchronous_standby_names").await? != name {}
        if name.is_empty() { Ok(()) } else { self.until_a_commit_waits().await }
    }

    /// Commits wait once the checkpointer has read the setting, later than a new session. Ends the first one that waits.
    async fn until_a_commit_waits(&self) -> anyhow::Result<()> {
        const END: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE wait_event = 'SyncRep' AND datname = 'postgres'";
        let probes =
            async { while self.execute("postgres", "CREATE TABLE probe (); DROP TABLE probe").await.is_ok() {} };
        let end = async {
            while self.execute("postgres", END).await? == "0" {}
            Ok(())
        };
        tokio::join!(probes, end).1
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
        self.database_from(EMPTY).await
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
        let mut copied = self.database_from(template).await;
        if is_missing(&copied) {
            self.make_template(template, fill).await?;
            copied = self.database_from(template).await;
        }
        let end = Instant::now() + NAMED_WITHIN;
        while is_missing(&copied) && Instant::now() < end {
            sleep(TRY_INTERVAL).await;
            copied = self.database_from(template).await;
        }
        copied
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
        match self.name_template(filled.name, template).await {
            Err(error) if !error.to_string().contains("already exists") => Err(error),
            _ => Ok(()),
        }
    }

    async fn name_template(&self, filled: String, template: &str) -> anyhow::Result<()> {
        if self.inner.is_coordinator {
            let (inner, template) = (Arc::clone(&self.inner), template.to_owned());
            return off_the_runtime(move || coordinator::name_template(&inner, &filled, &template)).await;
        }
        self.execute("postgres", &format!("ALTER DATABASE {filled} RENAME TO {template}")).await.map(drop)
    }

    async fn database_from(&self, template: &str) -> anyhow::Result<Database> {
        let number = self.inner.databases.fetch_add(1, Ordering::Relaxed);
        // The process id says whom the sweeper waits for. A long run of tests uses an id again, so it is not enough.
        let random = RandomState::new().hash_one(number);
        let name = format!("{DATABASES}{}_{random:x}_{number}", std::process::id());
        let database = Database { url: format!("postgres://postgres@127.0.0.1:{}/{name}", self.port()), name };
        if self.inner.is_coordinator {
            let (inner, name, template) = (Arc::clone(&self.inner), database.name.clone(), template.to_owned());
            let make = move || match template.as_str() {
                EMPTY => coordinator::make_database(&inner, &name),
                template => coordinator::copy_database(&inner, template, &name),
            };
            off_the_runtime(make).await?;
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

    /// How many rows, and entries of indexes, the server has read since `pg_stat_reset()`, in the tables with names
    /// that start with `tables`. A connection reports its counts when it is closed, so this waits until Gatepost's
    /// connections are closed.
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
    /// As for these two.
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

    /// Writes all data to the disk, and returns the folders with it: one for each node.
    ///
    /// # Errors
    ///
    /// The server is stopped.
    pub async fn folders_on_disk(&self) -> anyhow::Result<Vec<PathBuf>> {
        let inner = Arc::clone(&self.inner);
        off_the_runtime(move || {
            let ports = if inner.is_coordinator { coordinator::ports(&inner)? } else { vec![inner.port] };
            let flush = ["CHECKPOINT", "SHOW data_directory"];
            ports.into_iter().map(|port| inner.psql_at(port, "postgres", &flush).map(PathBuf::from)).collect()
        })
        .await
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

fn is_missing<T>(outcome: &anyhow::Result<T>) -> bool {
    matches!(outcome, Err(error) if error.to_string().contains("does not exist"))
}

async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    tokio::task::spawn_blocking(work).await.context("the work panicked")?
}
