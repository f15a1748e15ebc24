use std::path::PathBuf;

use adapters_sqlite::{back_up, note_backup};
use adapters_system::SystemClock;
use anyhow::{Result, bail};
use clap::Args;
use cli::output::{Reply, remark};
use domain::ports::Clock;
use serde::Serialize;

use crate::configuration::Loaded;

/// Copy the database to a file, while Gatepost serves it
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The new file
    file: PathBuf,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost backup /var/backups/gatepost.db
  gatepost backup \"/var/backups/gatepost-$(date +%F).db\" --json";

#[derive(Serialize)]
struct BackupAnswer {
    file: PathBuf,
    bytes: u64,
}

/// Copies a SQLite database. For Postgres, names the command to run.
///
/// # Errors
///
/// When the copy fails, or the database is on Postgres.
pub(crate) async fn run(Arguments { file, json }: Arguments, loaded: Loaded) -> Result<()> {
    let Some(database) = loaded.configuration.database_url.file() else {
        bail!(
            "Postgres has its own program for this; run: pg_dump --format=custom --file='{}' \"$DATABASE_URL\"",
            file.display()
        );
    };
    let began = SystemClock.now();
    let bytes = back_up(database.to_owned(), file.clone()).await?;
    if let Err(error) = note_backup(database, began) {
        remark(&format!("warning: the metric of the last backup does not count this one: {error}"));
    }
    let words = format!("{} has the whole database, in {bytes} bytes", file.display());
    Reply::new(&BackupAnswer { file, bytes }, words)?.print(json)
}
