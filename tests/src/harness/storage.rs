use std::path::PathBuf;

use tempfile::TempDir;
use throwaway_postgres::{Cluster, Database};

/// A fresh database for one test.
pub(crate) enum Storage {
    Sqlite { folder: TempDir },
    Postgres { cluster: Cluster, database: Database },
}

impl Storage {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite { folder: TempDir::new().expect("a temporary folder") }
    }

    pub(crate) async fn postgres() -> Self {
        Self::postgres_in(Cluster::shared().await.expect("a Postgres server").clone()).await
    }

    pub(crate) async fn postgres_in(cluster: Cluster) -> Self {
        let database = cluster.database().await.expect("a database");
        Self::Postgres { cluster, database }
    }

    /// The same Postgres database, reached by a list of hosts in which `first` comes first.
    pub(crate) fn behind(&self, first: &Cluster) -> Self {
        let Self::Postgres { cluster, database } = self else { panic!("only Postgres has several hosts") };
        let address = format!("127.0.0.1:{}", cluster.port());
        let url = database.url.replace(&address, &format!("127.0.0.1:{},{address}", first.port()));
        Self::Postgres { cluster: cluster.clone(), database: Database { url, name: database.name.clone() } }
    }

    /// The value of `DATABASE_URL`.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite { folder } => format!("sqlite://{}", folder.path().join("gatepost.db").display()),
            Self::Postgres { database, .. } => database.url.clone(),
        }
    }

    /// The folder with every file of the database.
    pub(crate) fn files(&self) -> PathBuf {
        match self {
            Self::Sqlite { folder } => folder.path().to_owned(),
            Self::Postgres { cluster, .. } => cluster.data_folder(),
        }
    }
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
