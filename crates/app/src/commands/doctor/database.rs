use std::path::Path;
use std::sync::Arc;

use adapters_postgres::{PostgresSettings, ServerReport};
use adapters_system::{EncryptionKey, Secret};
use anyhow::Result;
use cli::WebAddress;
use doctor::{DatabaseServer, Finding, Report, check_sealing_keys, check_server, check_store, is_served};
use domain::SealingKeys;
use domain::ports::Store;
use sharded_store::ShardedStore;

use crate::configuration::{Configuration, DatabaseUrl};
use crate::database::{open_configured_shards, open_postgres, open_store, with_clock};

/// A SQLite file that does not exist is made by the first start. One that a running instance has open is not examined.
pub(super) async fn examine_database(configuration: &Configuration, report: &mut Report) {
    let is_new = |path: &Path| !path.exists();
    let is_taken = is_served(WebAddress::socket_of_listener(configuration.listen)).await;
    if matches!(&configuration.database_url, DatabaseUrl::Sqlite(path) if is_taken || is_new(path)) {
        return;
    }
    let opened = match &configuration.database_url {
        DatabaseUrl::Sqlite(_) => open_store(configuration).await,
        DatabaseUrl::Postgres(_) if configuration.database_shards > 1 => {
            examine_shards(configuration, is_taken, report).await
        }
        DatabaseUrl::Postgres(url) => examine_server(configuration, url, is_taken, report).await,
    };
    match opened {
        Err(error) => report.add("database", [unopened(format!("{error:#}"))]),
        Ok(store) => {
            let (store, clock) = with_clock(store);
            report.add("database", check_store(&store, &*clock, configuration.migrate).await);
            if let Ok(keys) = SealingKeys::new(configuration.encryption_keys.iter().map(EncryptionKey::bytes).collect())
            {
                report.add("encryption key", check_sealing_keys(&*store.webhooks.subscriptions, &keys).await);
            }
            store.close().await;
        }
    }
}

/// A server that does not answer is the finding of another check.
async fn examine_server(
    configuration: &Configuration,
    url: &Secret,
    is_running: bool,
    report: &mut Report,
) -> Result<Store> {
    let store = Arc::new(open_postgres(configuration, url).await?);
    if let Ok(server) = store.server_report().await {
        report.add("database server", check_server(&described(server, configuration, is_running, 1)));
    }
    Ok(Store::single(&store).shared(store))
}

/// Each server once, and each shard by itself. What is found of a shard names it.
async fn examine_shards(configuration: &Configuration, is_running: bool, report: &mut Report) -> Result<Store> {
    let shards = open_configured_shards(configuration).await?;
    let servers = configuration.database_url.servers().len();
    let server = |number: usize| number * servers / shards.len();
    for (number, (postgres, store)) in shards.iter().enumerate() {
        if number == 0 || server(number) != server(number - 1) {
            let on_server = (0..shards.len()).filter(|other| server(*other) == server(number)).count();
            if let Ok(found) = postgres.server_report().await {
                report.add("database server", check_server(&described(found, configuration, is_running, on_server)));
            }
        }
        let (store, clock) = with_clock(store.clone());
        let findings = check_store(&store, &*clock, configuration.migrate).await;
        let named = |finding: Finding| Finding { what: format!("shard {number}: {}", finding.what), ..finding };
        report.findings.extend(findings.into_iter().map(named));
    }
    Ok(ShardedStore::composed(shards.into_iter().map(|(_, store)| store)))
}

/// Counts are never negative. An instance with this configuration that does not run yet opens connections too.
fn described(server: ServerReport, configuration: &Configuration, is_running: bool, shards: usize) -> DatabaseServer {
    let count = |count: i64| u64::try_from(count).unwrap_or_default();
    let running = count(server.instances);
    DatabaseServer {
        database: server.database,
        role: server.role,
        connections_max: count(server.connections_max),
        connections_of_others: count(server.connections_of_others),
        instances: if is_running { running.max(1) } else { running + 1 },
        pool_size: (configuration.database_pool_size * shards) as u64,
        beside_pool: (PostgresSettings::BESIDE_POOL * shards) as u64,
        fsync: server.fsync,
        full_page_writes: server.full_page_writes,
        synchronous_commit: server.synchronous_commit,
        synchronous_standby_names: server.synchronous_standby_names,
        standbys: count(server.standbys),
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
