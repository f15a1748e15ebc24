use anyhow::Result;
use clap::Args;

use crate::connection::Connection;
use crate::consent::Consent;
use crate::output::{Reply, member};
use crate::owner::Owner;

/// Delete a subscription and cancel its waiting deliveries
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the subscription, as `gatepost webhooks list` shows it
    subscription_id: String,
    #[command(flatten)]
    owner: Owner,
    #[command(flatten)]
    consent: Consent,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks delete sub_01h455vb4pex5vsknk084sn02q --user alice --yes";

/// Deletes a subscription.
///
/// # Errors
///
/// Without consent, or when the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let id = arguments.subscription_id.as_str();
    arguments.consent.get(&format!("delete {id} and cancel its waiting deliveries"), connection)?;
    let consumer = connection.consumer(&arguments.owner).await?;
    connection.heard(consumer.delete_subscription(id).await)?;
    Reply::new(&member("deleted", id), format!("{id} is deleted"))
}
