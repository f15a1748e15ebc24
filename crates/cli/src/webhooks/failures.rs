use anyhow::Result;
use clap::Args;
use gatepost_client::FailureGroup;

use crate::connection::Connection;
use crate::listing::Listing;
use crate::output::Reply;
use crate::owner::Owner;

/// List failed deliveries, grouped by cause
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Only deliveries to this subscription
    #[arg(long, value_name = "ID")]
    subscription: Option<String>,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks failures --user alice
  gatepost webhooks failures --subscription sub_01h455vb4pex5vsknk084sn02q \\
    --user alice --json
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost webhooks failures \\
    --for-user alice";

const LISTING: Listing<5> =
    Listing { items: "failed deliveries", heads: ["DELIVERIES", "ERROR", "STATUS", "SUBSCRIPTION", "URL"] };

/// Prints the causes.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let subscription = arguments.subscription.as_deref();
    let consumer = connection.consumer(&arguments.owner).await?;
    let failures = connection.heard(consumer.list_failures(subscription).await)?;
    let mut reply = LISTING.of(&failures, failures.failures.iter().map(row))?;
    if failures.failures.is_empty() {
        return Ok(reply);
    }
    if !failures.is_complete {
        reply = reply.remarking("there are more: only the newest 1,000 are counted");
    }
    Ok(reply.remarking("retry a group: gatepost webhooks retry-failures SUBSCRIPTION --error ERROR --status STATUS"))
}

fn row(group: &FailureGroup) -> [String; 5] {
    let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let FailureGroup { cause, url, deliveries, .. } = group;
    let status = shown(cause.status.map(|status| status.to_string()));
    [deliveries.to_string(), shown(cause.error.clone()), status, cause.subscription_id.clone(), url.clone()]
}
