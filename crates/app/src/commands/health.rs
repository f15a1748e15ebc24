use anyhow::Result;
use clap::Args;
use cli::WebAddress;
use cli::output::answer;

use crate::configuration::{Configuration, Loaded, Problem};

/// Ask the instance at `LISTEN` whether it is ready, as containers do
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(crate) struct Arguments {}

const EXAMPLES: &str = "\
Examples:
  gatepost health
  LISTEN=127.0.0.1:9000 gatepost health";

/// Succeeds if `/readyz` answers 200.
///
/// # Errors
///
/// When the instance is not ready, or does not answer.
pub(crate) async fn run(loaded: Loaded) -> Result<()> {
    let Configuration { listen, tls, .. } = loaded.configuration;
    doctor::health(WebAddress::socket_of_listener(listen), tls.is_on()).await?;
    Ok(answer("ready")?)
}

/// The port must be known.
pub(crate) fn needs(configuration: &Configuration) -> Vec<Problem> {
    if configuration.listen.port() != 0 {
        return Vec::new();
    }
    let rule = "`gatepost health` must know the port of the instance";
    vec![Problem::unfit("LISTEN", &configuration.listen.to_string(), rule)]
}
