//! The operator's API of events from the shell: one action, one file.

mod publish;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::connection::Connection;

/// Publish events, as the host application does
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
    Publish(publish::Arguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost events publish --user alice --type invoice.paid --data '{\"invoiceId\":\"in_42\"}'
  GATEPOST_OPERATOR_TOKEN_FILE=token gatepost events publish --user alice --type invoice.paid --data @invoice.json";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that holds the value):
  GATEPOST_URL             where Gatepost runs; without it, where this configuration would run it
  GATEPOST_OPERATOR_TOKEN  the operator. Without it and GATEPOST_URL, the token that this configuration has, or that
                           `gatepost dev` made in this folder";

/// Does one thing with events.
///
/// # Errors
///
/// When nobody can be called, or the call is refused.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    match arguments.action {
        Action::Publish(publish) => publish::run(publish, connection, arguments.json).await,
    }
}
