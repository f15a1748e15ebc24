//! Measures the release binary and prints tables. It has no assertions. `docs/benchmarks.md` explains the tables.

mod boundary;
mod cold;
mod connection;
mod contest;
mod flood;
mod floor;
mod gatepost;
mod hammer;
mod keys;
mod list;
mod load;
mod observed;
mod pace;
mod pgbench;
mod process;
mod relay;
mod size;
mod start;
mod store;
mod stored_keys;
mod subject;
mod table;
mod verify;
mod webhooks;

use anyhow::bail;
use futures_util::future::LocalBoxFuture;
use webhooks::{purge, scrape, shards, snapshot, with_tasks};

/// The name of a part, and its measurement.
type Part = (&'static str, fn() -> LocalBoxFuture<'static, anyhow::Result<()>>);

const PARTS: [Part; 22] = [
    ("keys", || Box::pin(keys::measure())),
    ("list", || Box::pin(list::measure())),
    ("start", || Box::pin(start::measure())),
    ("verify", || Box::pin(verify::measure_sqlite())),
    ("verify-postgres", || Box::pin(verify::measure_postgres())),
    ("boundary", || Box::pin(boundary::measure())),
    ("observed", || Box::pin(observed::measure())),
    ("pace", || Box::pin(pace::measure())),
    ("size", || Box::pin(size::measure())),
    ("cold", || Box::pin(cold::measure())),
    ("flood", || Box::pin(flood::measure())),
    ("webhooks", || Box::pin(webhooks::measure())),
    ("options", || Box::pin(webhooks::measure_options())),
    ("latency", || Box::pin(webhooks::measure_latency())),
    ("backlog", || Box::pin(webhooks::measure_backlog())),
    ("neighbours", || Box::pin(webhooks::measure_neighbours())),
    ("purge", || Box::pin(with_tasks(purge::measure()))),
    ("snapshot", || Box::pin(with_tasks(snapshot::measure()))),
    ("scrape", || Box::pin(with_tasks(scrape::measure()))),
    ("shards", || Box::pin(shards::measure(shards::FEW))),
    ("shards-256", || Box::pin(shards::measure(shards::MANY))),
    ("shards-1024", || Box::pin(shards::measure(shards::VERY_MANY))),
];

/// One thread for the load, so that most of the machine is left to the measured process.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut parts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // An internal command: this program starts itself as the bare server.
    if let ["floor", address] = parts[..] {
        return floor::serve(address.parse()?).await;
    }
    if parts.is_empty() {
        parts = PARTS.map(|(name, _)| name).to_vec();
    }
    for part in parts {
        let Some((_, measure)) = PARTS.into_iter().find(|(name, _)| *name == part) else {
            bail!("unknown part {part}; the parts are: {}", PARTS.map(|(name, _)| name).join(", "));
        };
        measure().await?;
    }
    Ok(())
}
