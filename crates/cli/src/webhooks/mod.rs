//! The API of webhooks from the shell: one action, one file.

mod create;
mod delete;
mod deliveries;
mod list;
mod retry;
mod test;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::connection::Connection;

/// Subscribe URLs to a user's webhooks, test them, and see what was delivered
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
    Create(create::Arguments),
    Delete(delete::Arguments),
    Test(test::Arguments),
    Deliveries(deliveries::Arguments),
    Retry(retry::Arguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks list --user alice                where `gatepost dev` runs
  GATEPOST_API_KEY_FILE=key gatepost webhooks list   as whoever the API key belongs to
  gatepost webhooks create http://127.0.0.1:9000/hook --event '*' --user alice
  gatepost webhooks deliveries --state failed";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that holds the value):
  GATEPOST_URL       where Gatepost runs; without it, where this configuration would run it
  GATEPOST_API_KEY   the user whose webhooks they are
  GATEPOST_ID_TOKEN  the same, where no API key is set";

/// Does one thing with webhooks.
///
/// # Errors
///
/// When nobody can be called, or the call is refused.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let json = arguments.json;
    match arguments.action {
        Action::List(arguments) => list::run(&arguments, connection, json).await,
        Action::Create(arguments) => create::run(arguments, connection, json).await,
        Action::Delete(arguments) => delete::run(&arguments, connection, json).await,
        Action::Test(arguments) => test::run(&arguments, connection, json).await,
        Action::Deliveries(arguments) => deliveries::run(arguments, connection, json).await,
        Action::Retry(arguments) => retry::run(&arguments, connection, json).await,
    }
}
