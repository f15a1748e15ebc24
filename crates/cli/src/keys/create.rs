use anyhow::Result;
use clap::Args;
use gatepost_client::NewApiKey;

use super::{pair, reply};
use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::times::future;

/// Create a key and print it, which is the only time that it is shown
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The label of the key: 1 to 100 characters
    label: String,
    /// The expiry time: 2027-01-01T00:00:00Z, or 90d for 90 days from now
    #[arg(long, value_name = "TIME", value_parser = future, alias = "expires-in")]
    expires_at: Option<String>,
    /// A scope of the key; repeatable
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// A pair for your application, such as plan=pro; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    metadata: Vec<(String, String)>,
    /// How often the key may be used, such as 100/s
    #[arg(long, value_name = "LIMIT")]
    rate_limit: Option<String>,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys create \"CI deploy\" --user alice
  gatepost keys create billing --scope invoices:read --scope invoices:write \\
    --expires-at 90d --user alice
  gatepost keys create \"CI deploy\" --user alice > key";

/// Creates a key and prints it.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection) -> Result<Reply> {
    let user = connection.user(&arguments.owner).await?;
    let mut new = NewApiKey::labelled(arguments.label).with_scopes(arguments.scopes);
    if let Some(expires_at) = arguments.expires_at {
        new = new.ending_at(expires_at);
    }
    new = arguments.metadata.into_iter().fold(new, |new, (name, value)| new.with_metadata(name, value));
    if let Some(rate_limit) = arguments.rate_limit {
        new = new.with_rate_limit(rate_limit);
    }
    reply(&connection.heard(user.create_api_key(new).await)?)
}
