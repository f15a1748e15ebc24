use std::sync::Arc;

use adapters_postgres::{PostgresSettings, PostgresStore, ServerReport, Shard};
use adapters_sqlite::OpenError;
use adapters_system::{EncryptionKey, Secret};
use anyhow::Result;
use cli::WebAddress;
use doctor::{
    DatabaseServer, Finding, Report, check_sealing_keys, check_server, check_store, ended_in_queue, ended_uncounted,
    foreign_instance, is_served, stopped_server,
};
use domain::SealingKeys;
use domain::ports::{Store, StoreError};
use futures_util::future::join_all;
use sharded_store::ShardedStore;

use crate::configuration::{Configuration, DatabaseUrl, without_password};
use crate::database::{open_configured_shards, open_postgres, open_store, with_clock};

/// A SQLite file that does not exist is made by the first start. One that a running instance has open is not examined.
pub(super) async fn examine_database(configuration: &Configuration, report: &mut Report) {
    let address = WebAddress::socket_of_listener(configuration.listen);
    let is_taken = is_served(address).await;
    let foreign = || is_taken.then(|| foreign_instance("LISTEN", address));
    if let DatabaseUrl::Sqlite(path) = &configuration.database_url
        && !path.exists()
    {
        report.findings.extend(foreign());
        return;
    }
    let opened = if let DatabaseUrl::Postgres(url) = &configuration.database_url {
        match configuration.database_shards {
            1 => examine_server(configuration, url, is_taken, report).await,
            _ => examine_shards(configuration, is_taken, report).await,
        }
    } else {
        let opened = open_store(configuration).await;
        report.findings.extend(opened.as_ref().ok().and_then(|_| foreign()));
        opened
    };
    match opened {
        // By the instance that listens.
        Err(error) if is_taken && matches!(error.downcast_ref(), Some(OpenError::InUse { .. })) => {}
        Err(error) => report.add("database", [unopened(format!("{error:#}"))]),
        Ok(store) => {
            if configuration.database_shards == 1 {
                report.add("database", examine_store(store.clone(), configuration).await);
            }
            if let Ok(keys) = SealingKeys::new(configuration.encryption_keys.iter().map(EncryptionKey::bytes).collect())
            {
                report.add("encryption key", check_sealing_keys(&*store.webhooks.secrets, &keys).await);
            }
            store.close().await;
        }
    }
}

async fn examine_store(store: Store, configuration: &Configuration) -> Vec<Finding> {
    let (store, clock) = with_clock(store, 1);
    check_store(&store, &*clock, configuration.migrate).await
}

/// Counts only with all migrations applied: otherwise, the schema has another finding.
async fn ended_deliveries((postgres, store): (&PostgresStore, &Store)) -> Option<Finding> {
    const SHOWN_MAX: i64 = 1_000;
    let is_migrated = store.schema.status().await.is_ok_and(|all| all.iter().all(|migration| migration.applied));
    if !is_migrated {
        return None;
    }
    let schema = postgres.shard().map(Shard::schema);
    match postgres.count_ended_in_queue(SHOWN_MAX).await {
        Ok(0) => None,
        Ok(count) => Some(ended_in_queue(count.unsigned_abs(), schema.as_deref())),
        Err(error) => Some(ended_uncounted(&error)),
    }
}

/// Another check reports a server that does not answer.
async fn examine_server(
    configuration: &Configuration,
    url: &Secret,
    is_running: bool,
    report: &mut Report,
) -> Result<Store> {
    let store = Arc::new(open_postgres(configuration, url).await?);
    if let Ok(server) = store.server_report().await {
        report.add("database server", check_server(&described(server, &store, configuration, is_running, 1)));
    }
    let ports = Store::single(&store).shared(Arc::clone(&store) as _);
    report.add("database", ended_deliveries((&store, &ports)).await);
    Ok(ports)
}

/// A shard, and its ports.
type OpenShard = (Arc<PostgresStore>, Store);

/// Examines the servers at the same time. A finding names its server, and its shard if it has one.
async fn examine_shards(configuration: &Configuration, is_running: bool, report: &mut Report) -> Result<Store> {
    let shards = open_configured_shards(configuration).await?;
    let server_of = |(postgres, _): &OpenShard| postgres.shard().map(|shard| shard.server);
    let urls = configuration.database_url.servers();
    let count = urls.len();
    let servers = shards.chunk_by(|one, next| server_of(one) == server_of(next)).zip(&urls).enumerate();
    let examined = servers.map(|(place, (shards, url))| async move {
        let url = without_password(url.expose());
        let (of_server, of_shards) = examine_part(configuration, shards, is_running, &url).await;
        let named = move |finding: Finding| Finding {
            what: format!("server {} of {} ({url}): {}", place + 1, count, finding.what),
            cure: finding.cure.replace("$DATABASE_URL", &url),
            ..finding
        };
        (of_server.into_iter().map(named.clone()).collect(), of_shards.into_iter().map(named).collect())
    });
    let (of_servers, of_shards): (Vec<Vec<Finding>>, Vec<Vec<Finding>>) = join_all(examined).await.into_iter().unzip();
    report.add("database server", of_servers.into_iter().flatten());
    report.add("database", of_shards.into_iter().flatten());
    Ok(ShardedStore::composed(shards.into_iter().map(|(_, store)| store)))
}

/// The findings of a server, and those of its shards, which are not examined if the server does not answer.
async fn examine_part(
    configuration: &Configuration,
    shards: &[OpenShard],
    is_running: bool,
    url: &str,
) -> (Vec<Finding>, Vec<Finding>) {
    let number = |(postgres, _): &OpenShard| postgres.shard().map_or(0, |shard| shard.number);
    let (Some(first), Some(last)) = (shards.first(), shards.last()) else { return Default::default() };
    let of_server = match first.0.server_report().await {
        Err(error @ StoreError::Unavailable(_)) => {
            let shards = format!("shards {} to {}", number(first), number(last));
            let command = format!("psql \"{url}\" -c 'SELECT version()'");
            return (vec![stopped_server(&error, &shards, &command)], Vec::new());
        }
        Err(_) => Vec::new(),
        Ok(server) => check_server(&described(server, &first.0, configuration, is_running, shards.len())),
    };
    let mut of_shards: Vec<(Vec<String>, Finding)> = Vec::new();
    for shard in shards {
        let doubled = ended_deliveries((&shard.0, &shard.1)).await;
        for finding in examine_store(shard.1.clone(), configuration).await.into_iter().chain(doubled) {
            let number = number(shard).to_string();
            match of_shards.iter_mut().find(|(_, known)| *known == finding) {
                Some((numbers, _)) => numbers.push(number),
                None => of_shards.push((vec![number], finding)),
            }
        }
    }
    (of_server, of_shards.into_iter().map(of_its_shards).collect())
}

/// One finding for all shards that have it.
fn of_its_shards((numbers, finding): (Vec<String>, Finding)) -> Finding {
    let shards = if numbers.len() == 1 { "shard" } else { "shards" };
    Finding { what: format!("{shards} {}: {}", numbers.join(", "), finding.what), ..finding }
}

/// Counts are never negative. The connections of this instance count even if it does not run yet.
fn described(
    server: ServerReport,
    store: &PostgresStore,
    configuration: &Configuration,
    is_running: bool,
    shards: usize,
) -> DatabaseServer {
    let count = |count: i64| u64::try_from(count).unwrap_or_default();
    let running = count(server.instances);
    DatabaseServer {
        database: server.database,
        role: server.role,
        connections_max: count(server.connections_max),
        connections_of_others: count(server.connections_of_others),
        instances: if is_running { running.max(1) } else { running + 1 },
        shards: shards as u64,
        pool_size: configuration.database_pool_size as u64,
        beside_pool: PostgresSettings::BESIDE_POOL as u64,
        fsync: server.fsync,
        full_page_writes: server.full_page_writes,
        synchronous_commit: server.synchronous_commit,
        synchronous_standby_names: server.synchronous_standby_names,
        standbys: count(server.standbys),
        tells_timeline: store.tells_timeline(),
    }
}

fn unopened(what: String) -> Finding {
    // The text of the lock on a SQLite file.
    let holder = what.split_once(": process ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u32>().ok());
    let cure = match holder {
        Some(process) => format!("`ps -fp {process}` shows the process; stop it with `kill {process}`"),
        None => "mend what the cause names".to_owned(),
    };
    Finding { check: "database", what, why: "`gatepost serve` ends at its start", cure }
}
