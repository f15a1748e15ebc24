//! `gatepost logout`.

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::output::Reply;
use crate::profiles::{ProfileName, Profiles};

/// Delete the URL and the credentials that `gatepost login` saved
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub struct Arguments {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost logout
  gatepost logout --profile support";

#[derive(Serialize)]
struct LogoutAnswer<'a> {
    profile: &'a str,
    deleted: bool,
}

/// Deletes a profile. The credential stays valid: only the service can revoke it.
///
/// # Errors
///
/// When the file cannot be deleted.
pub fn run(arguments: &Arguments, profiles: &Profiles, name: &ProfileName) -> Result<()> {
    let (profile, deleted) = (name.as_str(), profiles.delete(name)?);
    let what = if deleted { "is deleted; its credentials stay valid" } else { "does not exist" };
    let reply = Reply::new(&LogoutAnswer { profile, deleted }, "")?;
    reply.remarking(format!("the profile {profile} {what}")).print(arguments.json)
}
