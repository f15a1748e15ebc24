use adapters_system::SystemClock;
use anyhow::Result;
use clap::Args;
use domain::ports::Clock;
use gatepost_client::{ApiKey, Error, Problem};

use super::list::{keys_of, state};
use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::table::named_lines;
use crate::times::shown;

/// Show a key: its scopes, its end, and the key that replaces it
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the key, as `gatepost keys list` shows it
    key_id: String,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys show key_01h455vb4pex5vsknk084sn02q --user alice";

/// Prints the key.
///
/// # Errors
///
/// When the call fails, or the user has no such key.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let keys = keys_of(&arguments.owner, connection).await?;
    let key = keys.into_iter().find(|key| key.id == arguments.key_id).ok_or_else(not_found)?;
    Reply::new(&key, lines(&key, &SystemClock.now().to_string()))
}

/// The service has no call for one key: its list has all keys, except those that ended long ago.
fn not_found() -> Error {
    let mut problem = Problem::default();
    problem.status = 404;
    problem.code = Some("key_not_found".to_owned());
    problem.detail = Some("the user has no such key, or it ended long ago".to_owned());
    Error::Refused(Box::new(problem))
}

pub(super) fn lines(key: &ApiKey, now: &str) -> String {
    let time = |at: &Option<String>| at.as_deref().map_or_else(|| "never".to_owned(), shown);
    let scopes = if key.scopes.is_empty() { "none".to_owned() } else { key.scopes.join(" ") };
    let metadata: Vec<String> = key.metadata.iter().map(|(name, value)| format!("{name}={value}")).collect();
    named_lines(&[
        ("id", key.id.clone()),
        ("label", key.label.clone()),
        ("prefix", key.prefix.clone()),
        ("state", state(key, now)),
        ("scopes", scopes),
        ("created", shown(&key.created_at)),
        ("last used", time(&key.last_used_at)),
        ("expires", time(&key.expires_at)),
        ("rate limit", key.rate_limit.clone().unwrap_or_default()),
        ("metadata", metadata.join(" ")),
        ("replaced by", key.replaced_by.clone().unwrap_or_default()),
    ])
}
