//! The promises of the storage ports on SQLite, and the promises of this adapter only.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use adapters_sqlite::{OpenError, SqliteSettings, SqliteStore};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use domain::audit::AuditFilter;
use domain::ports::{AuditLog, Close as _, MigrateError, ReadinessCheck, Schema as _};
use storage_conformance::audit::AuditedStores;
use storage_conformance::catalogue::CatalogueStore;
use storage_conformance::owners::OwnedStores;
use storage_conformance::{KeyPorts, SessionPorts, WebhookStore};
use tempfile::TempDir;

mod webhooks;

async fn open(path: &Path) -> SqliteStore {
    try_open(path.to_owned()).await.unwrap()
}

async fn try_open(path: PathBuf) -> Result<SqliteStore, OpenError> {
    SqliteStore::open(SqliteSettings { path, readers: 2 }).await
}

async fn migrated(path: &Path) -> SqliteStore {
    let store = open(path).await;
    store.migrate().await.unwrap();
    store
}

/// A fresh store, and its folder.
async fn fresh_store() -> (SqliteStore, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (migrated(&folder.path().join("test.db")).await, folder)
}

/// A fresh store as these ports, and its folder.
async fn fresh<Ports: ?Sized>(as_ports: impl FnOnce(Arc<SqliteStore>) -> Arc<Ports>) -> (Arc<Ports>, TempDir) {
    let (store, folder) = fresh_store().await;
    (as_ports(Arc::new(store)), folder)
}

/// A connection of another program to the database of a fresh store.
fn shell(folder: &TempDir) -> SqliteConnection {
    SqliteConnection::establish(folder.path().join("test.db").to_str().unwrap()).unwrap()
}

mod promises {
    use super::*;

    storage_conformance::key_store_tests!(fresh::<dyn KeyPorts>(|store| store));
}

mod session_promises {
    use super::*;

    storage_conformance::session_store_tests!(fresh::<dyn SessionPorts>(|store| store));
}

mod owner_promises {
    use super::*;

    storage_conformance::owner_store_tests!(fresh(|store| Arc::new(OwnedStores::of(&store))));
}

mod audit_promises {
    use super::*;

    storage_conformance::audit_log_tests!(fresh(|store| Arc::new(AuditedStores::of(&store))));
}

mod catalogue_promises {
    use super::*;

    storage_conformance::catalogue_tests!(fresh(|store| Arc::new(CatalogueStore::of(&store))));
}

mod webhook_promises {
    use super::*;

    storage_conformance::webhook_store_tests!(fresh::<dyn WebhookStore>(|store| store));

    #[tokio::test]
    async fn publications_claim_for_the_dispatcher() {
        let (store, _folder) = fresh::<dyn WebhookStore>(|store| store).await;
        storage_conformance::webhooks::direct_claims::publications_claim_for_the_dispatcher(store).await;
    }
}

#[tokio::test]
async fn what_was_answered_outlives_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let store = migrated(&path).await;
    let written = storage_conformance::keys::durability::write(&store).await;
    let sessions = storage_conformance::sessions::durability::write(&store).await;
    // The state after a killed process: a log next to the file.
    let left = tempfile::tempdir().unwrap();
    for name in ["test.db", "test.db-wal"] {
        std::fs::copy(folder.path().join(name), left.path().join(name)).unwrap();
    }
    let restored = open(&left.path().join("test.db")).await;
    written.expect_in(&restored).await;
    sessions.expect_in(&restored).await;
    store.close().await;
    let reopened = open(&path).await;
    written.expect_in(&reopened).await;
    sessions.expect_in(&reopened).await;
}

#[tokio::test]
async fn only_the_owner_of_the_process_may_read_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("a/b");
    let store = migrated(&data.join("test.db")).await;
    store.check().await.unwrap();
    let modes = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(modes(&data), 0o700);
    for name in ["test.db", "test.db-wal", "test.db-shm", "test.db.lock"] {
        assert_eq!(modes(&data.join(name)), 0o600, "{name}");
    }
    store.close().await;
}

#[tokio::test]
async fn the_schema_is_brought_up_to_date_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let store = open(&path).await;
    let names = |status: Vec<domain::ports::MigrationStatus>, applied| {
        status.into_iter().filter(|one| one.applied == applied).map(|one| one.name).collect::<Vec<_>>()
    };
    let pending = names(store.status().await.unwrap(), false);
    assert!(pending.contains(&"20261121000001_create_api_keys".to_owned()), "{pending:?}");
    assert!(store.check().await.is_err());
    assert_eq!(store.migrate().await.unwrap(), pending);
    assert_eq!(names(store.status().await.unwrap(), true), pending);
    assert!(store.migrate().await.unwrap().is_empty());
    store.check().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_several_that_open_a_new_file_at_once_one_opens_it() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let starts = (0..8).map(|_| tokio::spawn(try_open(path.clone())));
        let (mut opened, mut refused) = (Vec::new(), 0);
        for start in starts.collect::<Vec<_>>() {
            match start.await.unwrap() {
                Ok(store) => opened.push(store),
                Err(OpenError::InUse { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!((opened.len(), refused), (1, 7));
        assert!(!opened[0].migrate().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_file_is_refused_by_whatever_path_while_it_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = data.join("test.db");
    let store = migrated(&path).await;
    symlink(&data, folder.path().join("linked")).unwrap();
    symlink(&path, folder.path().join("linked.db")).unwrap();
    for other in ["data/test.db", "data/../data/./test.db", "linked/test.db", "linked.db"] {
        let refused = try_open(folder.path().join(other)).await.map(drop);
        let holder = std::process::id();
        assert!(matches!(refused, Err(OpenError::InUse { process: Some(id) }) if id == holder), "{other}: {refused:?}");
    }
    assert!(adapters_sqlite::migrations_of(path.clone()).await.unwrap().iter().all(|migration| migration.applied));
    let mut shell = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    let backup = folder.path().join("backup.db");
    shell.batch_execute(&format!("SELECT count(*) FROM api_keys; VACUUM INTO '{}'", backup.display())).unwrap();
    open(&backup).await.check().await.unwrap();
    store.close().await;
    try_open(folder.path().join("linked.db")).await.unwrap().close().await;
}

#[tokio::test]
async fn a_store_that_is_dropped_gives_its_file_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    drop(migrated(&path).await);
    // The thread of its writer ends a moment later.
    for _ in 0..1_000 {
        match try_open(path.clone()).await {
            Ok(_) => return,
            Err(OpenError::InUse { .. }) => tokio::time::sleep(Duration::from_millis(10)).await,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the file is still locked after ten seconds");
}

#[tokio::test]
async fn a_link_to_a_file_that_does_not_exist_yet_makes_the_file() {
    let folder = tempfile::tempdir().unwrap();
    symlink(folder.path().join("test.db"), folder.path().join("linked.db")).unwrap();
    let store = open(&folder.path().join("linked.db")).await;
    assert!(folder.path().join("test.db").exists());
    assert!(matches!(try_open(folder.path().join("test.db")).await.map(drop), Err(OpenError::InUse { .. })));
    store.close().await;
}

#[tokio::test]
async fn a_file_that_does_not_exist_has_no_migration_and_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let migrations = adapters_sqlite::migrations_of(path.clone()).await.unwrap();
    assert!(!migrations.is_empty() && migrations.iter().all(|migration| !migration.applied));
    assert!(!path.exists());
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let (store, folder) = fresh_store().await;
    let mut newer = shell(&folder);
    newer.batch_execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')").unwrap();
    for refused in [store.migrate().await.map(drop), store.status().await.map(drop)] {
        assert!(matches!(&refused, Err(MigrateError::Newer { version }) if version == "99990101000000"), "{refused:?}");
    }
    assert!(store.check().await.is_ok(), "an instance that runs already serves on while others are upgraded");
}

#[tokio::test]
async fn another_process_that_holds_the_lock_is_waited_for_and_then_reported() {
    let (store, folder) = fresh_store().await;
    let mut other = shell(&folder);
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let waiting = tokio::time::Instant::now();
    assert!(store.check().await.is_err());
    assert!(waiting.elapsed() < Duration::from_secs(5));
    let (checked, ()) = tokio::join!(store.check(), async { other.batch_execute("COMMIT").unwrap() });
    checked.unwrap();
}

/// See decision 100.
#[tokio::test]
async fn what_a_later_version_announces_is_left_to_it() {
    let (store, folder) = fresh_store().await;
    let mut other = shell(&folder);
    let insert = |id: &str, action: &str| {
        format!(
            "INSERT INTO audit_events VALUES (x'{id}000000000000000000000000000000', 'https://id.example', 'alice',
                'service', NULL, NULL, 'service', '{action}', 'keys', '[]', NULL, NULL, TRUE);"
        )
    };
    other.batch_execute(&format!("{}{}", insert("01", "key.archived"), insert("02", "key.leaked"))).unwrap();
    let unannounced = AuditLog::list_unannounced(&store, 1).await.unwrap();
    let actions: Vec<&str> = unannounced.iter().map(|event| event.action.as_str()).collect();
    assert_eq!(actions, ["key.leaked"]);
    let all = AuditLog::list(&store, &AuditFilter::default(), None, 10).await.unwrap().events;
    let actions: Vec<&str> = all.iter().map(|event| event.action.as_str()).collect();
    assert_eq!(actions, ["key.leaked", "key.archived"], "all are shown");
}
