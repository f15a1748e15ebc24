//! The promises hold on a server whose transactions are serializable unless they say otherwise, and which ends one
//! changing statement in 23 with a conflict (40001), as Postgres and what speaks its protocol may at any time.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::Arc;

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::ports::{KeyStore, Schema as _, SessionStore};
use storage_conformance::WebhookStore;
use storage_conformance::audit::AuditedStores;
use throwaway_postgres::{Cluster, Database};

/// Ends one in 23 of the statements that change a table. A sequence keeps its number when a transaction ends, so the next
/// attempt succeeds.
const CONFLICTS: &str = "
    CREATE SEQUENCE conflicts;
    CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('conflicts') % 23 = 0 THEN
            RAISE EXCEPTION 'a conflict of the test' USING ERRCODE = 'serialization_failure';
        END IF;
        RETURN NULL;
    END $$;
    DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
            AND relnamespace = 'public'::regnamespace AND relname <> '__diesel_schema_migrations'
        LOOP
            EXECUTE format('CREATE TRIGGER conflict AFTER INSERT OR UPDATE OR DELETE ON %I
                FOR EACH STATEMENT EXECUTE FUNCTION conflict()', name);
        END LOOP;
    END $$";

async fn fresh() -> (Arc<PostgresStore>, Database) {
    let cluster = Cluster::shared().await.unwrap();
    let database = cluster.database().await.unwrap();
    let strict = format!("ALTER DATABASE {} SET default_transaction_isolation = 'serializable'", database.name);
    cluster.execute("postgres", &strict).await.unwrap();
    let store = PostgresStore::open(PostgresSettings { url: database.url.clone(), pool_size: 8 }).await.unwrap();
    store.migrate().await.unwrap();
    cluster.execute(&database.name, CONFLICTS).await.unwrap();
    (Arc::new(store), database)
}

mod key_promises {
    use super::*;

    async fn fresh_store() -> (Arc<dyn KeyStore>, Database) {
        let (store, database) = fresh().await;
        (store, database)
    }

    storage_conformance::key_store_tests!(fresh_store());
}

mod session_promises {
    use super::*;

    async fn fresh_store() -> (Arc<dyn SessionStore>, Database) {
        let (store, database) = fresh().await;
        (store, database)
    }

    storage_conformance::session_store_tests!(fresh_store());
}

mod audit_promises {
    use super::*;

    async fn fresh_stores() -> (Arc<AuditedStores>, Database) {
        let (store, database) = fresh().await;
        (Arc::new(AuditedStores::of(&store)), database)
    }

    storage_conformance::audit_log_tests!(fresh_stores());
}

mod webhook_promises {
    use super::*;

    async fn fresh_store() -> (Arc<dyn WebhookStore>, Database) {
        let (store, database) = fresh().await;
        (store, database)
    }

    storage_conformance::webhook_store_tests!(fresh_store());
}
