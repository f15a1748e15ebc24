use anyhow::Result;
use clap::Args;
use client::ApiKey;
use domain::ports::Clock;
use serde::Serialize;

use crate::connection::{Access, Connection};
use crate::output::{answer, answer_json};
use crate::system::SystemClock;

/// List the keys of a user, newest first
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Whose keys: a user of the running `gatepost dev`, or, for the operator, any user's id
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
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
    let keys = match connection.access(arguments.user.as_deref()).await? {
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
    Ok(answer(&table(&keys, &SystemClock.now().to_string()))?)
}

/// One line for each key; what may have any width stands last.
fn table(keys: &[ApiKey], now: &str) -> String {
    let heads = ["ID", "PREFIX", "STATE", "CREATED", "LAST USED", "LABEL"].map(str::to_owned);
    let rows = keys.iter().map(|key| {
        let (id, prefix, created_at) = (key.id.clone(), key.prefix.clone(), key.created_at.clone());
        let last_used_at = key.last_used_at.clone().unwrap_or_else(|| "never".to_owned());
        [id, prefix, state(key, now), created_at, last_used_at, key.label.clone()]
    });
    let rows: Vec<[String; 6]> = std::iter::once(heads).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths = [0, 1, 2, 3, 4].map(width);
    let lines = rows.iter().map(|row| {
        let aligned = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}  "));
        aligned.collect::<String>() + &row[5]
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Times of the service sort as texts.
fn state(key: &ApiKey, now: &str) -> String {
    match (&key.revoked_at, &key.expires_at) {
        (Some(at), _) => format!("revoked {at}"),
        (None, Some(at)) if at.as_str() <= now => format!("expired {at}"),
        (None, Some(at)) => format!("expires {at}"),
        (None, None) => "active".to_owned(),
    }
}
