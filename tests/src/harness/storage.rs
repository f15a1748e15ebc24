use std::path::{Path, PathBuf};

use tempfile::TempDir;
use throwaway_postgres::{Cluster, ClusterSettings, Database, Pooler};

/// The `pool_mode` of a PgBouncer in front of every Postgres of the suite: `session` or `transaction`. Without it, there
/// is none.
const POOL_MODE: &str = "GATEPOST_TEST_POOL_MODE";
/// The `DATABASE_SHARDS` of every Postgres of the suite. Without it, a database has one shard.
const SHARDS: &str = "GATEPOST_TEST_SHARDS";

/// A fresh database for one test.
pub(crate) struct Storage {
    url: String,
    shards: usize,
    files: PathBuf,
    /// The server and the database in it, if there is a server.
    server: Option<(Cluster, Database)>,
    pooler: Option<Pooler>,
    _folder: Option<TempDir>,
}

impl Storage {
    pub(crate) fn sqlite() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let url = format!("sqlite://{}", folder.path().join("gatepost.db").display());
        Self { url, shards: 1, files: folder.path().to_owned(), server: None, pooler: None, _folder: Some(folder) }
    }

    pub(crate) async fn postgres() -> Self {
        Self::postgres_in(Cluster::shared().await.expect("a Postgres server").clone()).await
    }

    /// On a new server, which loses nothing when its machine crashes. The shared server is faster.
    pub(crate) async fn durable_postgres(connections_max: u32) -> Self {
        let settings = ClusterSettings { durable: true, connections_max };
        Self::postgres_in(Cluster::start(settings).await.expect("a Postgres server")).await
    }

    pub(crate) async fn postgres_in(cluster: Cluster) -> Self {
        let database = cluster.database().await.expect("a database");
        match pool_mode() {
            Some(mode) => Self::pooled_for_good(cluster, &database, &mode),
            None => Self::on_server(cluster, database),
        }
    }

    /// The PgBouncer ends with the process: a test may drop the storage before its instances end.
    fn pooled_for_good(cluster: Cluster, database: &Database, mode: &str) -> Self {
        let mut storage = Self::pooled(cluster, database, &format!("pool_mode = {mode}\ndefault_pool_size = 60"));
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
        let (url, files) = (database.url.clone(), cluster.data_folder());
        let shards = shards_of_the_suite().unwrap_or(1);
        Self { url, shards, files, server: Some((cluster, database)), pooler: None, _folder: None }
    }

    /// So many shards in these databases, which Gatepost takes for different servers.
    pub(crate) fn divided(databases: &[Self], shards: usize) -> Self {
        let (cluster, database) = databases[0].server().expect("only Postgres has several shards");
        let first =
            Self::on_server(cluster.clone(), Database { url: database.url.clone(), name: database.name.clone() });
        let urls: Vec<String> = databases.iter().map(Self::url).collect();
        Self { url: urls.join(" "), shards, ..first }
    }

    /// The same Postgres database, reached by a list of hosts in which `first` comes first.
    pub(crate) fn behind(&self, first: &Cluster) -> Self {
        let (cluster, database) = self.server().expect("only Postgres has several hosts");
        let address = format!("127.0.0.1:{}", cluster.port());
        let url = database.url.replace(&address, &format!("127.0.0.1:{},{address}", first.port()));
        Self::on_server(cluster.clone(), Database { url, name: database.name.clone() })
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

    /// The folder with every file of the database.
    pub(crate) fn files(&self) -> &Path {
        &self.files
    }

    /// The Postgres server and the database in it.
    pub(crate) fn server(&self) -> Option<(&Cluster, &Database)> {
        self.server.as_ref().map(|(cluster, database)| (cluster, database))
    }
}

#[expect(clippy::disallowed_methods, reason = "the suite runs as it is, or behind a pooler")]
fn pool_mode() -> Option<String> {
    std::env::var(POOL_MODE).ok()
}

#[expect(clippy::disallowed_methods, reason = "the suite runs as it is, or over several shards")]
pub(crate) fn shards_of_the_suite() -> Option<usize> {
    std::env::var(SHARDS).ok()?.parse().ok()
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
