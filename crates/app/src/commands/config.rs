use anyhow::Result;
use clap::Args;
use cli::output::Reply;
use cli::table;

use crate::configuration::{Effective, Loaded};

/// Show the configuration and where each value came from, with secrets masked
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
    /// Print the reference page of all settings in Markdown instead
    #[arg(long, conflicts_with = "json")]
    pub(crate) reference: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost config
  gatepost --config staging.toml config
  LISTEN=0.0.0.0:8080 gatepost config --json";

/// Prints the configuration.
///
/// # Errors
///
/// When standard output cannot be written.
pub(crate) fn run(arguments: &Arguments, loaded: &Loaded) -> Result<()> {
    let rows = table(["NAME", "VALUE", "ORIGIN"], loaded.effective.iter().map(row));
    Reply::new(&loaded.effective, rows)?.print(arguments.json)
}

fn row(setting: &Effective) -> [String; 3] {
    [setting.name.to_owned(), setting.value.clone().unwrap_or_else(|| "-".to_owned()), setting.origin.to_string()]
}
