//! Full keys on standard input.

use std::io::{self, BufRead, Read};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use domain::Timestamp;
use gatepost_client::{ActiveApiKey, Error, FullKey, Owner, UsedCredential, WhoAmI};
use serde::Serialize;
use zeroize::Zeroizing;

use super::KEY_BYTES_MAX;
use crate::connection::Connection;
use crate::consent::Consent;
use crate::hidden_input::read_secret;
use crate::output::{Reply, member, remark};

// Not a doc comment: clap would show it as the help of both commands.
#[derive(Debug, Args)]
pub(super) struct Scopes {
    /// A scope that the key must have; repeatable
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
}

pub(super) const VERIFY_EXAMPLES: &str = "\
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
    key: Option<VerifiedKey<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VerifiedKey<'a> {
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
pub(super) async fn verify(arguments: &Scopes, connection: &Connection) -> Result<Reply> {
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
    let key = VerifiedKey { user_id, organization_id, key_id, label, scopes };
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

fn not_good(key: Option<VerifiedKey<'_>>, reason: &str) -> Result<Reply> {
    Ok(Reply::new(&VerifyAnswer { good: false, key }, "")?.failing(anyhow!("{reason}")))
}

pub(super) const INTROSPECT_EXAMPLES: &str = "\
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
    key: Option<IntrospectedKey<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct IntrospectedKey<'a> {
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
pub(super) async fn introspect(arguments: &Scopes, connection: &Connection) -> Result<Reply> {
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

fn described(key: &ActiveApiKey) -> IntrospectedKey<'_> {
    let at = |seconds: i64| Timestamp::from_unix_millis(seconds.saturating_mul(1_000)).map(|at| at.to_string());
    IntrospectedKey {
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

/// How many keys a call reports. The longest keys fit into the body of a call.
const KEYS_AT_ONCE: usize = 50;

/// Read keys from standard input, one in each line, and revoke them for all owners
#[derive(Debug, Args)]
#[command(before_help = REPORT_LEAKS_EXAMPLES)]
pub(super) struct ReportLeaksArguments {
    #[command(flatten)]
    consent: Consent,
}

const REPORT_LEAKS_EXAMPLES: &str = "\
Examples:
  gatepost keys report-leaks --yes < keys.txt
  grep -ohE 'svc_live_[A-Za-z0-9]+' *.txt | sort -u | \\
    GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost keys report-leaks --yes

The answer has a line for each line: the id of the key, or `unknown`. Reporting a key again changes nothing.";

/// Reports leaked keys with the operator token.
///
/// # Errors
///
/// Without consent, when a line is too long, or when a call fails.
pub(super) async fn report_leaks(arguments: &ReportLeaksArguments, connection: &Connection) -> Result<Reply> {
    let operator = connection.operator()?;
    arguments.consent.get("revoke every key on standard input", connection)?;
    let (mut input, mut key_ids) = (io::stdin().lock(), Vec::new());
    loop {
        let keys = read_keys(&mut input)?;
        if keys.is_empty() {
            break;
        }
        key_ids.extend(connection.heard(operator.report_leaks(&keys).await)?);
    }
    let revoked = key_ids.iter().flatten().count();
    remark(&format!("{revoked} of {} lines were keys, which are revoked", key_ids.len()));
    let lines: Vec<&str> = key_ids.iter().map(|id| id.as_deref().unwrap_or("unknown")).collect();
    Reply::new(&member("keyIds", &key_ids), lines.join("\n"))
}

/// The keys of the next lines; none at the end of the input.
fn read_keys(input: &mut impl BufRead) -> Result<Vec<FullKey>> {
    let mut keys = Vec::new();
    while keys.len() < KEYS_AT_ONCE {
        let mut line = Zeroizing::new(String::new());
        let read = input.by_ref().take(KEY_BYTES_MAX + 1).read_line(&mut line);
        if read.context("cannot read standard input as text")? == 0 {
            break;
        }
        if line.len() as u64 > KEY_BYTES_MAX {
            bail!("standard input must contain one key in each line");
        }
        keys.extend(Some(line.trim()).filter(|key| !key.is_empty()).map(FullKey::new));
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_are_not_keys_and_long_lines_are_refused() {
        let mut input = &b"one\n\n  two  \nthree"[..];
        let keys = read_keys(&mut input).unwrap();
        assert_eq!(keys.iter().map(FullKey::expose).collect::<Vec<_>>(), ["one", "two", "three"]);
        let many = "key\n".repeat(KEYS_AT_ONCE + 1);
        let mut input = many.as_bytes();
        assert_eq!([read_keys(&mut input).unwrap().len(), read_keys(&mut input).unwrap().len()], [KEYS_AT_ONCE, 1]);
        assert!(read_keys(&mut "k".repeat(5_000).as_bytes()).is_err());
    }
}
