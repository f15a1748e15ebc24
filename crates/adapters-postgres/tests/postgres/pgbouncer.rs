//! Migrations, shards and limits of time behind a PgBouncer that gives each transaction another session. The promises of the
//! ports hold there too: see `conflicts_behind_pgbouncer.rs`.

use std::sync::Arc;
use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore, Shard};
use domain::Hour;
use domain::ports::{EventTypes, OwnerStore, Retained, Retention as _, Schema as _};
use futures_util::future::{try_join, try_join_all};
use storage_conformance::requests::user;
use throwaway_postgres::{Cluster, Database, Pooler};
use tokio::time::timeout;

use crate::databases;

/// Sessions take turns, so that each transaction is likely to meet a session that others have used.
pub(crate) const TURNS: &str =
    "pool_mode = transaction\ndefault_pool_size = 8\nmin_pool_size = 3\nserver_round_robin = 1";

struct Pooled {
    database: Database,
    pooler: Pooler,
}

impl Pooled {
    async fn before(database: Database, settings: &str) -> Self {
        Self { database, pooler: Pooler::start(Cluster::shared().await.unwrap(), settings).unwrap() }
    }

    async fn fresh(settings: &str) -> Self {
        Self::before(Cluster::shared().await.unwrap().database().await.unwrap(), settings).await
    }

    async fn store(&self) -> Arc<PostgresStore> {
        let url = self.pooler.before(&self.database).url;
        Arc::new(PostgresStore::open(PostgresSettings { url, pool_size: 8 }).await.unwrap())
    }

    /// One of two shards.
    async fn shard(&self, number: u16) -> PostgresStore {
        let settings = PostgresSettings { url: self.pooler.before(&self.database).url, pool_size: 4 };
        let shard = Shard { number, shards: 2, server: 0 };
        PostgresStore::open_shard(settings, shard, Arc::default()).await.unwrap()
    }
}

/// Behind one session for all, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_that_start_together_migrate_once() {
    for settings in [TURNS, "pool_mode = transaction\ndefault_pool_size = 1"] {
        let pooled = Pooled::fresh(settings).await;
        let stores = [pooled.store().await, pooled.store().await, pooled.store().await];
        let migrations = stores.iter().map(|store| store.migrate());
        let applied: Vec<_> = try_join_all(migrations).await.unwrap();
        let known = stores[0].status().await.unwrap();
        assert_eq!(applied.into_iter().flatten().count(), known.len(), "{settings}");
    }
}

/// PgBouncer refuses the schema of a shard as a parameter of a connection, or takes it and ignores it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_shard_has_its_tables() {
    let session_mode = "pool_mode = session\ndefault_pool_size = 40";
    for mode in [TURNS, session_mode] {
        for parameters in ["", "\nignore_startup_parameters = options"] {
            let pooled = Pooled::fresh(&format!("{mode}{parameters}")).await;
            let (first, second) = (pooled.shard(0).await, pooled.shard(1).await);
            let migrated = first.migrate().await.unwrap();
            assert!(first.status().await.unwrap().iter().all(|one| one.applied), "{mode}{parameters}");
            assert!(second.status().await.unwrap().iter().all(|one| !one.applied), "{mode}{parameters}");
            assert_eq!(second.migrate().await.unwrap(), migrated);
            let shared = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
            let shared = Cluster::shared().await.unwrap().execute(&pooled.database.name, shared).await.unwrap();
            assert_eq!(shared, "0", "{mode}{parameters}");
        }
    }
}

/// The statements of open connections are prepared in sessions that others use now. Nevertheless each call succeeds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_succeed_after_a_change_of_the_mode() {
    let pooled = Pooled::before(databases::migrated().await, "pool_mode = session\ndefault_pool_size = 40").await;
    let store = pooled.store().await;
    let owner = user("alice");
    let call = async || {
        let types = (0..16).map(|_| EventTypes::list(&*store));
        let owners = (0..16).map(|_| OwnerStore::find(&*store, &owner));
        try_join(try_join_all(types), try_join_all(owners)).await.unwrap();
    };
    call().await;
    pooled.pooler.change(TURNS).unwrap();
    for _ in 0..5 {
        call().await;
    }
}

/// The server ends a statement without a waiting caller, even though no session has the limit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_are_limited_in_time() {
    let pooled = Pooled::before(databases::migrated().await, TURNS).await;
    let store = pooled.store().await;
    let cluster = Cluster::shared().await.unwrap();
    let slow = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
        CREATE TRIGGER slow BEFORE DELETE ON usage_by_hour FOR EACH STATEMENT EXECUTE FUNCTION slow()";
    cluster.execute(&pooled.database.name, slow).await.unwrap();
    store.purge(Retained::KeyUsage, Hour::from_number(1).start(), 1).await.unwrap_err();
    let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
        AND pid <> pg_backend_pid()";
    let ended = async { while cluster.execute(&pooled.database.name, sleeping).await.unwrap() != "0" {} };
    timeout(Duration::from_secs(20), ended).await.expect("the server ends the statement");
}
