use anyhow::Result;
use clap::Args;

use super::NamedOwner;
use super::show::reply;
use crate::connection::Connection;
use crate::consent::Consent;
use crate::output::Reply;

/// Suspend a user or an organization: keys and sessions are refused, and deliveries wait
#[derive(Debug, Args)]
#[command(before_help = SUSPEND_EXAMPLES)]
pub(super) struct SuspendArguments {
    #[command(flatten)]
    owner: NamedOwner,
    /// Why; the audit log has it
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    consent: Consent,
}

/// Make a suspended user or organization active again
#[derive(Debug, Args)]
#[command(before_help = ACTIVATE_EXAMPLES)]
pub(super) struct ActivateArguments {
    #[command(flatten)]
    owner: NamedOwner,
}

const SUSPEND_EXAMPLES: &str = "\
Examples:
  gatepost owners suspend --for-user mallory --reason unpaid --yes
  gatepost owners suspend --for-organization globex --yes";

const ACTIVATE_EXAMPLES: &str = "\
Examples:
  gatepost owners activate --for-user mallory";

/// Suspends the owner.
///
/// # Errors
///
/// When the call fails, or is not confirmed.
pub(super) async fn suspend(arguments: &SuspendArguments, connection: &Connection) -> Result<Reply> {
    let (owner, operator) = (arguments.owner.get()?, connection.operator()?);
    arguments.consent.ask(&format!("suspend {owner}"), "`gatepost owners activate` undoes it.", connection)?;
    reply(&connection.heard(operator.suspend_owner(&owner, arguments.reason.as_deref()).await)?)
}

/// Makes the owner active.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn activate(arguments: &ActivateArguments, connection: &Connection) -> Result<Reply> {
    reply(&connection.heard(connection.operator()?.activate_owner(&arguments.owner.get()?).await)?)
}
