use anyhow::{Context, Result};
use clap::Args;

use crate::connection::{Access, Connection};
use crate::output::{answer, answer_json};

/// Revoke a key: it is refused from now on
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The key's id, as `gatepost keys list` shows it
    key_id: String,
    /// Whose key: a user of the running `gatepost dev`, or, for the operator, any user's id
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
    // Only a hundred keys that ended are listed, and this one may have ended long ago.
    let revoked = revoked.with_context(|| format!("{key_id} had ended before, and is not listed any more"))?;
    if json {
        return Ok(answer_json(&revoked)?);
    }
    Ok(answer(&format!("{key_id} is revoked ({})", revoked.label))?)
}
