//! Measures the release binary and prints tables; asserts nothing. `docs/benchmarks.md` tells how to read them.

mod cold;
mod connection;
mod flood;
mod floor;
mod gatepost;
mod hammer;
mod keys;
mod list;
mod load;
mod pgbench;
mod process;
mod size;
mod start;
mod stored_keys;
mod subject;
mod table;
mod verify;
mod webhooks;

use anyhow::bail;

const PARTS: [&str; 10] =
    ["keys", "list", "start", "verify", "verify-postgres", "size", "cold", "flood", "webhooks", "backlog"];

/// One thread for the load, so that it leaves as much as possible of the machine to what is measured.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut parts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // Not a part: how this program starts itself beside what it measures.
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
            "size" => size::measure().await?,
            "cold" => cold::measure().await?,
            "flood" => flood::measure().await?,
            "webhooks" => webhooks::measure().await?,
            "backlog" => webhooks::measure_backlog().await?,
            _ => bail!("{part} is none of: {}", PARTS.join(", ")),
        }
    }
    Ok(())
}
