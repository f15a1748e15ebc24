use anyhow::{Result, anyhow};
use clap::Args;
use domain::Timestamp;
use gatepost_client::{ActiveApiKey, FullKey, Owner};
use serde::Serialize;

use super::KEY_BYTES_MAX;
use crate::connection::Connection;
use crate::hidden_input::read_secret;
use crate::output::Reply;

/// Read a full key from standard input, and ask as the host application for its validity and its owner
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A scope that the key must have; repeatable
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys introspect < key
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost keys introspect --json < key

The exit code is 0 if the key is active, 1 if not, and another one if Gatepost gives no answer. The check counts as a
use of the key.";

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct IntrospectAnswer<'a> {
    active: bool,
    #[serde(flatten)]
    key: Option<KeyAnswer<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeyAnswer<'a> {
    #[serde(flatten)]
    owner: &'a Owner,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<&'a str>,
    issuer: &'a str,
    key_id: &'a str,
    label: &'a str,
    scopes: &'a [String],
    created_at: Option<String>,
    expires_at: Option<String>,
}

/// Checks a key with the operator token.
///
/// # Errors
///
/// When the key is not active, or the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let operator = connection.operator()?;
    let key = FullKey::new(read_secret("one API key", KEY_BYTES_MAX).await?.as_str());
    let scopes: Vec<&str> = arguments.scopes.iter().map(String::as_str).collect();
    let Some(key) = connection.heard(operator.introspect(&key, &scopes).await)? else {
        return Ok(Reply::new(&IntrospectAnswer::default(), "")?.failing(anyhow!("the key is not active")));
    };
    let found = described(&key);
    let scopes = if key.scopes.is_empty() { "no scopes".to_owned() } else { key.scopes.join(" ") };
    let end = found.expires_at.as_ref().map_or_else(String::new, |at| format!(", until {at}"));
    let owner = key.owner.user_id().map_or_else(|| key.owner.to_string(), str::to_owned);
    let words = format!("active: {} of {owner} at {}, {}, {scopes}{end}", key.key_id, key.issuer, key.label);
    Reply::new(&IntrospectAnswer { active: true, key: Some(found) }, words)
}

fn described(key: &ActiveApiKey) -> KeyAnswer<'_> {
    let at = |seconds: i64| Timestamp::from_unix_millis(seconds.saturating_mul(1_000)).map(|at| at.to_string());
    KeyAnswer {
        owner: &key.owner,
        created_by: key.created_by.as_deref(),
        issuer: &key.issuer,
        key_id: &key.key_id,
        label: &key.label,
        scopes: &key.scopes,
        created_at: at(key.created_at_unix_seconds),
        expires_at: key.expires_at_unix_seconds.and_then(at),
    }
}
