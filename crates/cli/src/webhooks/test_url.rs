use anyhow::{Result, anyhow};
use clap::Args;

use super::request_file::RequestFile;
use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;

/// Send a signed test event to a URL without a subscription, and show the answer
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The URL: https, or, where `gatepost dev` runs, http on this machine
    url: String,
    #[command(flatten)]
    request: RequestFile,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks test-url http://127.0.0.1:9000/hook --user alice
  gatepost webhooks test-url http://127.0.0.1:9000/hook --user alice --json

The event is signed with a secret that is made for the test.";

/// Tests a URL.
///
/// # Errors
///
/// When the call fails, or the receiver does not accept the event.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let options = arguments.request.read()?;
    let test = connection.heard(consumer.test_url(&arguments.url, None, &options).await)?;
    let attempt = &test.attempt;
    let status = attempt.status.map_or_else(|| "no answer".to_owned(), |status| format!("status {status}"));
    let ended = format!("{status} after {} ms", attempt.duration_ms);
    let Some(error) = &attempt.error else { return Reply::new(&test, format!("delivered: {ended}")) };
    let body = attempt.response.as_deref().unwrap_or_default().trim();
    let body: String = body.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let colon = if body.is_empty() { "" } else { ": " };
    Ok(Reply::new(&test, "")?.failing(anyhow!("the test failed: {error}, {ended}{colon}{body}")))
}
