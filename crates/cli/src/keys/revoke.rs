use anyhow::{Context, Result, bail};
use clap::Args;

use crate::connection::Connection;
use crate::consent::Consent;
use crate::output::{Reply, member};
use crate::owner::Owner;
use crate::times::past;

/// Revoke a key, or all keys of a user, which are refused from then on
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the key, as `gatepost keys list` shows it
    #[arg(required_unless_present_any = ["all_of", "all_of_organization"])]
    key_id: Option<String>,
    #[command(flatten)]
    owner: Owner,
    /// Revoke all keys of the user with this id. Needs the operator token
    #[arg(long, value_name = "USER", conflicts_with_all = OF_ONE_KEY)]
    all_of: Option<String>,
    /// Revoke all keys of the organization with this id. Needs the operator token
    #[arg(long, value_name = "ORGANIZATION", conflicts_with_all = OF_ONE_KEY, conflicts_with = "all_of")]
    all_of_organization: Option<String>,
    /// If all are revoked, only keys that were created before this time: 2027-01-31T12:00:00Z, or 7d for a week ago
    #[arg(long, value_name = "TIME", value_parser = past, conflicts_with_all = OF_ONE_KEY)]
    created_before: Option<String>,
    #[command(flatten)]
    consent: Consent,
}

/// The arguments with which one key is revoked.
const OF_ONE_KEY: [&str; 5] = ["key_id", "user", "organization", "for_user", "for_organization"];

const EXAMPLES: &str = "\
Examples:
  gatepost keys revoke key_01h455vb4pex5vsknk084sn02q --user alice --yes
  GATEPOST_OPERATOR_TOKEN_FILE=operator \\
    gatepost keys revoke key_01h455vb4pex5vsknk084sn02q --for-user alice --yes
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost keys revoke --all-of alice \\
    --created-before 7d --yes";

impl Arguments {
    /// The owner to whom all the keys to revoke belong.
    fn all_of(&self) -> Option<gatepost_client::Owner> {
        let user = self.all_of.clone().map(gatepost_client::Owner::User);
        user.or_else(|| self.all_of_organization.clone().map(gatepost_client::Owner::Organization))
    }
}

/// Revokes a key, or all keys of an owner.
///
/// # Errors
///
/// Without consent, or when the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let Arguments { consent, created_before, .. } = arguments;
    match (&arguments.key_id, arguments.all_of()) {
        (Some(key_id), _) => {
            consent.get(&format!("revoke {key_id}"), connection)?;
            revoke_one(key_id, &arguments.owner, connection).await
        }
        (None, Some(owner)) => {
            consent.get(&format!("revoke all keys of {owner}"), connection)?;
            revoke_all(owner, created_before.as_deref(), connection).await
        }
        (None, None) => bail!("the id of a key, or --all-of, is required"),
    }
}

async fn revoke_one(key_id: &str, owner: &Owner, connection: &Connection) -> Result<Reply> {
    let keys = connection.heard(connection.user(owner).await?.revoke_api_key(key_id).await)?;
    let revoked = keys.into_iter().find(|key| key.id == *key_id);
    // The list has only the last hundred keys that ended, and this one may have ended earlier.
    let revoked = revoked.with_context(|| format!("{key_id} had ended before, and is no longer listed"))?;
    Reply::new(&revoked, format!("{key_id} is revoked ({})", revoked.label))
}

async fn revoke_all(owner: gatepost_client::Owner, before: Option<&str>, connection: &Connection) -> Result<Reply> {
    let host = connection.operator()?.for_owner(owner.clone());
    let revoked_count = connection.heard(host.revoke_all_api_keys(before).await)?;
    let keys = if revoked_count == 1 { "key" } else { "keys" };
    Reply::new(&member("revokedCount", revoked_count), format!("{revoked_count} {keys} of {owner} revoked"))
}
