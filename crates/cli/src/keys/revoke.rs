use anyhow::{Context, Result};
use clap::Args;

use crate::connection::{Access, Connection};
use crate::output::{answer, answer_json};

/// Revoke a key, which is refused from then on
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the key, as `gatepost keys list` shows it
    key_id: String,
    /// The owner: a user name of the running `gatepost dev`, or, with the operator token, the id of any user
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys revoke key_01h455vb4pex5vsknk084sn02q --user alice
  GATEPOST_OPERATOR_TOKEN_FILE=token gatepost keys revoke key_01h455vb4pex5vsknk084sn02q --user alice";

/// Revokes a key.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection, json: bool) -> Result<()> {
    let key_id = &arguments.key_id;
    let keys = match connection.access(arguments.user.as_deref()).await? {
        Access::User(user) => user.revoke_api_key(key_id).await,
        Access::Operator(operator, user_id) => operator.revoke_user_api_key(&user_id, key_id).await,
    };
    let revoked = connection.heard(keys)?.into_iter().find(|key| key.id == *key_id);
    // The list has only the last hundred keys that ended, and this one may have ended earlier.
    let revoked = revoked.with_context(|| format!("{key_id} had ended before, and is no longer listed"))?;
    if json {
        return Ok(answer_json(&revoked)?);
    }
    Ok(answer(&format!("{key_id} is revoked ({})", revoked.label))?)
}
