use std::io::{self, IsTerminal, Read};

use anyhow::{Context, Result, bail};
use clap::Args;
use gatepost_client::{Error, FullKey, UsedCredential, WhoAmI};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::connection::Connection;
use crate::output::{answer, answer_json, remark};

/// Longer than any key, in bytes.
const INPUT_BYTES_MAX: u64 = 4 * 1024;

/// Read a full key from standard input, and check whether it is valid and whose it is
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A scope that the key must have; can be given several times
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys verify < key
  gatepost keys create \"CI deploy\" --user alice | gatepost keys verify
  gatepost keys verify --scope orders:read < key && echo allowed

The exit code is 0 if the key is valid, else 1. The check counts as a use of the key.";

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
    user_id: &'a str,
    key_id: &'a str,
    label: &'a str,
    scopes: &'a [String],
}

/// Checks a key.
///
/// # Errors
///
/// When the key is not valid, or the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection, json: bool) -> Result<()> {
    let bearer = connection.client().with_credential(read_key()?);
    let identity = match bearer.whoami().await {
        Err(error) if error.status() == Some(401) => return not_good(None, "the key is not valid", json),
        // A string that is not allowed in a header cannot be a key.
        Err(Error::InvalidCredential) => return not_good(None, "that is not an API key", json),
        outcome => connection.heard(outcome)?,
    };
    let WhoAmI { user_id, credential: UsedCredential::ApiKey { key_id, label, scopes }, .. } = &identity else {
        bail!("the service did not recognize an API key");
    };
    let key = KeyAnswer { user_id, key_id, label, scopes };
    let missing: Vec<&str> =
        arguments.scopes.iter().filter(|scope| !scopes.contains(scope)).map(String::as_str).collect();
    if !missing.is_empty() {
        let reason = format!("{key_id} is valid, but lacks the scope {}", missing.join(" "));
        return not_good(Some(key), &reason, json);
    }
    if json {
        return Ok(answer_json(&VerifyAnswer { good: true, key: Some(key) })?);
    }
    let scopes = if scopes.is_empty() { "no scopes".to_owned() } else { scopes.join(" ") };
    Ok(answer(&format!("valid: {key_id} of {user_id}, {label}, {scopes}"))?)
}

fn not_good(key: Option<KeyAnswer<'_>>, reason: &str, json: bool) -> Result<()> {
    if json {
        answer_json(&VerifyAnswer { good: false, key })?;
    }
    bail!("{reason}")
}

/// The key without surrounding white space.
fn read_key() -> Result<FullKey> {
    let input = io::stdin();
    if input.is_terminal() {
        remark("type or paste the key, then Enter and Ctrl-D:");
    }
    let mut text = Zeroizing::new(String::new());
    let read = input.lock().take(INPUT_BYTES_MAX + 1).read_to_string(&mut text);
    read.context("cannot read standard input as text")?;
    if text.trim().is_empty() || text.len() as u64 > INPUT_BYTES_MAX {
        bail!("standard input must contain one API key");
    }
    Ok(FullKey::new(text.trim()))
}
