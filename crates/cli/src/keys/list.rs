use adapters_system::SystemClock;
use anyhow::Result;
use clap::Args;
use domain::ports::Clock;
use gatepost_client::ApiKey;
use serde::Serialize;

use crate::connection::{Access, AnyOwner, Connection};
use crate::output::{answer, answer_json};
use crate::table::table;
use crate::times::shown;

/// List the keys of a user, newest first
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    owner: AnyOwner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys list --user alice
  GATEPOST_ID_TOKEN_FILE=token gatepost keys list --json";

#[derive(Serialize)]
struct ListAnswer {
    keys: Vec<ApiKey>,
}

/// Prints the keys.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection, json: bool) -> Result<()> {
    let keys = match connection.access(arguments.owner.name()).await? {
        Access::User(user) => user.list_api_keys().await,
        Access::Operator(operator, user_id) => operator.list_user_api_keys(&user_id).await,
    };
    let keys = connection.heard(keys)?;
    if json {
        return Ok(answer_json(&ListAnswer { keys })?);
    }
    if keys.is_empty() {
        return Ok(answer("no keys")?);
    }
    let heads = ["ID", "PREFIX", "STATE", "CREATED", "LAST USED", "LABEL"];
    Ok(answer(&table(heads, rows(&keys, &SystemClock.now().to_string())))?)
}

fn rows<'a>(keys: &'a [ApiKey], now: &'a str) -> impl Iterator<Item = [String; 6]> + 'a {
    keys.iter().map(move |key| {
        let (id, prefix, created_at) = (key.id.clone(), key.prefix.clone(), shown(&key.created_at));
        let last_used_at = key.last_used_at.as_deref().map_or_else(|| "never".to_owned(), shown);
        [id, prefix, state(key, now), created_at, last_used_at, key.label.clone()]
    })
}

/// The state of a key. Times of the service sort as strings.
fn state(key: &ApiKey, now: &str) -> String {
    match (&key.revoked_at, &key.expires_at) {
        (Some(at), _) => format!("revoked {}", shown(at)),
        (None, Some(at)) if at.as_str() <= now => format!("expired {}", shown(at)),
        (None, Some(at)) => format!("expires {}", shown(at)),
        (None, None) => "active".to_owned(),
    }
}
