//! `gatepost owners`: one file for each action, and one for both states.

mod set;
mod show;
mod state;

use anyhow::Result;
use clap::{ArgGroup, Args, Subcommand};

use crate::connection::Connection;
use crate::owner::Owner;

/// The arguments of `gatepost owners`.
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
    Show(show::Arguments),
    Set(set::Arguments),
    Suspend(state::SuspendArguments),
    Activate(state::ActivateArguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost owners show --for-user alice
  gatepost owners set --for-organization globex --metadata plan=pro
  gatepost owners suspend --for-user mallory --reason unpaid --yes
  gatepost owners activate --for-user mallory";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_OPERATOR_TOKEN  an operator token: the scope support shows, the scope manage changes";

// An owner whom the operator names. Not a doc comment: clap would show it as the help of each command.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("owner").required(true).args(["user", "for_user", "for_organization"])
    .conflicts_with("organization"))]
struct NamedOwner {
    #[command(flatten)]
    owner: Owner,
}

impl NamedOwner {
    /// The owner, and the arguments to repeat.
    fn get(&self) -> Result<gatepost_client::Owner> {
        let owner = self.owner.of_operator(true);
        owner.ok_or_else(|| anyhow::anyhow!("--for-user or --for-organization is required"))
    }
}

/// Runs an action on the record of an owner.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let reply = match arguments.action {
        Action::Show(arguments) => show::run(&arguments, connection).await,
        Action::Set(arguments) => set::run(arguments, connection).await,
        Action::Suspend(arguments) => state::suspend(&arguments, connection).await,
        Action::Activate(arguments) => state::activate(&arguments, connection).await,
    };
    reply?.print(arguments.json)
}
