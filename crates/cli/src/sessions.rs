//! `gatepost sessions`

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use gatepost_client::Session;

use crate::connection::Connection;
use crate::listing::Listing;
use crate::output::{Reply, member};
use crate::owner::Owner;
use crate::times::shown;

/// The arguments of `gatepost sessions`.
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
    /// List the browsers in which a user is signed in, newest first
    #[command(before_help = LIST_EXAMPLES)]
    List(Owner),
    End(EndArguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost sessions list --user alice
  gatepost sessions end --all --user alice";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL       the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_ID_TOKEN  an ID token of the user who signed in";

/// Runs an action on sessions.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let reply = match arguments.action {
        Action::List(arguments) => list(&arguments, connection).await,
        Action::End(arguments) => end(&arguments, connection).await,
    };
    reply?.print(arguments.json)
}

const LIST_EXAMPLES: &str = "\
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
async fn list(owner: &Owner, connection: &Connection) -> Result<Reply> {
    let user = connection.user(owner).await?;
    let sessions = connection.heard(user.list_sessions().await)?;
    LISTING.of(&member("sessions", &sessions), sessions.iter().map(row))
}

fn row(session: &Session) -> [String; 6] {
    let Session { id, role, created_at, seen_at, address, user_agent, .. } = session;
    let known = |part: &Option<String>| part.as_deref().unwrap_or("unknown").to_owned();
    [id.clone(), role.clone(), shown(created_at), shown(seen_at), known(address), known(user_agent)]
}

/// Sign a user out of one browser, or of all browsers
#[derive(Debug, Args)]
#[command(before_help = END_EXAMPLES)]
struct EndArguments {
    /// The id of the session, as `gatepost sessions list` shows it
    #[arg(required_unless_present = "all")]
    session_id: Option<String>,
    /// End every session of the user
    #[arg(long, conflicts_with = "session_id")]
    all: bool,
    #[command(flatten)]
    owner: Owner,
}

const END_EXAMPLES: &str = "\
Examples:
  gatepost sessions end ses_01h455vb4pex5vsknk084sn02q --user alice
  gatepost sessions end --all --user alice";

/// Ends a session, or all sessions. The user can sign in again.
///
/// # Errors
///
/// When the call fails.
async fn end(arguments: &EndArguments, connection: &Connection) -> Result<Reply> {
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
