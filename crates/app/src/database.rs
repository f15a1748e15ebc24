use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use adapters_postgres::{OpenError, PostgresSettings, PostgresStore};
use adapters_sqlite::{SqliteSettings, SqliteStore};
use anyhow::{Context, Result};
use domain::ports::{MigrateError, MigrationStatus, Schema, Store};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::configuration::{Configuration, DatabaseUrl, InvalidConfiguration, Problem, Secret};

/// How long to wait before a database that was away is asked again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Opens the database that the URL's scheme names. A Postgres server need not be up.
///
/// One process has a SQLite file to itself. Several processes may share a Postgres database, so that store has a change
/// feed.
///
/// # Errors
///
/// When the file cannot be opened, or no server can have the URL.
pub(crate) async fn open_store(configuration: &Configuration) -> Result<Store> {
    match &configuration.database_url {
        DatabaseUrl::Sqlite(path) => Ok(Store::single(&Arc::new(open_sqlite(configuration, path).await?))),
        DatabaseUrl::Postgres(url) => {
            let store = Arc::new(open_postgres(configuration, url).await?);
            Ok(Store::single(&store).shared(store))
        }
    }
}

async fn open_sqlite(configuration: &Configuration, path: &Path) -> Result<SqliteStore> {
    let settings = SqliteSettings { path: path.to_owned(), readers: configuration.database_pool_size };
    let store = SqliteStore::open(settings).await;
    store.with_context(|| format!("cannot open the database file {}", path.display()))
}

async fn open_postgres(configuration: &Configuration, url: &Secret) -> Result<PostgresStore> {
    let settings = PostgresSettings { url: url.expose().to_owned(), pool_size: configuration.database_pool_size };
    match PostgresStore::open(settings).await {
        Err(error @ OpenError::InvalidUrl { .. }) => Err(unfit(&configuration.database_url, &error).into()),
        opened => Ok(opened?),
    }
}

/// Every migration that this program knows, and whether the database has it. Only reads, so that another process may
/// have the SQLite file open.
///
/// # Errors
///
/// When the database cannot be read, or its schema is newer than this program.
pub(crate) async fn migrations(configuration: &Configuration) -> Result<Vec<MigrationStatus>> {
    if let DatabaseUrl::Sqlite(path) = &configuration.database_url {
        return Ok(adapters_sqlite::migrations_of(path.clone()).await?);
    }
    let store = open_store(configuration).await?;
    let migrations = store.schema.status().await;
    store.close().await;
    Ok(migrations?)
}

/// What the adapter finds wrong with the URL is the operator's to correct, like everything in the configuration.
fn unfit(url: &DatabaseUrl, error: &OpenError) -> InvalidConfiguration {
    let rule = error.to_string();
    Problem::NotForThisCommand { name: "DATABASE_URL", shown: url.to_string(), rule }.into()
}

/// Brings the schema up to date, or only looks at it with `MIGRATE=false`. A database that is away is asked again
/// until it is there. `tried` is notified after the first attempt, whatever came of it.
///
/// # Errors
///
/// When waiting does not help: the schema is newer than this program, or a migration failed.
pub(crate) async fn prepare_schema(
    schema: Arc<dyn Schema>,
    migrate: bool,
    tried: Arc<Notify>,
    stop: CancellationToken,
) -> Result<()> {
    loop {
        let outcome = if migrate { apply(&*schema).await } else { look(&*schema).await };
        tried.notify_one();
        match outcome {
            Ok(()) => return Ok(()),
            Err(error @ (MigrateError::Unavailable(_) | MigrateError::Busy { .. })) => {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "the schema could not be checked, will retry; /readyz says no until then");
            }
            Err(error @ (MigrateError::Newer { .. } | MigrateError::Failed { .. })) => return Err(error.into()),
        }
        if stop.run_until_cancelled(tokio::time::sleep(RETRY_INTERVAL)).await.is_none() {
            return Ok(());
        }
    }
}

async fn apply(schema: &dyn Schema) -> Result<(), MigrateError> {
    for name in schema.migrate().await? {
        tracing::info!(name, "migration applied");
    }
    Ok(())
}

async fn look(schema: &dyn Schema) -> Result<(), MigrateError> {
    let pending = schema.status().await?.iter().filter(|migration| !migration.applied).count();
    if pending > 0 {
        tracing::warn!(pending, "the schema lacks migrations and MIGRATE is false: run `gatepost migrate`");
    }
    Ok(())
}
