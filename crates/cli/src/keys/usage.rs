use anyhow::Result;
use clap::Args;
use gatepost_client::DailyUsesOfKey;

use crate::connection::Connection;
use crate::listing::Listing;
use crate::output::Reply;
use crate::owner::Owner;
use crate::table::table_by_hour;

/// Show how often a key was verified, by the hour, or how often all keys were used, by the day
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the key, as `gatepost keys list` shows it; without it, all active keys
    key_id: Option<String>,
    /// How many hours, at most 744
    #[arg(long, default_value_t = 24, requires = "key_id")]
    hours: u32,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys usage --user alice
  gatepost keys usage key_01h455vb4pex5vsknk084sn02q --user alice
  gatepost keys usage key_01h455vb4pex5vsknk084sn02q --hours 744 --user alice";

const DAILY: Listing<4> = Listing { items: "active keys", heads: ["ID", "LAST DAY", "7 DAYS", "30 DAYS"] };

/// Prints the hours with verifications of a key, the earliest first, or a row for each key.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let user = connection.user(&arguments.owner).await?;
    if let Some(id) = &arguments.key_id {
        return by_hour(&connection.heard(user.key_usage(id, arguments.hours).await)?);
    }
    let daily = connection.heard(user.daily_uses().await)?;
    DAILY.of(&daily, daily.keys.iter().map(row))
}

fn by_hour(usage: &gatepost_client::KeyUsage) -> Result<Reply> {
    let counts = |counts: gatepost_client::KeyUsageCounts| [counts.accepted, counts.limited, counts.refused];
    let hours = usage.hours.iter().map(|hour| (hour.start.clone(), counts(hour.counts)));
    Reply::new(usage, table_by_hour(["ACCEPTED", "LIMITED", "REFUSED"], hours, counts(usage.total)))
}

/// The days of a key end with the present one.
fn row(DailyUsesOfKey { key_id, days, .. }: &DailyUsesOfKey) -> [String; 4] {
    let last = |count: usize| days.iter().rev().take(count).sum::<u64>().to_string();
    [key_id.clone(), last(1), last(7), last(days.len())]
}
