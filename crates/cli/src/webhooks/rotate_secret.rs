use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::with_secret;
use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::times::duration;

/// Replace the signing secret of a subscription and print the new one, which is the only time that it is shown
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the subscription, as `gatepost webhooks list` shows it
    subscription_id: String,
    /// How long the old secret signs as well, such as 30m or 1d, at most 7d
    #[arg(long, value_name = "DURATION", default_value = "1d", value_parser = duration)]
    overlap: Duration,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks rotate-secret sub_01h455vb4pex5vsknk084sn02q \\
    --user alice > secret
  gatepost webhooks rotate-secret sub_01h455vb4pex5vsknk084sn02q \\
    --overlap 30m --user alice > secret";

/// Rotates a secret and prints the new one.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let id = &arguments.subscription_id;
    let consumer = connection.consumer(&arguments.owner).await?;
    let rotated = connection.heard(consumer.rotate_webhook_secret(id, None, Some(arguments.overlap)).await)?;
    with_secret(&rotated, "has a new secret, which is")
}
