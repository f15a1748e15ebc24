use anyhow::Result;
use clap::{Args, Subcommand};
use cli::output::{Reply, member};
use domain::ports::MigrationStatus;
use serde::Serialize;

use super::start_log;
use crate::configuration::{Configuration, Loaded};
use crate::database::{migrations, open_store};

/// Migrate the database schema, or list its migrations
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the migrations and change nothing
    #[command(before_help = STATUS_EXAMPLES)]
    Status,
}

const EXAMPLES: &str = "\
Examples:
  gatepost migrate
  gatepost migrate status
  DATABASE_URL=postgres://gatepost@db/gatepost gatepost migrate --json";

const STATUS_EXAMPLES: &str = "\
Examples:
  gatepost migrate status
  gatepost migrate status --json";

#[derive(Serialize)]
struct MigrationAnswer {
    name: String,
    applied: bool,
}

/// Applies or lists migrations.
///
/// # Errors
///
/// When the database is not available, or its schema is newer than this program.
pub(crate) async fn run(arguments: Arguments, loaded: Loaded) -> Result<()> {
    let _log = start_log(&loaded)?;
    let configuration = loaded.configuration;
    match arguments.action {
        None => apply(&configuration, arguments.json).await,
        Some(Action::Status) => status(&configuration, arguments.json).await,
    }
}

async fn apply(configuration: &Configuration, json: bool) -> Result<()> {
    let store = open_store(configuration).await?;
    let applied = store.schema.migrate().await;
    store.close().await;
    let applied = applied?;
    let lines: Vec<String> = applied.iter().map(|name| format!("applied  {name}")).collect();
    let words = if lines.is_empty() { "the schema is up to date".to_owned() } else { lines.join("\n") };
    Reply::new(&member("applied", applied), words)?.print(json)
}

async fn status(configuration: &Configuration, json: bool) -> Result<()> {
    let migrations = migrations(configuration).await?;
    let lines = migrations.iter().map(|migration| {
        let state = if migration.applied { "applied" } else { "pending" };
        format!("{state}  {}", migration.name)
    });
    let words = lines.collect::<Vec<_>>().join("\n");
    let answers = migrations.into_iter().map(|MigrationStatus { name, applied }| MigrationAnswer { name, applied });
    Reply::new(&member("migrations", answers.collect::<Vec<_>>()), words)?.print(json)
}
