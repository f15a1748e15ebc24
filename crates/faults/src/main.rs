//! Breaks the release binary on purpose while clients use it, and counts their losses. `docs/faults.md` explains the
//! table.

mod citus;
mod database;
mod fault;
mod flood;
mod gatepost;
mod ha;
mod ledger;
mod line;
mod load;
mod receiver;
mod report;
mod settling;
mod small_disk;
mod stage;

use std::time::Duration;

use anyhow::ensure;
use clap::{Parser, ValueEnum};
use database::Kind;
use fault::Fault;
use report::Row;
use stage::Stage;
use tokio::time::Instant;

/// Break the release binary on purpose, under load, and count the losses of clients
#[derive(Debug, Parser)]
struct Arguments {
    /// The faults (all of them without a name)
    #[arg(value_enum)]
    faults: Vec<Fault>,
    /// How often each fault strikes
    #[arg(long, default_value_t = 3)]
    strikes: u32,
    /// Repeat the list until this many minutes have passed
    #[arg(long, default_value_t = 0)]
    minutes: u64,
    /// Only on this database (SQLite and Postgres if none is named)
    #[arg(long, value_enum)]
    on: Option<Kind>,
    /// The number of shards on Citus, whose coordinator `CITUS_URL` names
    #[arg(long, default_value_t = 4)]
    shards: usize,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    if let [name, rest @ ..] = given.as_slice()
        && name == "ha"
    {
        return ha::main(rest).await;
    }
    let arguments = Arguments::parse();
    let end = Instant::now() + Duration::from_secs(60 * arguments.minutes);
    let mut rows = Vec::new();
    let chosen = arguments.chosen();
    ensure!(!chosen.is_empty(), "these faults do not concern this database: `--on` names another");
    loop {
        for (fault, kind) in chosen.clone() {
            match fault.missing(kind) {
                Some(missing) => say(&format!("{} on {kind}: SKIPPED, {missing}", name_of(&fault))),
                None => report::add(&mut rows, strike(fault, kind, &arguments).await?),
            }
        }
        if Instant::now() >= end {
            break;
        }
    }
    report::print(&rows);
    ensure!(rows.iter().all(Row::is_kept), "a promise is broken");
    Ok(())
}

impl Arguments {
    fn chosen(&self) -> Vec<(Fault, Kind)> {
        let faults = if self.faults.is_empty() { Fault::value_variants().to_vec() } else { self.faults.clone() };
        // Citus only by its name: a worker that is not a test's is killed.
        let is_chosen = |kind: Kind| self.on.map_or(kind != Kind::Citus, |on| on == kind);
        let kinds = Kind::value_variants().iter().filter(|kind| is_chosen(**kind));
        kinds.flat_map(|kind| faults.iter().map(move |fault| (*fault, *kind))).filter(|(f, k)| f.concerns(*k)).collect()
    }
}

/// Lets the fault strike as often as the arguments say, and returns the counts.
async fn strike(fault: Fault, kind: Kind, arguments: &Arguments) -> anyhow::Result<Row> {
    let mut stage = Stage::start(kind, fault.disk()?, arguments.shards).await?;
    let load = stage.load();
    let mut healed = Vec::new();
    for _ in 0..arguments.strikes.max(1) {
        stage.quiet().await;
        let over = fault.strike(&mut stage).await?;
        healed.push(stage.heals(over).await?);
    }
    stage.quiet().await;
    load.stop().await;
    let row = Row::new(fault, kind, healed, stage.settle().await?);
    say(&row.line());
    Ok(row)
}

/// The name of a fault on the command line.
pub(crate) fn name_of(fault: &impl ValueEnum) -> String {
    fault.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

#[expect(clippy::print_stdout, reason = "the result is for reading")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}
