//! The API of keys from the shell: one action, one file.

mod create;
mod list;
mod revoke;
mod rotate;
mod verify;

use anyhow::Result;
use clap::{Args, Subcommand};
use gatepost_client::CreatedApiKey;
use serde::Serialize;

use crate::connection::Connection;
use crate::output::{answer, answer_json, remark};

/// List, create, revoke, rotate and verify API keys of a running Gatepost
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = ENVIRONMENT, subcommand_required = true, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::Arguments),
    Create(create::Arguments),
    Revoke(revoke::Arguments),
    Rotate(rotate::Arguments),
    Verify(verify::Arguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys create \"CI deploy\" --user alice            where `gatepost dev` runs
  GATEPOST_ID_TOKEN_FILE=token gatepost keys list          as whoever the ID token names
  GATEPOST_OPERATOR_TOKEN_FILE=token gatepost keys list --user alice
  gatepost keys verify < key                               is it good?";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that holds the value):
  GATEPOST_URL             where Gatepost runs; without it, where this configuration would run it
  GATEPOST_ID_TOKEN        the user whose keys they are
  GATEPOST_OPERATOR_TOKEN  the operator, who lists and revokes the keys of any --user";

/// Does one thing with keys.
///
/// # Errors
///
/// When nobody can be called, the call is refused, or a key to verify is not good.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let json = arguments.json;
    match arguments.action {
        Action::List(arguments) => list::run(&arguments, connection, json).await,
        Action::Create(arguments) => create::run(arguments, connection, json).await,
        Action::Revoke(arguments) => revoke::run(&arguments, connection, json).await,
        Action::Rotate(arguments) => rotate::run(&arguments, connection, json).await,
        Action::Verify(arguments) => verify::run(&arguments, connection, json).await,
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CreatedAnswer<'a> {
    key: &'a str,
    key_id: &'a str,
}

/// Shows a new key: the key alone on standard output, so that it can be piped to where it belongs.
fn show(created: &CreatedApiKey, json: bool) -> Result<()> {
    let (key, key_id) = (created.key.expose(), created.key_id.as_str());
    if json {
        return Ok(answer_json(&CreatedAnswer { key, key_id })?);
    }
    answer(key)?;
    remark(&format!("{key_id} is created. This is the only time that the full key is shown."));
    Ok(())
}
