use anyhow::Result;
use clap::Args;
use cli::output::answer;

/// Print the OpenAPI 3.1 document of the API
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {}

const EXAMPLES: &str = "\
Examples:
  gatepost openapi > openapi.json";

/// Prints the document.
///
/// # Errors
///
/// When standard output cannot be written.
pub(crate) fn run() -> Result<()> {
    Ok(answer(&adapters_http::openapi_json())?)
}
