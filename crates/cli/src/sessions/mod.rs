//! `gatepost sessions`: one file for each action.

mod end;
mod list;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::connection::Connection;

/// The arguments of `gatepost sessions`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = ENVIRONMENT, subcommand_required = true, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::Arguments),
    End(end::Arguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost sessions list --user alice
  gatepost sessions end --all --user alice";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL       the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_ID_TOKEN  an ID token of the user who signed in";

/// Runs an action on sessions.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let reply = match arguments.action {
        Action::List(arguments) => list::run(&arguments, connection).await,
        Action::End(arguments) => end::run(&arguments, connection).await,
    };
    reply?.print(arguments.json)
}
