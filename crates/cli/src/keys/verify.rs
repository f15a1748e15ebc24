use anyhow::{Result, anyhow, bail};
use clap::Args;
use gatepost_client::{Error, FullKey, UsedCredential, WhoAmI};
use serde::Serialize;

use super::KEY_BYTES_MAX;
use crate::connection::Connection;
use crate::hidden_input::read_secret;
use crate::output::Reply;

/// Read a full key from standard input, and check its validity and its owner
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A scope that the key must have; repeatable
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys verify < key
  gatepost keys create \"CI deploy\" --user alice | gatepost keys verify
  gatepost keys create orders --scope orders:read --user alice | \\
    gatepost keys verify --scope orders:read

The exit code is 0 if the key is valid, 1 if not, and another one if Gatepost gives no answer. The check counts as a
use of the key.";

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct VerifyAnswer<'a> {
    good: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<KeyAnswer<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeyAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization_id: Option<&'a str>,
    key_id: &'a str,
    label: &'a str,
    scopes: &'a [String],
}

/// Checks a key.
///
/// # Errors
///
/// When the key is not valid, or the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let key = read_secret("one API key", KEY_BYTES_MAX).await?;
    let bearer = connection.client().with_credential(FullKey::new(key.as_str()));
    let identity = match bearer.whoami().await {
        Err(error) if error.status() == Some(401) => return not_good(None, "the key is not valid"),
        // A string that is not allowed in a header cannot be a key.
        Err(Error::InvalidCredential) => return not_good(None, "that is not an API key"),
        outcome => connection.heard(outcome)?,
    };
    let WhoAmI { credential: UsedCredential::ApiKey { key_id, label, scopes }, .. } = &identity else {
        bail!("the service did not recognize an API key");
    };
    let (user_id, organization_id) = (identity.user_id.as_deref(), identity.organization_id.as_deref());
    let organization = organization_id.map(|id| format!("the organization {id}"));
    let owner = user_id.map(str::to_owned).or(organization).unwrap_or_default();
    let key = KeyAnswer { user_id, organization_id, key_id, label, scopes };
    let missing: Vec<&str> =
        arguments.scopes.iter().filter(|scope| !scopes.contains(scope)).map(String::as_str).collect();
    if !missing.is_empty() {
        let reason = format!("{key_id} is valid, but lacks the scope {}", missing.join(" "));
        return not_good(Some(key), &reason);
    }
    let scopes = if scopes.is_empty() { "no scopes".to_owned() } else { scopes.join(" ") };
    let words = format!("valid: {key_id} of {owner}, {label}, {scopes}");
    Reply::new(&VerifyAnswer { good: true, key: Some(key) }, words)
}

fn not_good(key: Option<KeyAnswer<'_>>, reason: &str) -> Result<Reply> {
    Ok(Reply::new(&VerifyAnswer { good: false, key }, "")?.failing(anyhow!("{reason}")))
}
