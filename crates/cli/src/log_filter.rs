use anyhow::Result;
use clap::Args;

use crate::connection::Connection;
use crate::output::Reply;

/// The arguments of `gatepost log-filter`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = ENVIRONMENT)]
pub struct Arguments {
    /// The lines that the log is to have from now on; without it, the present filter is shown
    #[arg(value_name = "FILTER")]
    filter: Option<String>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost log-filter
  gatepost log-filter info,gatepost=debug
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost log-filter warn --json

The filter holds for the instance that answers, until it restarts or gets SIGHUP. LOG has the same form.";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_OPERATOR_TOKEN  an operator token with the scope admin";

/// Shows or changes the filter of the log.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let operator = connection.operator()?;
    let answered = match &arguments.filter {
        Some(filter) => operator.change_log_filter(filter).await,
        None => operator.find_log_filter().await,
    };
    let present = connection.heard(answered)?;
    let before = present.before.as_ref().map(|before| format!("the log had these lines before: {before}"));
    before.into_iter().fold(Reply::new(&present, &present.filter)?, Reply::remarking).print(arguments.json)
}
