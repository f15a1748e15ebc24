use anyhow::Result;
use clap::Args;
use cli::output::{answer, answer_json};
use serde::Serialize;

/// Print the version
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost version
  gatepost version --json";

#[derive(Serialize)]
struct VersionAnswer {
    version: &'static str,
}

/// Prints the version of this binary.
///
/// # Errors
///
/// When standard output cannot be written.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    if arguments.json {
        answer_json(&VersionAnswer { version })?;
    } else {
        answer(&format!("gatepost {version}"))?;
    }
    Ok(())
}
