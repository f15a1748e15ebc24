use std::path::{Path, PathBuf};

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use diesel_mapping::schema::schema_migrations;
use diesel_mapping::{
    KnownMigrations, MigrationUndone, WRITE_PROBE, apply_pending, not_writable, schema_is_complete, statement,
};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use domain::ports::{MigrateError, MigrationStatus, NotReady, ReadinessCheck, Schema};

use crate::SqliteStore;
use crate::connection::DatabaseFile;
use crate::undo::Undo;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

diesel::table! {
    /// SQLite's own table of tables.
    sqlite_master (name) {
        name -> Text,
    }
}

/// All migrations are one transaction, which takes effect as a whole.
#[async_trait]
impl Schema for SqliteStore {
    async fn migrate(&self) -> Result<Vec<String>, MigrateError> {
        let file = self.file.clone();
        let migration = tokio::task::spawn_blocking(move || {
            // A separate connection: a migration may take longer than a write should, and a failure must not affect
            // later writes.
            let mut connection = file.connect().map_err(|error| MigrateError::Unavailable(Box::new(error)))?;
            let applied = connection.immediate_transaction(|connection| Ok(apply_pending(connection, &MIGRATIONS)?));
            applied.map_err(|MigrationUndone(error)| error)
        });
        migration.await.unwrap_or_else(|cut_off| Err(MigrateError::Unavailable(Box::new(cut_off))))
    }

    async fn status(&self) -> Result<Vec<MigrationStatus>, MigrateError> {
        let applied = self.readers.read(applied_migrations).await;
        known_migrations()?.status(&applied.map_err(|error| MigrateError::Unavailable(Box::new(error)))?)
    }
}

/// Every migration of this version, oldest first, and whether the file at `path` has it. Only reads, also while another
/// process uses the file. A file that does not exist has none.
///
/// # Errors
///
/// See [`MigrateError`].
pub async fn migrations_of(path: PathBuf) -> Result<Vec<MigrationStatus>, MigrateError> {
    let reading = tokio::task::spawn_blocking(move || known_migrations()?.status(&read_migrations(&path)?));
    reading.await.unwrap_or_else(|cut_off| Err(MigrateError::Unavailable(Box::new(cut_off))))
}

fn read_migrations(path: &Path) -> Result<Vec<String>, MigrateError> {
    let Some(file) = DatabaseFile::find(path).map_err(|error| MigrateError::Unavailable(Box::new(error)))? else {
        return Ok(Vec::new());
    };
    let mut reader = file.connect_reader().map_err(|error| MigrateError::Unavailable(Box::new(error)))?;
    applied_migrations(&mut reader).map_err(|Undo(error)| MigrateError::Unavailable(Box::new(error)))
}

pub(crate) fn known_migrations() -> Result<KnownMigrations, MigrateError> {
    KnownMigrations::of::<Sqlite>(&MIGRATIONS)
}

/// The versions that the database has; none before the first migration.
pub(crate) fn applied_migrations(connection: &mut SqliteConnection) -> Result<Vec<String>, Undo> {
    let versions = schema_migrations::table.select(schema_migrations::version);
    let begun = sqlite_master::table.filter(sqlite_master::name.eq("__diesel_schema_migrations"));
    if begun.count().get_result::<i64>(connection)? == 0 {
        return Ok(Vec::new());
    }
    Ok(versions.load(connection)?)
}

/// The database can be written, and has every migration.
#[async_trait]
impl ReadinessCheck for SqliteStore {
    async fn check(&self) -> Result<(), NotReady> {
        let probe = self.writer.write(|connection| {
            let applied = applied_migrations(connection)?;
            statement(WRITE_PROBE).execute(connection)?;
            Ok(applied)
        });
        let applied = probe.await.map_err(not_writable)?;
        schema_is_complete(&known_migrations().map_err(not_writable)?, &applied)
    }
}

#[cfg(test)]
mod tests {
    use diesel::migration::MigrationSource;
    use diesel_migrations::MigrationHarness;

    use super::*;
    use crate::SqliteSettings;

    #[tokio::test]
    async fn every_migration_can_be_taken_back_and_applied_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = SqliteStore::open(SqliteSettings { path, readers: 1 }).await.unwrap();
        let names = store.migrate().await.unwrap();
        let reverted = store.file.connect().unwrap().revert_all_migrations(MIGRATIONS).unwrap().len();
        assert_eq!(reverted, names.len());
        assert_eq!(store.migrate().await.unwrap(), names);
    }

    #[tokio::test]
    async fn a_file_of_the_version_before_webhooks_keeps_its_data() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = SqliteStore::open(SqliteSettings { path, readers: 1 }).await.unwrap();
        let mut connection = store.file.connect().unwrap();
        assert!(connection.applied_migrations().unwrap().is_empty());
        let migrations = <EmbeddedMigrations as MigrationSource<Sqlite>>::migrations(&MIGRATIONS).unwrap();
        for migration in migrations {
            let version = migration.name().version().to_string();
            // Keys are written with the audit log and the columns of today.
            let of_today = [
                "20261121000008",
                "20261124000002",
                "20261124000003",
                "20261125000001",
                "20261127000002",
                "20261127000010",
                "20261127000020",
                "20261127000030",
            ];
            let of_today = of_today.contains(&version.as_str());
            if version.as_str() <= "20261121000002" || of_today {
                connection.run_migration(&migration).unwrap();
            }
        }
        let written = storage_conformance::keys::durability::write(&store).await;
        let added = store.migrate().await.unwrap();
        assert_eq!(added.first().map(String::as_str), Some("20261121000003_create_webhook_subscriptions"));
        written.expect_in(&store).await;
    }
}
