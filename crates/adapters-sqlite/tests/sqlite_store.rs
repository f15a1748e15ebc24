//! The promises of the storage ports on SQLite, and what only this adapter promises.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use adapters_sqlite::{SqliteSettings, SqliteStore};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use diesel_mapping::MigrateError;
use domain::ports::{KeyStore, ReadinessCheck};
use tempfile::TempDir;

mod webhooks;

async fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(SqliteSettings { path: path.to_owned(), readers: 2 }).await.unwrap()
}

async fn migrated(path: &Path) -> SqliteStore {
    let store = open(path).await;
    store.migrate().await.unwrap();
    store
}

mod promises {
    use super::*;

    async fn fresh() -> (Arc<dyn KeyStore>, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        (Arc::new(migrated(&folder.path().join("test.db")).await), folder)
    }

    storage_conformance::key_store_tests!(fresh());
}

mod webhook_promises {
    use storage_conformance::WebhookStore;

    use super::*;

    async fn fresh() -> (Arc<dyn WebhookStore>, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        (Arc::new(migrated(&folder.path().join("test.db")).await), folder)
    }

    storage_conformance::webhook_store_tests!(fresh());
}

#[tokio::test]
async fn what_was_answered_outlives_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let store = migrated(&path).await;
    let written = storage_conformance::durability::write(&store).await;
    // Not closed: the second one finds what a killed process leaves, a log beside the file.
    written.expect_in(&open(&path).await).await;
    store.close().await;
    written.expect_in(&open(&path).await).await;
}

#[tokio::test]
async fn only_the_owner_of_the_process_may_read_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("a/b");
    let store = migrated(&data.join("test.db")).await;
    store.check().await.unwrap();
    let modes = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(modes(&data), 0o700);
    for name in ["test.db", "test.db-wal", "test.db-shm"] {
        assert_eq!(modes(&data.join(name)), 0o600, "{name}");
    }
    store.close().await;
}

#[tokio::test]
async fn the_schema_is_brought_up_to_date_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let store = open(&path).await;
    let names = |status: Vec<diesel_mapping::MigrationStatus>, applied| {
        status.into_iter().filter(|one| one.applied == applied).map(|one| one.name).collect::<Vec<_>>()
    };
    let pending = names(store.migrations().await.unwrap(), false);
    assert!(pending.contains(&"20261121000002_create_api_keys".to_owned()), "{pending:?}");
    assert!(store.check().await.is_err());
    assert_eq!(store.migrate().await.unwrap(), pending);
    assert_eq!(names(store.migrations().await.unwrap(), true), pending);
    assert!(store.migrate().await.unwrap().is_empty());
    store.check().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn processes_that_start_at_once_apply_each_migration_once() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let starts = (0..8).map(|_| {
            let path = path.clone();
            tokio::spawn(async move { open(&path).await.migrate().await.unwrap() })
        });
        let mut applied = Vec::new();
        for start in starts.collect::<Vec<_>>() {
            applied.append(&mut start.await.unwrap());
        }
        let migrations = open(&path).await.migrations().await.unwrap();
        assert_eq!(applied, migrations.into_iter().map(|migration| migration.name).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let store = migrated(&path).await;
    let mut newer = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    newer.batch_execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')").unwrap();
    for refused in [store.migrate().await.map(drop), store.migrations().await.map(drop)] {
        assert!(matches!(&refused, Err(MigrateError::Newer { version }) if version == "99990101000000"), "{refused:?}");
    }
    assert!(store.check().await.is_ok(), "an instance that runs already serves on while others are upgraded");
}

#[tokio::test]
async fn another_process_that_holds_the_lock_is_waited_for_and_then_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let store = migrated(&path).await;
    let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let waiting = tokio::time::Instant::now();
    assert!(store.check().await.is_err());
    assert!(waiting.elapsed() < std::time::Duration::from_secs(5));
    let (checked, ()) = tokio::join!(store.check(), async { other.batch_execute("COMMIT").unwrap() });
    checked.unwrap();
}
