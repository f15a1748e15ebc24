//! The same statements through pgbench, on the same server.
//!
//! The scripts send the same statements as `adapters-postgres`, as the server's log shows them, in sessions with the
//! same settings of the planner. Two differences of microseconds remain: pgbench cannot bind binary values, so the
//! server decodes ids; and pgbench does not check the count before it inserts. pgbench skips Gatepost's work after the
//! answer, such as announcing events.

use std::fs;
use std::process::Command;

use anyhow::{Context, ensure};
use tempfile::TempDir;
use throwaway_postgres::{Cluster, Database};

pub(crate) const CREATE: &str = include_str!("pgbench/create.sql");
pub(crate) const LIST: &str = include_str!("pgbench/list.sql");
pub(crate) const REVOKE: &str = include_str!("pgbench/revoke.sql");
pub(crate) const SUBSCRIBE: &str = include_str!("pgbench/subscribe.sql");

/// The planner's settings of a session of Gatepost: see `Purpose::Calls` in `adapters-postgres`.
const SESSION: &str = "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off \
                       -c enable_sort=off -c jit=off";

/// The load: clients, transactions of each client, and users in all.
#[derive(Clone, Copy)]
pub(crate) struct Amount {
    pub(crate) clients: usize,
    pub(crate) calls: usize,
    pub(crate) users: usize,
}

/// Transactions per second, without the time to connect. `pipelined` sends statements together where Gatepost does.
pub(crate) fn run(
    cluster: &Cluster,
    database: &Database,
    script: &str,
    amount: Amount,
    pipelined: bool,
) -> anyhow::Result<f64> {
    let folder = TempDir::new()?;
    let file = folder.path().join("script.sql");
    let pipeline_commands = ["\\startpipeline", "\\endpipeline"];
    let keep = |line: &&str| pipelined || !pipeline_commands.contains(&line.trim());
    let list = include_str!("pgbench/list_statement.sql");
    let text = script.replace("--LIST--", &list.replace('\n', " "));
    fs::write(&file, text.lines().filter(keep).collect::<Vec<_>>().join("\n"))?;

    let Amount { clients, calls, users } = amount;
    let mut pgbench = Command::new(cluster.binaries().path("pgbench"));
    pgbench.env("PGOPTIONS", SESSION);
    pgbench.args(["--no-vacuum", "--protocol=prepared", "--jobs=1", "--host=127.0.0.1", "--username=postgres"]);
    pgbench.args([
        format!("--port={}", cluster.port()),
        format!("--client={clients}"),
        format!("--transactions={calls}"),
    ]);
    pgbench.args(["-D", "n=0", "-D", "issuer=http://127.0.0.1:8080/dev/oidc", "-D", "at=2026-11-21 06:17:40.21+00"]);
    pgbench.args(["-D", &format!("clients={clients}"), "-D", &format!("users={users}")]);
    pgbench.arg("--file").arg(&file).arg(&database.name);
    let output = pgbench.output().context("cannot run pgbench")?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "pgbench: {printed}{}", String::from_utf8_lossy(&output.stderr));
    let rate = printed.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next());
    Ok(rate.with_context(|| format!("pgbench told no rate: {printed}"))?.parse()?)
}
