//! Copies of the database, and their restoration. See decision 75.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use adapters_sqlite::{BackupError, OpenError, SqliteSettings, SqliteStore, back_up, restore};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use domain::ports::{Close as _, Schema as _};
use storage_conformance::{keys, sessions, webhooks};
use tempfile::TempDir;

async fn store(path: &Path) -> SqliteStore {
    let store = SqliteStore::open(SqliteSettings { path: path.to_owned(), readers: 2 }).await.unwrap();
    store.migrate().await.unwrap();
    store
}

/// The names in a folder, in order.
fn names(folder: &TempDir) -> Vec<String> {
    let names = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.contains(".lock")).collect();
    names.sort();
    names
}

/// While the store is open: answered changes are in the log and not yet in the file.
#[tokio::test]
async fn a_backup_has_what_was_answered() {
    let (folder, backups, elsewhere) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir());
    let (path, copy) = (folder.path().join("gatepost.db"), backups.path().join("copy.db"));
    let serving = store(&path).await;
    let keys = keys::durability::write(&serving).await;
    let sessions = sessions::durability::write(&serving).await;
    let webhooks = webhooks::durability::write(&serving).await;
    let bytes = back_up(path, copy.clone()).await.unwrap();
    let written = fs::metadata(&copy).unwrap();
    assert_eq!((written.len(), written.permissions().mode() & 0o777), (bytes, 0o600));
    assert_eq!(names(&backups), ["copy.db"]);
    // Later changes are not in the copy.
    keys::durability::write(&serving).await;
    let path = elsewhere.unwrap().path().join("new/gatepost.db");
    assert_eq!(restore(copy, path.clone(), false).await.unwrap(), None);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    let restored = store(&path).await;
    keys.expect_in(&restored).await;
    sessions.expect_in(&restored).await;
    webhooks.expect_in(&restored).await;
}

#[tokio::test]
async fn a_backup_overwrites_nothing_and_leaves_nothing_half_done() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("gatepost.db"), folder.path().join("copy.db"));
    let missing = back_up(path.clone(), copy.clone()).await;
    assert!(matches!(missing, Err(BackupError::NoDatabase(_))), "{missing:?}");
    store(&path).await.close().await;
    fs::write(&copy, "precious").unwrap();
    let in_the_way = back_up(path.clone(), copy.clone()).await;
    assert!(matches!(in_the_way, Err(BackupError::Exists(ref file)) if *file == copy), "{in_the_way:?}");
    let nowhere = back_up(path.clone(), folder.path().join("no/folder/copy.db")).await;
    assert!(matches!(nowhere, Err(BackupError::File { .. })), "{nowhere:?}");
    let size = fs::metadata(&path).unwrap().len();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(size / 2).unwrap();
    let damaged = back_up(path, folder.path().join("other.db")).await;
    assert!(matches!(damaged, Err(BackupError::Copy(_) | BackupError::Damaged { .. })), "{damaged:?}");
    assert_eq!(fs::read_to_string(&copy).unwrap(), "precious");
    assert_eq!(names(&folder), ["copy.db", "gatepost.db"]);
}

#[tokio::test]
async fn a_database_is_replaced_on_demand_and_kept() {
    let (folder, backups) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (path, copy) = (folder.path().join("gatepost.db"), backups.path().join("copy.db"));
    let serving = store(&path).await;
    let before = keys::durability::write(&serving).await;
    back_up(path.clone(), copy.clone()).await.unwrap();
    let in_the_way = restore(copy.clone(), path.clone(), false).await;
    assert!(matches!(in_the_way, Err(BackupError::Exists(_))), "{in_the_way:?}");
    let in_use = restore(copy.clone(), path.clone(), true).await;
    assert!(matches!(in_use, Err(BackupError::Open(OpenError::InUse { .. }))), "{in_use:?}");
    let after = sessions::durability::write(&serving).await;
    // The state after a killed process: the last writes are in the log.
    let killed = tempfile::tempdir().unwrap();
    for name in ["gatepost.db", "gatepost.db-wal"] {
        fs::copy(folder.path().join(name), killed.path().join(name)).unwrap();
    }
    serving.close().await;
    let path = killed.path().join("gatepost.db");
    let replaced = restore(copy.clone(), path.clone(), true).await.unwrap().unwrap();
    assert_eq!(names(&killed), ["gatepost.db", "gatepost.db.replaced"]);
    let twice = restore(copy, path.clone(), true).await;
    assert!(matches!(twice, Err(BackupError::ReplacedExists(ref file)) if *file == replaced), "{twice:?}");
    before.expect_in(&store(&path).await).await;
    after.expect_in(&store(&replaced).await).await;
}

/// The database stays whole, and the command can be repeated, also when the service has written in between.
#[tokio::test]
async fn a_replacement_that_was_killed_loses_nothing() {
    let (folder, backups) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (path, copy) = (folder.path().join("gatepost.db"), backups.path().join("copy.db"));
    store(&path).await.close().await;
    back_up(path.clone(), copy.clone()).await.unwrap();
    let in_folder = |ending: &str| folder.path().join(format!("gatepost.db{ending}"));
    let serving = store(&path).await;
    let early = keys::durability::write(&serving).await;
    // Killed after it has given the database and the log second names.
    fs::hard_link(&path, in_folder(".replaced")).unwrap();
    fs::hard_link(in_folder("-wal"), in_folder(".restoring-wal")).unwrap();
    fs::write(in_folder(".restoring"), "unfinished").unwrap();
    serving.close().await;
    let serving = store(&path).await;
    early.expect_in(&serving).await;
    let late = sessions::durability::write(&serving).await;
    serving.close().await;
    let replaced = restore(copy, path.clone(), true).await.unwrap().unwrap();
    assert_eq!(names(&folder), ["gatepost.db", "gatepost.db.replaced"]);
    let old = store(&replaced).await;
    early.expect_in(&old).await;
    late.expect_in(&old).await;
}

/// The log of a database that SQLite cannot read may still be of use.
#[tokio::test]
async fn a_damaged_database_is_kept_with_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    store(&file("gatepost.db")).await.close().await;
    back_up(file("gatepost.db"), file("copy.db")).await.unwrap();
    for damaged in ["damaged", ""] {
        fs::write(file("gatepost.db"), damaged).unwrap();
        fs::write(file("gatepost.db-wal"), "log").unwrap();
        restore(file("copy.db"), file("gatepost.db"), true).await.unwrap();
        for (name, content) in [("gatepost.db.replaced", damaged), ("gatepost.db.replaced-wal", "log")] {
            assert_eq!(fs::read_to_string(file(name)).unwrap(), content, "{name}");
            fs::remove_file(file(name)).unwrap();
        }
        store(&file("gatepost.db")).await.close().await;
    }
}

/// Commands are run by root, and the service is not.
#[tokio::test]
async fn new_files_belong_to_the_owner_of_the_database_or_its_folder() {
    const SERVICE: u32 = 65_534;
    let (folder, precious) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
    let file = |name: &str| folder.path().join(name);
    if chown(folder.path(), Some(SERVICE), Some(SERVICE)).is_err() {
        // Only root can give files away.
        return;
    }
    store(&file("gatepost.db")).await.close().await;
    back_up(file("gatepost.db"), file("copy.db")).await.unwrap();
    let owner = |name: &str| fs::symlink_metadata(file(name)).unwrap().uid();
    assert_eq!(["gatepost.db", "gatepost.db.lock"].map(owner), [SERVICE; 2], "a new database");
    // The folder of a group that has the service.
    chown(folder.path(), Some(0), None).unwrap();
    restore(file("copy.db"), file("gatepost.db"), true).await.unwrap();
    assert_eq!(["gatepost.db", "gatepost.db.lock"].map(owner), [SERVICE; 2], "a replaced database");
    // The service could lead a command of root elsewhere.
    fs::remove_file(file("gatepost.db.lock")).unwrap();
    std::os::unix::fs::symlink(precious.path(), file("gatepost.db.lock")).unwrap();
    fs::remove_file(file("gatepost.db.replaced")).unwrap();
    let led = restore(file("copy.db"), file("gatepost.db"), true).await;
    assert!(matches!(led, Err(BackupError::Open(OpenError::Lock { .. }))), "{led:?}");
    let kept = fs::metadata(precious.path()).unwrap();
    assert_eq!((kept.uid(), kept.len()), (0, 0), "a file of another place is not touched");
}

/// A file that is not a whole backup, or is of a later version, is refused without effect.
#[tokio::test]
async fn only_a_whole_backup_is_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    store(&file("gatepost.db")).await.close().await;
    for name in ["cut", "newer", "foreign"] {
        fs::copy(file("gatepost.db"), file(name)).unwrap();
    }
    let cut = fs::OpenOptions::new().write(true).open(file("cut")).unwrap();
    cut.set_len(fs::metadata(file("cut")).unwrap().len() / 2).unwrap();
    let change = |name: &str, sql: &str| {
        SqliteConnection::establish(file(name).to_str().unwrap()).unwrap().batch_execute(sql).unwrap();
    };
    change("newer", "INSERT INTO __diesel_schema_migrations (version) VALUES ('29990101000001')");
    change("foreign", "DROP TABLE __diesel_schema_migrations");
    fs::write(file("text"), "no database").unwrap();
    let refused = async |name| restore(file(name), file("restored.db"), false).await.unwrap_err();
    for name in ["cut", "foreign", "text"] {
        let error = refused(name).await;
        assert!(matches!(error, BackupError::Damaged { .. }), "{name}: {error:?}");
    }
    let newer = refused("newer").await;
    assert!(matches!(newer, BackupError::Schema { .. }), "{newer:?}");
    let missing = refused("missing").await;
    assert!(matches!(missing, BackupError::NoBackup(_)), "{missing:?}");
    assert!(!file("restored.db").exists());
}
