use anyhow::Result;
use clap::Args;
use gatepost_client::FailureCause;

use crate::connection::Connection;
use crate::output::{Reply, member};
use crate::owner::Owner;

/// Deliver again now the deliveries that failed for one cause, as `gatepost webhooks failures` lists it
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
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks retry-failures sub_01h455vb4pex5vsknk084sn02q \\
    --error status --status 500 --user alice
  gatepost webhooks retry-failures sub_01h455vb4pex5vsknk084sn02q \\
    --error timeout --user alice
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost webhooks retry-failures \\
    sub_01h455vb4pex5vsknk084sn02q --error dns --for-user alice";

/// Retries a group of failed deliveries.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection) -> Result<Reply> {
    let Arguments { subscription_id, error, status, owner } = arguments;
    let cause = FailureCause { subscription_id, error, status };
    let deliveries = connection.heard(connection.consumer(&owner).await?.retry_failures(&cause).await)?;
    let what = if deliveries == 1 { "1 delivery is" } else { &format!("{deliveries} deliveries are") };
    Reply::new(&member("deliveries", deliveries), format!("{what} due now"))
}
