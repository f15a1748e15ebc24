//! The program's version and API document.

use anyhow::Result;
use clap::Args;
use cli::output::{Reply, answer, member};

/// Print the version
#[derive(Debug, Args)]
#[command(before_help = VERSION_EXAMPLES)]
pub(crate) struct VersionArguments {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const VERSION_EXAMPLES: &str = "\
Examples:
  gatepost version
  gatepost version --json";

/// Print the OpenAPI 3.1 document of the API
#[derive(Debug, Args)]
#[command(before_help = OPENAPI_EXAMPLES)]
pub(crate) struct OpenapiArguments {}

const OPENAPI_EXAMPLES: &str = "\
Examples:
  gatepost openapi > openapi.json";

/// Prints the version of this binary.
///
/// # Errors
///
/// When standard output cannot be written.
pub(crate) fn version(arguments: &VersionArguments) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    Reply::new(&member("version", version), format!("gatepost {version}"))?.print(arguments.json)
}

/// Prints the document of the API.
///
/// # Errors
///
/// When standard output cannot be written.
pub(crate) fn openapi() -> Result<()> {
    Ok(answer(&adapters_http::openapi_json())?)
}
