use std::path::{Path, PathBuf};

use tempfile::TempDir;
use throwaway_postgres::{Cluster, ClusterSettings, Database, Pooler};

/// The `pool_mode` of a PgBouncer in front of every Postgres of the suite: `session` or `transaction`. Without it, there
/// is none.
const POOL_MODE: &str = "GATEPOST_TEST_POOL_MODE";
/// The `DATABASE_SHARDS` of every Postgres of the suite. Without it, a database has one shard.
const SHARDS: &str = "GATEPOST_TEST_SHARDS";
/// The `DATABASE_POOL_SIZE` of several shards, which share a server.
const POOL_SIZE: usize = 4;
/// The connections that three instances open to a shard.
const CONNECTIONS_OF_A_SHARD: usize = 3 * (POOL_SIZE + 9);
/// The sessions of a shard behind a PgBouncer: enough for four instances if each of their connections keeps one.
const POOLED_SESSIONS: usize = 120;

/// A fresh database for one test.
pub(crate) struct Storage {
    url: String,
    shards: usize,
    files: PathBuf,
    /// The servers and the databases in them, in the order of the URL. A file has none.
    servers: Vec<(Cluster, Database)>,
    pooler: Option<Pooler>,
    _folder: Option<TempDir>,
}

impl Storage {
    pub(crate) fn sqlite() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let (url, files) = (format!("sqlite://{}/gatepost.db", folder.path().display()), folder.path().to_owned());
        Self { url, shards: 1, files, servers: Vec::new(), pooler: None, _folder: Some(folder) }
    }

    pub(crate) async fn postgres() -> Self {
        Self::postgres_in(Cluster::shared().await.expect("a Postgres server").clone()).await
    }

    /// On a new server, which survives a crash of its machine, and takes this number of connections for each shard. The
    /// shared server is faster.
    pub(crate) async fn durable_postgres(connections_max: usize) -> Self {
        Self::direct(durable_server(connections_max * shards_of_the_suite()).await).await
    }

    pub(crate) async fn postgres_in(cluster: Cluster) -> Self {
        let database = cluster.database().await.expect("a database");
        match pool_mode() {
            Some(mode) => Self::pooled_for_good(cluster, &database, &mode),
            None => Self::on_server(cluster, database),
        }
    }

    /// Without the PgBouncer of the suite: for tests that name the server, or change its settings, which sessions of
    /// the PgBouncer would not show.
    pub(crate) async fn direct(cluster: Cluster) -> Self {
        let database = cluster.database().await.expect("a database");
        Self::on_server(cluster, database)
    }

    /// The PgBouncer ends with the process: a test may drop the storage before its instances end.
    fn pooled_for_good(cluster: Cluster, database: &Database, mode: &str) -> Self {
        let sessions = POOLED_SESSIONS * shards_of_the_suite();
        let mut storage =
            Self::pooled(cluster, database, &format!("pool_mode = {mode}\ndefault_pool_size = {sessions}"));
        std::mem::forget(storage.pooler.take());
        storage
    }

    /// The database behind a PgBouncer with these settings.
    pub(crate) fn pooled(cluster: Cluster, database: &Database, settings: &str) -> Self {
        let pooler = Pooler::start(&cluster, settings).expect("PgBouncer starts");
        let storage = Self::on_server(cluster, pooler.before(database));
        Self { pooler: Some(pooler), ..storage }
    }

    pub(crate) fn on_server(cluster: Cluster, database: Database) -> Self {
        let (url, files, shards) = (database.url.clone(), cluster.data_folder(), shards_of_the_suite());
        Self { url, shards, files, servers: vec![(cluster, database)], pooler: None, _folder: None }
    }

    /// The same with one shard, however many the suite has.
    pub(crate) fn undivided(self) -> Self {
        Self { shards: 1, ..self }
    }

    /// This number of shards in these databases, which Gatepost treats as different servers.
    pub(crate) fn divided(databases: &[Self], shards: usize) -> Self {
        let urls: Vec<String> = databases.iter().map(Self::url).collect();
        let servers = databases.iter().flat_map(|one| one.servers.clone()).collect();
        let files = databases[0].files.clone();
        Self { url: urls.join(" "), shards, files, servers, pooler: None, _folder: None }
    }

    /// The same Postgres database, reached by a list of hosts in which `first` comes first.
    pub(crate) fn behind(&self, first: &Cluster) -> Self {
        let (cluster, database) = self.server().expect("only Postgres has several hosts");
        let address = format!("127.0.0.1:{}", cluster.port());
        let url = database.url.replace(&address, &format!("127.0.0.1:{},{address}", first.port()));
        let database = Database { url, name: database.name.clone() };
        Self { shards: self.shards, ..Self::on_server(cluster.clone(), database) }
    }

    /// The PgBouncer in front of the database.
    pub(crate) fn pooler(&self) -> Option<&Pooler> {
        self.pooler.as_ref()
    }

    /// The value of `DATABASE_URL`.
    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// The value of `DATABASE_SHARDS`.
    pub(crate) fn shards(&self) -> usize {
        self.shards
    }

    /// The settings that name the database. Each shard has a pool, and many of them share a server.
    pub(crate) fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![("DATABASE_URL", self.url()), ("DATABASE_SHARDS", self.shards.to_string())];
        if self.shards > 1 {
            settings.push(("DATABASE_POOL_SIZE", POOL_SIZE.to_string()));
        }
        settings
    }

    /// The schema of a shard.
    pub(crate) fn schema(&self, shard: usize) -> String {
        if self.shards > 1 { format!("gatepost_shard_{shard}") } else { "public".to_owned() }
    }

    /// The answer of a shard's database to a statement, which finds the tables of the shard.
    pub(crate) async fn execute(&self, shard: usize, statement: &str) -> String {
        let (cluster, database) = &self.servers[shard * self.servers.len() / self.shards];
        // Citus refuses some statements after another one in the same message.
        let session = format!("dbname={} options=-csearch_path={}", database.name, self.schema(shard));
        cluster.execute(&session, statement).await.expect("the database obeys").trim().to_owned()
    }

    /// Runs a statement in each shard.
    pub(crate) async fn execute_in_each(&self, statement: &str) {
        for shard in 0..self.shards {
            self.execute(shard, statement).await;
        }
    }

    /// The folder with every file of the database.
    pub(crate) fn files(&self) -> &Path {
        &self.files
    }

    /// The first Postgres server and the database in it.
    pub(crate) fn server(&self) -> Option<(&Cluster, &Database)> {
        self.servers.first().map(|(cluster, database)| (cluster, database))
    }
}

/// A server that no other test uses, with room for three instances.
pub(crate) async fn own_server() -> Cluster {
    let wanted = CONNECTIONS_OF_A_SHARD * shards_of_the_suite();
    let mut settings = ClusterSettings::default();
    settings.connections_max = settings.connections_max.max(number(wanted));
    Cluster::start(settings).await.expect("a Postgres server")
}

/// The same, which survives a crash of its machine.
pub(crate) async fn durable_server(connections_max: usize) -> Cluster {
    let settings = ClusterSettings { durable: true, connections_max: number(connections_max) };
    Cluster::start(settings).await.expect("a Postgres server")
}

fn number(connections: usize) -> u32 {
    u32::try_from(connections).expect("a number of connections")
}

#[expect(clippy::disallowed_methods, reason = "the suite runs as it is, or behind a pooler")]
fn pool_mode() -> Option<String> {
    std::env::var(POOL_MODE).ok()
}

#[expect(clippy::disallowed_methods, reason = "the suite runs as it is, or over several shards")]
fn shards_of_the_suite() -> usize {
    std::env::var(SHARDS).map_or(1, |shards| shards.parse().expect("a number of shards"))
}

/// Makes two tests of each named `async fn(Storage)`: `sqlite::name` and `postgres::name`.
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    super::$name(crate::harness::Storage::sqlite()).await;
                }
            )+
        }
        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    super::$name(crate::harness::Storage::postgres().await).await;
                }
            )+
        }
    };
}
pub(crate) use on_both_databases;
