use anyhow::Result;
use clap::Args;
use cli::output::answer;

/// Print the API's OpenAPI 3.1 document
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
/// When it cannot be printed.
pub(crate) fn run() -> Result<()> {
    Ok(answer(&adapters_http::openapi_json())?)
}
