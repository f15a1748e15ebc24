use anyhow::{Result, bail};
use clap::Args;

use crate::connection::Connection;
use crate::output::{Reply, member};
use crate::owner::Owner;

/// Sign a user out of one browser, or of all browsers
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the session, as `gatepost sessions list` shows it
    #[arg(required_unless_present = "all")]
    session_id: Option<String>,
    /// End every session of the user
    #[arg(long, conflicts_with = "session_id")]
    all: bool,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost sessions end ses_01h455vb4pex5vsknk084sn02q --user alice
  gatepost sessions end --all --user alice";

/// Ends a session, or all sessions. The user can sign in again.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let user = connection.user(&arguments.owner).await?;
    let (ended, words) = match (&arguments.session_id, arguments.all) {
        (Some(id), _) => {
            connection.heard(user.end_session(id).await)?;
            (id.as_str(), format!("{id} has ended"))
        }
        (None, true) => {
            connection.heard(user.end_sessions().await)?;
            ("all", "all sessions have ended".to_owned())
        }
        (None, false) => bail!("the id of a session, or --all, is required"),
    };
    Reply::new(&member("ended", ended), words)
}
