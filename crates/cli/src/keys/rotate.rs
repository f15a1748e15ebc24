use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::show;
use crate::connection::{Connection, Owner};

/// Replace a key with a new one and print it, which is the only time that it is shown
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the old key, as `gatepost keys list` shows it
    key_id: String,
    /// Seconds for which the old key stays valid, at most a week
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    overlap_seconds: u64,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys rotate key_01h455vb4pex5vsknk084sn02q --user alice
  gatepost keys rotate key_01h455vb4pex5vsknk084sn02q --overlap-seconds 86400 > key";

/// Rotates a key and prints the new one.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection, json: bool) -> Result<()> {
    let user = connection.user(arguments.owner.name()).await?;
    let overlap = Duration::from_secs(arguments.overlap_seconds);
    show(&connection.heard(user.rotate_api_key(&arguments.key_id, overlap).await)?, json)
}
