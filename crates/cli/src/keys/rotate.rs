use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::reply;
use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::times::duration;

/// Replace a key with a new one and print it, which is the only time that it is shown
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the old key, as `gatepost keys list` shows it
    key_id: String,
    /// How long the old key stays valid, such as 30m or 1d, at most 7d
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = duration)]
    overlap: Duration,
    /// The same in seconds
    #[arg(long, value_name = "SECONDS", hide = true, conflicts_with = "overlap")]
    overlap_seconds: Option<u64>,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys rotate key_01h455vb4pex5vsknk084sn02q --user alice
  gatepost keys rotate key_01h455vb4pex5vsknk084sn02q --overlap 1d \\
    --user alice > key";

/// Rotates a key and prints the new one.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let user = connection.user(&arguments.owner).await?;
    let overlap = arguments.overlap_seconds.map_or(arguments.overlap, Duration::from_secs);
    reply(&connection.heard(user.rotate_api_key(&arguments.key_id, overlap).await)?)
}
