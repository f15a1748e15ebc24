//! `gatepost event-types`: one file for each action.

mod apply;
mod list;
mod show;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::connection::Connection;

/// The arguments of `gatepost event-types`.
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
    Show(show::Arguments),
    Apply(apply::Arguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost event-types apply -f catalogue.json --dry-run
  gatepost event-types list
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost event-types show invoice.paid";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_OPERATOR_TOKEN  an operator token with the scope catalogue; without GATEPOST_URL the default is the token of
                           this machine's configuration, or the token that `gatepost dev` made in this folder";

/// Runs an action on the catalogue of event types.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let reply = match arguments.action {
        Action::List(_) => list::run(connection).await,
        Action::Show(show) => show::run(&show, connection).await,
        Action::Apply(apply) => apply::run(&apply, connection).await,
    };
    reply?.print(arguments.json)
}
