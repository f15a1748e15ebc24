use std::path::Path;
use std::sync::Arc;

use adapters_egress::read_platform_roots;
use adapters_postgres::{OpenError, PostgresSettings, PostgresStore, Shard};
use adapters_sqlite::{SqliteSettings, SqliteStore};
use adapters_system::{DatabaseClock, FollowedFeed, Secret, SteadyClock, SystemClock};
use anyhow::{Context, Result};
use domain::Placement;
use domain::ports::{ChangeFeed, Clock, MigrationStatus, Store};
use domain::webhooks::DirectClaims;

use sharded_store::ShardedStore;

use crate::configuration::{Configuration, DatabaseUrl, InvalidConfiguration, Problem};

/// Opens the database that the URL's scheme names. A Postgres server need not be up.
///
/// One process uses a SQLite file alone. Several processes may share a Postgres database, so its store has a change
/// feed.
///
/// # Errors
///
/// When the file cannot be opened, or no server can have the URL.
pub(crate) async fn open_store(configuration: &Configuration) -> Result<Store> {
    match &configuration.database_url {
        DatabaseUrl::Sqlite(path) => Ok(Store::single(&Arc::new(open_sqlite(configuration, path).await?))),
        DatabaseUrl::Postgres(_) if configuration.database_shards > 1 => {
            Ok(ShardedStore::composed(open_configured_shards(configuration).await?.into_iter().map(|(_, store)| store)))
        }
        DatabaseUrl::Postgres(url) => {
            let store = Arc::new(open_postgres(configuration, url).await?);
            Ok(Store::single(&store).shared(store))
        }
    }
}

/// [`open_store`], which waits for another thread, while this one reads the system's certificates.
///
/// # Errors
///
/// As for [`open_store`].
pub(crate) async fn open_store_beside_roots(configuration: &Configuration) -> Result<Store> {
    tokio::join!(biased; open_store(configuration), async { read_platform_roots() }).0
}

/// Opens the shards that the configuration names, in their order, with the ports of each.
///
/// # Errors
///
/// When no server can have one of the URLs.
pub(crate) async fn open_configured_shards(configuration: &Configuration) -> Result<Vec<(Arc<PostgresStore>, Store)>> {
    let shards = open_shards(configuration, &configuration.database_url, configuration.database_shards).await?;
    let with_ports = |store: Arc<PostgresStore>| (Arc::clone(&store), Store::single(&store).shared(store));
    Ok(shards.into_iter().map(with_ports).collect())
}

/// Opens this number of Postgres shards, in their order. Consecutive shards are on one server.
///
/// # Errors
///
/// When no server can have one of the URLs.
pub(crate) async fn open_shards(
    configuration: &Configuration,
    url: &DatabaseUrl,
    shards: u16,
) -> Result<Vec<Arc<PostgresStore>>> {
    let servers = url.servers();
    let (mut opened, direct_claims) = (Vec::new(), Arc::<DirectClaims>::default());
    for number in 0..shards {
        let place = place_of(number.into(), shards.into(), servers.len());
        let url = &servers[place];
        let shard = Shard { number, shards, server: u16::try_from(place)? };
        let settings = postgres_settings(configuration, url);
        let store = PostgresStore::open_shard(settings, shard, Arc::clone(&direct_claims)).await;
        opened.push(Arc::new(fitting(url, store)?));
    }
    Ok(opened)
}

/// The place of a shard's server in the list of servers.
fn place_of(shard: usize, shards: usize, servers: usize) -> usize {
    shard * servers / shards
}

/// The placement of new ids and secrets in this store, which has a feed for each shard.
pub(crate) fn placement(store: &Store) -> Placement {
    match u16::try_from(store.changes.len()) {
        Ok(shards @ 2..) => Placement::Shards(shards),
        _ => Placement::OneStore,
    }
}

/// The clock of all instances on this database, and the store, whose reads set it. See decision 54. The store has its
/// shards on this number of servers.
pub(crate) fn with_clock(store: Store, servers: usize) -> (Store, Arc<dyn Clock>) {
    if store.changes.is_empty() {
        return (store, Arc::new(SteadyClock::new(Arc::new(SystemClock))));
    }
    let clock = Arc::new(DatabaseClock::new(Arc::new(SystemClock)));
    // The first server has the time. While it is away at the start, another one gives an approximate time.
    let shards = store.changes.len();
    let followed = store.changes.iter().enumerate().map(|(shard, changes)| -> Arc<dyn ChangeFeed> {
        let (changes, clock) = (Arc::clone(changes), Arc::clone(&clock));
        Arc::new(match place_of(shard, shards, servers) {
            0 => FollowedFeed::new(changes, clock),
            place => FollowedFeed::of_further(place + 1, changes, clock),
        })
    });
    let changes = followed.collect();
    (Store { changes, ..store }, clock)
}

/// Opens a SQLite file, and creates it if it does not exist.
///
/// # Errors
///
/// When the file cannot be opened, or another process has it.
pub(crate) async fn open_sqlite(configuration: &Configuration, path: &Path) -> Result<SqliteStore> {
    let settings = SqliteSettings { path: path.to_owned(), readers: configuration.database_pool_size };
    let store = SqliteStore::open(settings).await;
    store.with_context(|| format!("cannot open the database file {}", path.display()))
}

/// Opens a Postgres database. The server need not be up.
///
/// # Errors
///
/// When no server can have the URL.
pub(crate) async fn open_postgres(configuration: &Configuration, url: &Secret) -> Result<PostgresStore> {
    fitting(url, PostgresStore::open(postgres_settings(configuration, url)).await)
}

fn postgres_settings(configuration: &Configuration, url: &Secret) -> PostgresSettings {
    PostgresSettings { url: url.expose().to_owned(), pool_size: configuration.database_pool_size }
}

/// An error that the adapter finds in the URL is an error of the configuration.
fn fitting(url: &Secret, opened: Result<PostgresStore, OpenError>) -> Result<PostgresStore> {
    match opened {
        Err(error @ (OpenError::InvalidUrl { .. } | OpenError::NoCertificateAuthorities(_))) => {
            Err(unfit(&DatabaseUrl::Postgres(url.clone()), &error).into())
        }
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

fn unfit(url: &DatabaseUrl, error: &OpenError) -> InvalidConfiguration {
    Problem::unfit("DATABASE_URL", &url.to_string(), &error.to_string()).into()
}
