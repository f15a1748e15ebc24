use anyhow::Result;
use clap::Args;

use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::table::table_by_hour;

/// Show how attempts at deliveries ended, by the hour
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Only deliveries to this subscription
    #[arg(long, value_name = "ID")]
    subscription: Option<String>,
    /// How many hours, at most 744
    #[arg(long, default_value_t = 24)]
    hours: u32,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks outcomes --user alice
  gatepost webhooks outcomes --subscription sub_01h455vb4pex5vsknk084sn02q \\
    --hours 744 --user alice --json";

/// Prints the hours with attempts, the earliest first.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let outcomes = match &arguments.subscription {
        Some(id) => consumer.subscription_outcomes(id, arguments.hours).await,
        None => consumer.outcomes(arguments.hours).await,
    };
    let outcomes = connection.heard(outcomes)?;
    let counts = |counts: gatepost_client::OutcomeCounts| [counts.delivered, counts.retried, counts.exhausted];
    let hours = outcomes.hours.iter().map(|hour| (hour.start.clone(), counts(hour.counts)));
    Reply::new(&outcomes, table_by_hour(["DELIVERED", "RETRIED", "EXHAUSTED"], hours, counts(outcomes.total)))
}
