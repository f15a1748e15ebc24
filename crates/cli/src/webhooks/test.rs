use anyhow::Result;
use clap::Args;

use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;

/// Send an event of the type webhook.test to one subscription
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the subscription, as `gatepost webhooks list` shows it
    subscription_id: String,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks test sub_01h455vb4pex5vsknk084sn02q --user alice";

/// Sends the test.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let id = &arguments.subscription_id;
    let consumer = connection.consumer(&arguments.owner).await?;
    let test = connection.heard(consumer.test_subscription(id).await)?;
    let whose = arguments.owner.as_arguments();
    let reply = Reply::new(&test, format!("sending {} to {id}", test.event.id))?;
    Ok(reply.remarking(format!("`gatepost webhooks deliveries --subscription {id}{whose}` shows the result")))
}
