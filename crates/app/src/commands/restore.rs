use std::path::PathBuf;

use adapters_sqlite::{BackupError, restore};
use anyhow::{Context, Result, bail};
use clap::Args;
use cli::output::{Reply, remark};
use serde::Serialize;

use crate::configuration::Loaded;

/// Replace the database by a backup, after Gatepost has stopped
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file that `gatepost backup` wrote
    file: PathBuf,
    /// Replace an existing database, and keep it next to the restored one
    #[arg(long)]
    replace: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost restore /var/backups/gatepost.db
  gatepost restore /var/backups/gatepost.db --replace";

/// The consequence that a person must know before the service starts again.
const MEANING: &str = "the database is as old as the backup: keys and sessions that were ended since then are good \
                       again, and webhooks that were delivered since then may be delivered again; see docs/backups.md";

#[derive(Serialize)]
struct RestoreAnswer {
    database: PathBuf,
    replaced: Option<PathBuf>,
}

/// Restores a backup of a SQLite database. For Postgres, names the command to run.
///
/// # Errors
///
/// When the backup is damaged, the database is in use or exists already, or the database is on Postgres.
pub(crate) async fn run(Arguments { file, replace, json }: Arguments, loaded: Loaded) -> Result<()> {
    let Some(database) = loaded.configuration.database_url.file() else {
        bail!(
            "Postgres has its own program for this; name an empty database in DATABASE_URL, and run: pg_restore \
             --single-transaction --dbname=\"$DATABASE_URL\" '{}'",
            file.display()
        );
    };
    let database = std::path::absolute(database)?;
    let restored = restore(file.clone(), database.clone(), replace).await;
    let replaced = match restored {
        Err(error @ BackupError::Exists(_)) if !replace => return Err(error).context("--replace replaces it"),
        restored => restored?,
    };
    remark(MEANING);
    let kept = replaced.as_ref().map(|old| format!("; what was there is {}", old.display())).unwrap_or_default();
    let words = format!("{} is restored to {}{kept}", file.display(), database.display());
    Reply::new(&RestoreAnswer { database, replaced }, words)?.print(json)
}
