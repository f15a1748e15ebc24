//! A coordinator of Citus instead of the shared cluster, where `CITUS_URL` names one. Its databases have all nodes.

use anyhow::Context;

use crate::server::Server;

/// The variable with the URL of a coordinator on this machine: `postgres://postgres@127.0.0.1:<port>/postgres`.
const CITUS_URL: &str = "CITUS_URL";

/// The ports of all nodes, the coordinator's first.
const PORTS: &str = "SELECT nodeport FROM pg_dist_node ORDER BY groupid";
const LOCAL: &str = "SET citus.enable_create_database_propagation = off";

#[expect(clippy::disallowed_methods, reason = "the one way to tell a test runner's children")]
pub(crate) fn named() -> anyhow::Result<Option<Server>> {
    let Some(url) = std::env::var_os(CITUS_URL) else { return Ok(None) };
    let url = url.to_string_lossy().into_owned();
    let port = url.strip_prefix("postgres://postgres@127.0.0.1:").and_then(|rest| rest.split('/').next()?.parse().ok());
    let port = port.with_context(|| format!("{CITUS_URL} is {url:?}, no coordinator on this machine"))?;
    Server::of(port, std::env::temp_dir(), true, None).map(Some)
}

/// Makes a database on every node.
pub(crate) fn make_database(coordinator: &Server, name: &str) -> anyhow::Result<()> {
    let ports = ports(coordinator)?;
    for port in &ports {
        coordinator.psql_at(*port, "postgres", &[LOCAL, &format!("CREATE DATABASE {name}")])?;
        coordinator.psql_at(*port, name, &["CREATE EXTENSION citus"])?;
    }
    let own = coordinator.port;
    let join =
        ports.iter().filter(|port| **port != own).map(|port| format!("SELECT citus_add_node('127.0.0.1', {port})"));
    let first = format!("SELECT citus_set_coordinator_host('127.0.0.1', {own})");
    let statements: Vec<String> = [first].into_iter().chain(join).collect();
    coordinator.psql(name, &statements.iter().map(String::as_str).collect::<Vec<_>>()).map(drop)
}

/// Copies a template on every node, which takes a third of the time.
pub(crate) fn copy_database(coordinator: &Server, template: &str, name: &str) -> anyhow::Result<()> {
    let copy = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy");
    ports(coordinator)?
        .into_iter()
        .try_for_each(|port| coordinator.psql_at(port, "postgres", &[LOCAL, &copy]).map(drop))
}

/// Makes a template of a database on every node. A worker of Citus connects to each database, and would be in the way of
/// copies. The coordinator is the last node: a copy begins there, and fails until the template is whole.
pub(crate) fn name_template(coordinator: &Server, filled: &str, template: &str) -> anyhow::Result<()> {
    let close = format!("ALTER DATABASE {filled} ALLOW_CONNECTIONS false");
    let end = format!("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{filled}'");
    let rename = format!("ALTER DATABASE {filled} RENAME TO {template}");
    on_every_node_backwards(coordinator, &[LOCAL, &close, &end, &rename])
}

/// Drops a database on every node, the coordinator last: it knows the outcome of commits in two phases, and the sweeper
/// finds a database there whose drop has failed. A transaction that a killed node has left prepared prevents the drop,
/// and holds up the moves of all databases, so it is recovered first.
pub(crate) fn drop_database(coordinator: &Server, name: &str) -> anyhow::Result<()> {
    // Fails where the database is gone or not whole.
    drop(coordinator.psql(name, &["SELECT recover_prepared_transactions()"]));
    on_every_node_backwards(coordinator, &[LOCAL, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")])
}

fn on_every_node_backwards(coordinator: &Server, statements: &[&str]) -> anyhow::Result<()> {
    let mut ports = ports(coordinator)?.into_iter().rev();
    ports.try_for_each(|port| coordinator.psql_at(port, "postgres", statements).map(drop))
}

pub(crate) fn ports(coordinator: &Server) -> anyhow::Result<Vec<u16>> {
    let ports = coordinator.psql("postgres", &[PORTS])?;
    ports.lines().map(|port| port.parse().context("a port is a number")).collect()
}
