//! A database with the tables of Gatepost for each test. The first test of a run migrates the template of all.

use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::ports::{Close as _, Schema as _};
use throwaway_postgres::{Cluster, Database};
use tokio_postgres::Client;

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

pub(crate) async fn connect(database: &Database) -> Client {
    let (client, connection) = tokio_postgres::connect(&database.url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Returns when this number of connections of stores of this database wait for locks.
pub(crate) async fn until_calls_wait(raw: &Client, count: usize) {
    const WAITING: &str = "SELECT FROM pg_stat_activity
        WHERE application_name = 'gatepost' AND datname = current_database() AND wait_event_type = 'Lock'";
    while raw.query(WAITING, &[]).await.unwrap().len() < count {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
