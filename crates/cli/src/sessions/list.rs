use anyhow::Result;
use clap::Args;
use gatepost_client::Session;

use crate::connection::Connection;
use crate::listing::Listing;
use crate::output::{Reply, member};
use crate::owner::Owner;
use crate::times::shown;

/// List the browsers in which a user is signed in, newest first
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost sessions list --user alice
  GATEPOST_ID_TOKEN_FILE=token gatepost sessions list --json";

const LISTING: Listing<6> =
    Listing { items: "sessions", heads: ["ID", "ROLE", "SIGNED IN", "SEEN", "ADDRESS", "BROWSER"] };

/// Prints the sessions.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let user = connection.user(&arguments.owner).await?;
    let sessions = connection.heard(user.list_sessions().await)?;
    LISTING.of(&member("sessions", &sessions), sessions.iter().map(row))
}

fn row(session: &Session) -> [String; 6] {
    let Session { id, role, created_at, seen_at, address, user_agent, .. } = session;
    let known = |part: &Option<String>| part.as_deref().unwrap_or("unknown").to_owned();
    [id.clone(), role.clone(), shown(created_at), shown(seen_at), known(address), known(user_agent)]
}
