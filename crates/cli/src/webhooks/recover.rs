use anyhow::Result;
use clap::Args;

use crate::connection::Connection;
use crate::output::{Reply, member};
use crate::owner::Owner;
use crate::times::past;

/// Enable a subscription, and deliver again now the failed and waiting deliveries since a time
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the subscription, as `gatepost webhooks list` shows it
    subscription_id: String,
    /// Only events published at this time or later: 2026-11-21T00:00:00Z, or 2h for two hours ago
    #[arg(long, value_name = "TIME", value_parser = past)]
    since: String,
    /// Only count the deliveries, up to 10,000, without any change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks recover sub_01h455vb4pex5vsknk084sn02q --since 2h \\
    --user alice
  gatepost webhooks recover sub_01h455vb4pex5vsknk084sn02q \\
    --since 2026-11-21T00:00:00Z --user alice";

/// Recovers a subscription.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let Arguments { subscription_id: id, since, dry_run, owner } = arguments;
    let consumer = connection.consumer(owner).await?;
    let (deliveries, what) = if *dry_run {
        (connection.heard(consumer.count_recoverable(id, since).await)?, "would have these deliveries due now:")
    } else {
        (
            connection.heard(consumer.recover_subscription(id, since).await)?,
            "is enabled, and these deliveries are due now:",
        )
    };
    Reply::new(&member("deliveries", deliveries), format!("{id} {what} {deliveries}"))
}
