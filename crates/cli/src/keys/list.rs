use adapters_system::SystemClock;
use anyhow::Result;
use clap::Args;
use domain::ports::Clock;
use gatepost_client::ApiKey;

use crate::connection::Connection;
use crate::listing::Listing;
use crate::output::{Reply, member};
use crate::owner::Owner;
use crate::times::shown;

/// List the keys of a user, newest first
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys list --user alice
  GATEPOST_ID_TOKEN_FILE=token gatepost keys list --json";

const LISTING: Listing<6> =
    Listing { items: "keys", heads: ["ID", "PREFIX", "STATE", "CREATED", "LAST USED", "LABEL"] };

/// Prints the keys.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let keys = keys_of(&arguments.owner, connection).await?;
    LISTING.of(&member("keys", &keys), rows(&keys, &SystemClock.now().to_string()))
}

/// The keys of a user, newest first.
///
/// # Errors
///
/// When the call fails.
pub(crate) async fn keys_of(owner: &Owner, connection: &Connection) -> Result<Vec<ApiKey>> {
    connection.heard(connection.user(owner).await?.list_api_keys().await)
}

fn rows<'a>(keys: &'a [ApiKey], now: &'a str) -> impl Iterator<Item = [String; 6]> + 'a {
    keys.iter().map(move |key| {
        let (id, prefix, created_at) = (key.id.clone(), key.prefix.clone(), shown(&key.created_at));
        let last_used_at = key.last_used_at.as_deref().map_or_else(|| "never".to_owned(), shown);
        [id, prefix, state(key, now), created_at, last_used_at, key.label.clone()]
    })
}

/// The state of a key. Times of the service sort as strings.
pub(super) fn state(key: &ApiKey, now: &str) -> String {
    match (&key.revoked_at, &key.expires_at, &key.disabled_at) {
        (Some(at), ..) => format!("revoked {}", shown(at)),
        (None, Some(at), _) if at.as_str() <= now => format!("expired {}", shown(at)),
        (None, _, Some(at)) => format!("disabled {}", shown(at)),
        (None, Some(at), None) => format!("expires {}", shown(at)),
        (None, None, None) => "active".to_owned(),
    }
}
