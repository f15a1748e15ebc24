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

const PARTS: [&str; 22] = [
    "keys",
    "list",
    "start",
    "verify",
    "verify-postgres",
    "boundary",
    "observed",
    "pace",
    "size",
    "cold",
    "flood",
    "webhooks",
    "options",
    "latency",
    "backlog",
    "neighbours",
    "purge",
    "snapshot",
    "scrape",
    "shards",
    "shards-256",
    "shards-1024",
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
        parts = PARTS.to_vec();
    }
    for part in parts {
        match part {
            "keys" => keys::measure().await?,
            "list" => list::measure().await?,
            "start" => start::measure().await?,
            "verify" => verify::measure_sqlite().await?,
            "verify-postgres" => verify::measure_postgres().await?,
            "boundary" => boundary::measure().await?,
            "observed" => observed::measure().await?,
            "pace" => pace::measure().await?,
            "size" => size::measure().await?,
            "cold" => cold::measure().await?,
            "flood" => flood::measure().await?,
            "webhooks" => webhooks::measure().await?,
            "options" => webhooks::measure_options().await?,
            "latency" => webhooks::measure_latency().await?,
            "backlog" => webhooks::measure_backlog().await?,
            "neighbours" => webhooks::measure_neighbours().await?,
            "purge" => webhooks::measure_purge().await?,
            "snapshot" => webhooks::measure_snapshot().await?,
            "scrape" => webhooks::measure_scrape().await?,
            "shards" => webhooks::measure_shards().await?,
            "shards-256" => webhooks::measure_shards_many().await?,
            "shards-1024" => webhooks::measure_shards_very_many().await?,
            _ => bail!("unknown part {part}; the parts are: {}", PARTS.join(", ")),
        }
    }
    Ok(())
}
