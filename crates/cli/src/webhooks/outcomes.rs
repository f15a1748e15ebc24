use anyhow::Result;
use clap::Args;

use crate::connection::{Connection, Owner};
use crate::output::{answer, answer_json};
use crate::table::table;

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
pub(super) async fn run(arguments: &Arguments, connection: &Connection, json: bool) -> Result<()> {
    let consumer = connection.consumer(arguments.owner.name()).await?;
    let outcomes = match &arguments.subscription {
        Some(id) => consumer.subscription_outcomes(id, arguments.hours).await,
        None => consumer.outcomes(arguments.hours).await,
    };
    let outcomes = connection.heard(outcomes)?;
    if json {
        return Ok(answer_json(&outcomes)?);
    }
    let row = |start: &str, counts: gatepost_client::OutcomeCounts| {
        let counts = [counts.delivered, counts.retried, counts.exhausted].map(|count| count.to_string());
        let [delivered, retried, exhausted] = counts;
        [start.to_owned(), delivered, retried, exhausted]
    };
    let busy = outcomes.hours.iter().map(|hour| row(&hour.start, hour.counts));
    let busy = busy.filter(|row| row[1..].iter().any(|count| count != "0"));
    let rows = busy.chain([row("total", outcomes.total)]);
    Ok(answer(&table(["HOUR", "DELIVERED", "RETRIED", "EXHAUSTED"], rows))?)
}
