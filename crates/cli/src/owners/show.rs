use anyhow::Result;
use clap::Args;
use gatepost_client::OwnerRecord;

use super::NamedOwner;
use crate::connection::Connection;
use crate::output::Reply;
use crate::table::named_lines;
use crate::times::shown;

/// Show what is set for a user or an organization; the owner sees this in the audit log
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    owner: NamedOwner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost owners show --for-user alice
  gatepost owners show --for-organization acme --json";

/// Prints the record.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let record = connection.heard(connection.operator()?.find_owner(&arguments.owner.get()?).await)?;
    reply(&record)
}

/// The record, for programs and for people.
pub(super) fn reply(record: &OwnerRecord) -> Result<Reply> {
    let OwnerRecord { name, email, metadata, max_active_keys, max_subscriptions, state, .. } = record;
    let metadata: Vec<String> = metadata.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let max = |max: &Option<u32>| max.map_or_else(|| "that of the service".to_owned(), |max| max.to_string());
    let words = named_lines(&[
        ("state", state.state.clone()),
        ("since", state.since.as_deref().map(shown).unwrap_or_default()),
        ("reason", state.reason.clone().unwrap_or_default()),
        ("name", name.clone().unwrap_or_default()),
        ("e-mail", email.clone().unwrap_or_default()),
        ("metadata", metadata.join(" ")),
        ("most active keys", max(max_active_keys)),
        ("most subscriptions", max(max_subscriptions)),
    ]);
    Reply::new(record, words)
}
