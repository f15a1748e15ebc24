//! A database with the tables of Gatepost for each test. The first test of a run migrates the template of all.

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::ports::{Close as _, Schema as _};
use throwaway_postgres::{Cluster, Database};

/// The template of migrated databases in a cluster.
const TEMPLATE: &str = "gatepost";

pub(crate) async fn migrated() -> Database {
    let cluster = Cluster::shared().await.expect("a server starts");
    let migrate = async |empty: &Database| {
        let store = PostgresStore::open(PostgresSettings { url: empty.url.clone(), pool_size: 1 }).await?;
        store.migrate().await?;
        store.close().await;
        Ok(())
    };
    let Database { url, name } = cluster.copy_of(TEMPLATE, migrate).await.expect("a migrated database");
    // Else each test would read the certificate authorities of the system, which takes longer than most promises.
    Database { url: format!("{url}?sslmode=disable"), name }
}
