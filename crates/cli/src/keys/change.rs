use adapters_system::SystemClock;
use anyhow::Result;
use clap::{ArgGroup, Args};
use domain::ports::Clock;
use gatepost_client::ApiKeyChange;

use super::pair;
use super::show::lines;
use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::times::future;

/// Change a key: its label, metadata, rate limit or end, or disable it
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
#[command(group = ArgGroup::new("changes").required(true).multiple(true).args([
    "label", "metadata", "removed", "rate_limit", "disable", "enable", "expires_at",
]))]
pub(super) struct Arguments {
    /// The id of the key, as `gatepost keys list` shows it
    key_id: String,
    /// The new label: 1 to 100 characters
    #[arg(long)]
    label: Option<String>,
    /// A pair for your application, such as plan=pro; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    metadata: Vec<(String, String)>,
    /// A name of the metadata to remove; repeatable
    #[arg(long = "remove-metadata", value_name = "NAME")]
    removed: Vec<String>,
    /// How often the key may be used, such as 100/s; `default` for the limit of the service
    #[arg(long, value_name = "LIMIT")]
    rate_limit: Option<String>,
    /// Refuse the key until it is enabled again
    #[arg(long, conflicts_with = "enable")]
    disable: bool,
    /// Accept a disabled key again
    #[arg(long)]
    enable: bool,
    /// An earlier end: 2027-01-01T00:00:00Z, or 90d for 90 days from now
    #[arg(long, value_name = "TIME", value_parser = future)]
    expires_at: Option<String>,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys change key_01h455vb4pex5vsknk084sn02q --disable --user alice
  gatepost keys change key_01h455vb4pex5vsknk084sn02q --metadata plan=pro \\
    --rate-limit 100/s --user alice";

/// Changes a key and prints it.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection) -> Result<Reply> {
    let user = connection.user(&arguments.owner).await?;
    let changed = user.change_api_key(&arguments.key_id, &arguments.change()).await;
    let key = connection.heard(changed)?;
    Reply::new(&key, lines(&key, &SystemClock.now().to_string()))
}

impl Arguments {
    fn change(&self) -> ApiKeyChange {
        let mut change = ApiKeyChange::default();
        if let Some(label) = &self.label {
            change = change.label(label);
        }
        for (name, value) in &self.metadata {
            change = change.metadata(name, Some(value.clone()));
        }
        for name in &self.removed {
            change = change.metadata(name, None);
        }
        if let Some(limit) = &self.rate_limit {
            change = change.rate_limit((limit != "default").then(|| limit.clone()));
        }
        if self.disable || self.enable {
            change = change.disabled(self.disable);
        }
        match &self.expires_at {
            Some(expires_at) => change.ending_at(expires_at),
            None => change,
        }
    }
}
