use anyhow::Result;
use clap::Args;
use gatepost_client::FailureCause;

use crate::connection::{Access, AnyOwner, Connection};
use crate::output::{Reply, member};

/// Deliver again now what failed for one cause, as `gatepost webhooks failures` lists it
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the subscription
    subscription_id: String,
    /// Why the last attempt failed; without it, deliveries without a failed attempt
    #[arg(long)]
    error: Option<String>,
    /// The status of the answer to the last attempt
    #[arg(long)]
    status: Option<u16>,
    #[command(flatten)]
    owner: AnyOwner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks retry-failures sub_01h455vb4pex5vsknk084sn02q \\
    --error status --status 500 --user alice
  gatepost webhooks retry-failures sub_01h455vb4pex5vsknk084sn02q \\
    --error timeout --user alice
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost webhooks retry-failures \\
    sub_01h455vb4pex5vsknk084sn02q --error dns --user alice";

/// Retries a group of failed deliveries.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection) -> Result<Reply> {
    let Arguments { subscription_id, error, status, owner } = arguments;
    let cause = FailureCause { subscription_id, error, status };
    let retried = match connection.webhook_access(owner.name()).await? {
        Access::User(user) => user.retry_failures(&cause).await,
        Access::Operator(operator, user_id) => operator.retry_user_failures(&user_id, &cause).await,
    };
    let deliveries = connection.heard(retried)?;
    let what = if deliveries == 1 { "1 delivery is" } else { &format!("{deliveries} deliveries are") };
    Reply::new(&member("deliveries", deliveries), format!("{what} due now"))
}
