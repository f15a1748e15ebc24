use std::sync::Arc;
use std::time::Duration;

use adapters_postgres::{OpenError, PostgresSettings, PostgresStore};
use adapters_sqlite::{SqliteSettings, SqliteStore};
use anyhow::{Context, Result};
use diesel_mapping::{MigrateError, MigrationStatus};
use domain::ports::{
    Clock, DeliveryCommands, DeliveryLog, DeliveryQueue, EventStore, KeyStore, ReadinessCheck, SubscriptionStore,
};
use domain::webhooks::WebhookStores;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use verifier::{Verifier, VerifierSettings};

use crate::configuration::{Configuration, DatabaseUrl, InvalidConfiguration, Problem};

/// How long to wait before a database that was away is asked again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The adapter that the configuration chose.
#[derive(Clone)]
pub(crate) enum Database {
    Sqlite(SqliteStore),
    Postgres(Box<PostgresStore>),
}

impl Database {
    /// Opens the database that the URL's scheme names. A Postgres server need not be up for it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, or the URL is none that a server could have.
    pub(crate) async fn open(configuration: &Configuration) -> Result<Self> {
        let pool_size = configuration.database_pool_size;
        match &configuration.database_url {
            DatabaseUrl::Sqlite(path) => {
                let settings = SqliteSettings { path: path.clone(), readers: pool_size };
                let store = SqliteStore::open(settings).await;
                let context = || format!("the database file {} cannot be opened", path.display());
                Ok(Self::Sqlite(store.with_context(context)?))
            }
            url @ DatabaseUrl::Postgres(secret) => {
                let settings = PostgresSettings { url: secret.expose().to_owned(), pool_size };
                match PostgresStore::open(settings).await {
                    Ok(store) => Ok(Self::Postgres(Box::new(store))),
                    Err(error @ OpenError::InvalidUrl { .. }) => Err(unfit(url, &error).into()),
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// The engine that verifies keys, and through which they are changed. One process owns a SQLite file; several may
    /// share a Postgres, and hear of each other's changes through its feed.
    pub(crate) fn verifier(&self, clock: Arc<dyn Clock>, settings: VerifierSettings) -> Arc<Verifier> {
        match self {
            Self::Sqlite(store) => Verifier::single(Arc::new(store.clone()) as Arc<dyn KeyStore>, clock, settings),
            Self::Postgres(store) => {
                let store = Arc::new(PostgresStore::clone(store));
                Verifier::shared(Arc::clone(&store) as Arc<dyn KeyStore>, store, clock, settings)
            }
        }
    }

    /// What the use cases of webhooks store and read, and the queue that a dispatcher empties.
    pub(crate) fn webhooks(&self) -> (WebhookStores, Arc<dyn DeliveryQueue>) {
        fn ports<S>(store: &Arc<S>) -> (WebhookStores, Arc<dyn DeliveryQueue>)
        where
            S: SubscriptionStore + EventStore + DeliveryLog + DeliveryCommands + DeliveryQueue + 'static,
        {
            let (subscriptions, events) = (Arc::clone(store), Arc::clone(store));
            let (log, commands) = (Arc::clone(store), Arc::clone(store));
            (WebhookStores { subscriptions, events, log, commands }, Arc::clone(store) as _)
        }
        match self {
            Self::Sqlite(store) => ports(&Arc::new(store.clone())),
            Self::Postgres(store) => ports(&Arc::new(PostgresStore::clone(store))),
        }
    }

    /// Whether the database works.
    pub(crate) fn readiness(&self) -> Arc<dyn ReadinessCheck> {
        match self {
            Self::Sqlite(store) => Arc::new(store.clone()),
            Self::Postgres(store) => Arc::new(PostgresStore::clone(store)),
        }
    }

    /// Applies what the schema lacks, and answers with the names.
    pub(crate) async fn migrate(&self) -> Result<Vec<String>, MigrateError> {
        match self {
            Self::Sqlite(store) => store.migrate().await,
            Self::Postgres(store) => store.migrate().await,
        }
    }

    /// Every known migration, and whether the database of this configuration has it. Only reads, so that a SQLite file
    /// may be in use by another process.
    ///
    /// # Errors
    ///
    /// When the database cannot be read, or its schema is newer than this program.
    pub(crate) async fn migrations_of(configuration: &Configuration) -> Result<Vec<MigrationStatus>> {
        if let DatabaseUrl::Sqlite(path) = &configuration.database_url {
            return Ok(adapters_sqlite::migrations_of(path.clone()).await?);
        }
        let database = Self::open(configuration).await?;
        let migrations = database.migrations().await;
        database.close().await;
        Ok(migrations?)
    }

    /// Every known migration, and whether the database has it.
    pub(crate) async fn migrations(&self) -> Result<Vec<MigrationStatus>, MigrateError> {
        match self {
            Self::Sqlite(store) => store.migrations().await,
            Self::Postgres(store) => store.migrations().await,
        }
    }

    /// Closes all connections.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(store) => store.close().await,
            Self::Postgres(store) => store.close().await,
        }
    }
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
    database: Database,
    migrate: bool,
    tried: Arc<Notify>,
    stop: CancellationToken,
) -> Result<()> {
    loop {
        let outcome = if migrate { apply(&database).await } else { look(&database).await };
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

async fn apply(database: &Database) -> Result<(), MigrateError> {
    for name in database.migrate().await? {
        tracing::info!(name, "migration applied");
    }
    Ok(())
}

async fn look(database: &Database) -> Result<(), MigrateError> {
    let pending = database.migrations().await?.iter().filter(|migration| !migration.applied).count();
    if pending > 0 {
        tracing::warn!(pending, "the schema lacks migrations and MIGRATE is false: run `gatepost migrate`");
    }
    Ok(())
}
