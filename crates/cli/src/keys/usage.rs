use anyhow::Result;
use clap::Args;

use crate::connection::{Connection, Owner};
use crate::output::{answer, answer_json};
use crate::table::table_by_hour;

/// Show how often a key was verified, by the hour
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the key, as `gatepost keys list` shows it
    key_id: String,
    /// How many hours, at most 744
    #[arg(long, default_value_t = 24)]
    hours: u32,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys usage key_01h455vb4pex5vsknk084sn02q --user alice
  gatepost keys usage key_01h455vb4pex5vsknk084sn02q --hours 744 --user alice";

/// Prints the hours with verifications, the earliest first.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection, json: bool) -> Result<()> {
    let user = connection.user(arguments.owner.name()).await?;
    let usage = connection.heard(user.key_usage(&arguments.key_id, arguments.hours).await)?;
    if json {
        return Ok(answer_json(&usage)?);
    }
    let counts = |counts: gatepost_client::KeyUsageCounts| [counts.accepted, counts.limited, counts.refused];
    let hours = usage.hours.into_iter().map(|hour| (hour.start, counts(hour.counts)));
    Ok(answer(&table_by_hour(["ACCEPTED", "LIMITED", "REFUSED"], hours, counts(usage.total)))?)
}
