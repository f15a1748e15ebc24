use anyhow::Result;
use clap::Args;
use gatepost_client::AttemptTimes;

use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::times::shown;

/// Show how long the attempts at the deliveries to a subscription take
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the subscription
    subscription_id: String,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks times sub_01h455vb4pex5vsknk084sn02q --user alice
  gatepost webhooks times sub_01h455vb4pex5vsknk084sn02q --user alice --json";

/// Prints the median and the 95th percentile.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let times = connection.heard(consumer.attempt_times(&arguments.subscription_id).await)?;
    Reply::new(&times, in_words(&times))
}

fn in_words(AttemptTimes { since, attempts, p50_ms, p95_ms, .. }: &AttemptTimes) -> String {
    match (p50_ms, p95_ms) {
        (Some(p50), Some(p95)) => {
            let of = if *attempts == 1 { "1 attempt" } else { &format!("{attempts} attempts") };
            format!("p50 {p50} ms, p95 {p95} ms: {of} since {}", shown(since))
        }
        _ => format!("no attempts since {}", shown(since)),
    }
}
