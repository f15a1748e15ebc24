//! `gatepost events`: one file for each action.

mod list;
mod publish;
mod publish_batch;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::connection::Connection;

/// The arguments of `gatepost events`.
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
    Publish(publish::Arguments),
    PublishBatch(publish_batch::Arguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost events publish --user alice --type invoice.paid \\
    --data '{\"invoiceId\":\"in_42\"}'
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost events publish --user alice \\
    --type invoice.paid --data @invoice.json";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_OPERATOR_TOKEN  the operator token; without GATEPOST_URL the default is the token of this machine's
                           configuration, or the token that `gatepost dev` made in this folder";

/// Runs an action on events.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let reply = match arguments.action {
        Action::List(list) => list::run(list, connection).await,
        Action::Publish(publish) => publish::run(publish, connection).await,
        Action::PublishBatch(_) => publish_batch::run(connection).await,
    };
    reply?.print(arguments.json)
}
