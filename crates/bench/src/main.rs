//! Measures the release binary and prints tables; asserts nothing. `docs/benchmarks.md` tells how to read them.

mod connection;
mod gatepost;
mod keys;
mod list;
mod load;
mod pgbench;
mod start;
mod table;

use anyhow::bail;

/// One thread for the load, so that it leaves as much as possible of the machine to what is measured.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut parts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if parts.is_empty() {
        parts = vec!["keys", "list", "start"];
    }
    for part in parts {
        match part {
            "keys" => keys::measure().await?,
            "list" => list::measure().await?,
            "start" => start::measure().await?,
            _ => bail!("{part} is none of: keys, list, start"),
        }
    }
    Ok(())
}
