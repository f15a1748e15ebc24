use anyhow::Result;
use clap::Args;
use gatepost_client::FailureGroup;

use crate::connection::{Access, AnyOwner, Connection};
use crate::listing::Listing;
use crate::output::Reply;

/// List failed deliveries, grouped by cause
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Only deliveries to this subscription
    #[arg(long, value_name = "ID")]
    subscription: Option<String>,
    #[command(flatten)]
    owner: AnyOwner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks failures --user alice
  gatepost webhooks failures --subscription sub_01h455vb4pex5vsknk084sn02q \\
    --user alice --json
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost webhooks failures --user alice";

const LISTING: Listing<5> =
    Listing { items: "failed deliveries", heads: ["DELIVERIES", "ERROR", "STATUS", "SUBSCRIPTION", "URL"] };

/// Prints the causes.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let subscription = arguments.subscription.as_deref();
    let failures = match connection.webhook_access(arguments.owner.name()).await? {
        Access::User(user) => user.list_failures(subscription).await,
        Access::Operator(operator, user_id) => operator.list_user_failures(&user_id, subscription).await,
    };
    let failures = connection.heard(failures)?;
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
