//! The promises of the ports of webhooks on Postgres, and the promises of this adapter only: exactness over many
//! instances, nothing lost with a connection, and plans that do not depend on the number of waiting deliveries.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use domain::ports::Schema as _;
use std::sync::Arc;

use adapters_postgres::{PostgresSettings, PostgresStore};
use storage_conformance::WebhookStore;
use throwaway_postgres::{Cluster, Database};

async fn open(url: &str) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: url.to_owned(), pool_size: 8 }).await.unwrap()
}

mod promises {
    use super::*;

    async fn fresh() -> (Arc<dyn WebhookStore>, Database) {
        let database = Cluster::shared().await.unwrap().database().await.unwrap();
        let store = open(&database.url).await;
        store.migrate().await.unwrap();
        (Arc::new(store), database)
    }

    storage_conformance::webhook_store_tests!(fresh());
}
