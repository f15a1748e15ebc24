//! `gatepost keys`.

pub(crate) mod owned;
mod presented;

use anyhow::Result;
use clap::{Args, Subcommand};
use gatepost_client::CreatedApiKey;
use serde::Serialize;

use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;

/// The arguments of `gatepost keys`.
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = ENVIRONMENT, subcommand_required = true, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
}

/// Longer than any key, in bytes.
const KEY_BYTES_MAX: u64 = 4 * 1024;

#[derive(Debug, Subcommand)]
enum Action {
    /// List the keys of a user, newest first
    #[command(before_help = owned::LIST_EXAMPLES)]
    List(Owner),
    Show(owned::ShowArguments),
    Create(owned::CreateArguments),
    Change(owned::ChangeArguments),
    Revoke(owned::RevokeArguments),
    Rotate(owned::RotateArguments),
    Usage(owned::UsageArguments),
    /// Read a full key from standard input, and check its validity and its owner
    #[command(before_help = presented::VERIFY_EXAMPLES)]
    Verify(presented::Scopes),
    /// Read a full key from standard input, and ask as the host application for its validity and its owner
    #[command(before_help = presented::INTROSPECT_EXAMPLES)]
    Introspect(presented::Scopes),
    ReportLeaks(presented::ReportLeaksArguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys create \"CI deploy\" --user alice > key
  gatepost keys verify < key
  gatepost keys list --user alice
  GATEPOST_ID_TOKEN_FILE=token gatepost keys list
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost keys list --for-user alice

The first three work where `gatepost dev` runs.";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_ID_TOKEN        an ID token of the user who owns the keys
  GATEPOST_OPERATOR_TOKEN  the operator token, for --for-user and --for-organization, and for
                           `introspect` and `report-leaks`";

/// Runs an action on keys.
///
/// # Errors
///
/// When the service does not answer or refuses the call, or a key to verify is not valid.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let reply = match arguments.action {
        Action::List(arguments) => owned::list(&arguments, connection).await,
        Action::Show(arguments) => owned::show(&arguments, connection).await,
        Action::Create(arguments) => owned::create(arguments, connection).await,
        Action::Change(arguments) => owned::change(arguments, connection).await,
        Action::Revoke(arguments) => owned::revoke(&arguments, connection).await,
        Action::Rotate(arguments) => owned::rotate(&arguments, connection).await,
        Action::Usage(arguments) => owned::usage(&arguments, connection).await,
        Action::Verify(arguments) => presented::verify(&arguments, connection).await,
        Action::Introspect(arguments) => presented::introspect(&arguments, connection).await,
        Action::ReportLeaks(arguments) => presented::report_leaks(&arguments, connection).await,
    };
    reply?.print(arguments.json)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CreatedAnswer<'a> {
    key: &'a str,
    key_id: &'a str,
}

/// Parses `name=value`.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// A new key. Standard output gets only the key, so that a script can pipe it.
fn reply(created: &CreatedApiKey) -> Result<Reply> {
    let (key, key_id) = (created.key.expose(), created.key_id.as_str());
    let reply = Reply::new(&CreatedAnswer { key, key_id }, key)?;
    Ok(reply.remarking(format!("{key_id} is created. The full key is shown only this once.")))
}
