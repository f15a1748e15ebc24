use anyhow::{Context, Result, bail};
use clap::Args;

use crate::connection::{Access, AnyOwner, Connection};
use crate::consent::Consent;
use crate::output::{Reply, member};
use crate::times::past;

/// Revoke a key, or all keys of a user, which are refused from then on
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the key, as `gatepost keys list` shows it
    #[arg(required_unless_present = "all_of")]
    key_id: Option<String>,
    #[command(flatten)]
    owner: AnyOwner,
    /// Revoke all keys of the user with this id. Needs the operator token
    #[arg(long, value_name = "USER", conflicts_with_all = ["key_id", "user"])]
    all_of: Option<String>,
    /// With --all-of, revoke only keys that were created before this time: 2027-01-31T12:00:00Z, or 7d for a week ago
    #[arg(long, value_name = "TIME", value_parser = past, conflicts_with_all = ["key_id", "user"])]
    created_before: Option<String>,
    #[command(flatten)]
    consent: Consent,
}

const EXAMPLES: &str = "\
Examples:
  gatepost keys revoke key_01h455vb4pex5vsknk084sn02q --user alice --yes
  GATEPOST_OPERATOR_TOKEN_FILE=operator \\
    gatepost keys revoke key_01h455vb4pex5vsknk084sn02q --user alice --yes
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost keys revoke --all-of alice \\
    --created-before 7d --yes";

/// Revokes a key, or all keys of a user.
///
/// # Errors
///
/// When nobody consents, or the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let Arguments { consent, created_before, .. } = arguments;
    match (&arguments.key_id, &arguments.all_of) {
        (Some(key_id), _) => {
            consent.get(&format!("revoke {key_id}"), connection)?;
            revoke_one(key_id, arguments.owner.name(), connection).await
        }
        (None, Some(user_id)) => {
            consent.get(&format!("revoke all keys of {user_id}"), connection)?;
            revoke_all(user_id, created_before.as_deref(), connection).await
        }
        (None, None) => bail!("the id of a key, or --all-of, is required"),
    }
}

async fn revoke_one(key_id: &str, user: Option<&str>, connection: &Connection) -> Result<Reply> {
    let keys = match connection.access(user).await? {
        Access::User(user) => user.revoke_api_key(key_id).await,
        Access::Operator(operator, user_id) => operator.revoke_user_api_key(&user_id, key_id).await,
    };
    let revoked = connection.heard(keys)?.into_iter().find(|key| key.id == *key_id);
    // The list has only the last hundred keys that ended, and this one may have ended earlier.
    let revoked = revoked.with_context(|| format!("{key_id} had ended before, and is no longer listed"))?;
    Reply::new(&revoked, format!("{key_id} is revoked ({})", revoked.label))
}

async fn revoke_all(user_id: &str, before: Option<&str>, connection: &Connection) -> Result<Reply> {
    let revoked_count = connection.heard(connection.operator()?.revoke_user_api_keys(user_id, before).await)?;
    let keys = if revoked_count == 1 { "key" } else { "keys" };
    Reply::new(&member("revokedCount", revoked_count), format!("{revoked_count} {keys} of {user_id} revoked"))
}
