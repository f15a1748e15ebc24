use std::io::{self, BufRead, Read};

use anyhow::{Context, Result, bail};
use clap::Args;
use gatepost_client::FullKey;
use zeroize::Zeroizing;

use super::KEY_BYTES_MAX;
use crate::connection::Connection;
use crate::consent::Consent;
use crate::output::{Reply, member, remark};

/// How many keys a call reports. The longest keys fit into the body of a call.
const KEYS_AT_ONCE: usize = 50;

/// Read keys from standard input, one in each line, and revoke them for all owners
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    consent: Consent,
}

const EXAMPLES: &str = "\
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
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
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
