//! Tests of subscriptions, URLs and filters.

use anyhow::{Result, anyhow};
use clap::{ArgGroup, Args};
use serde_json::value::RawValue;

use super::request_file::RequestFile;
use super::{Target, filter_of};
use crate::connection::Connection;
use crate::json_argument::json_of;
use crate::output::Reply;
use crate::owner::Owner;

pub(super) const TEST_EXAMPLES: &str = "\
Examples:
  gatepost webhooks test sub_01h455vb4pex5vsknk084sn02q --user alice";

/// Sends the test.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn test_subscription(arguments: &Target, connection: &Connection) -> Result<Reply> {
    let id = &arguments.subscription_id;
    let consumer = connection.consumer(&arguments.owner).await?;
    let test = connection.heard(consumer.test_subscription(id).await)?;
    let whose = arguments.owner.as_arguments();
    let reply = Reply::new(&test, format!("sending {} to {id}", test.event.id))?;
    Ok(reply.remarking(format!("`gatepost webhooks deliveries --subscription {id}{whose}` shows the result")))
}

/// Send a signed test event to a URL without a subscription, and show the answer
#[derive(Debug, Args)]
#[command(before_help = TEST_URL_EXAMPLES)]
pub(super) struct TestUrlArguments {
    /// The URL: https, or, where `gatepost dev` runs, http on this machine
    url: String,
    #[command(flatten)]
    request: RequestFile,
    #[command(flatten)]
    owner: Owner,
}

const TEST_URL_EXAMPLES: &str = "\
Examples:
  gatepost webhooks test-url http://127.0.0.1:9000/hook --user alice
  gatepost webhooks test-url http://127.0.0.1:9000/hook --user alice --json

The event is signed with a secret that is made for the test.";

/// Tests a URL.
///
/// # Errors
///
/// When the call fails, or the receiver does not accept the event.
pub(super) async fn test_url(arguments: &TestUrlArguments, connection: &Connection) -> Result<Reply> {
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

/// Say whether an event would pass a filter, and which of its conditions decided
#[derive(Debug, Args)]
#[command(before_help = TEST_FILTER_EXAMPLES, group = ArgGroup::new("content").required(true))]
pub(super) struct TestFilterArguments {
    /// The filter: JSON, @FILE or standard input (-)
    #[arg(value_name = "FILTER")]
    filter: String,
    /// The event as receivers get it: JSON, @FILE or standard input (-)
    #[arg(long, value_name = "JSON", group = "content")]
    event: Option<String>,
    /// The data of the event alone: JSON, @FILE or standard input (-)
    #[arg(long, value_name = "JSON", group = "content", allow_hyphen_values = true)]
    data: Option<String>,
    #[command(flatten)]
    owner: Owner,
}

const TEST_FILTER_EXAMPLES: &str = "\
Examples:
  gatepost webhooks test-filter --data '{\"amount\":250}' --user alice \\
    '{\"path\":\"/data/amount\",\"op\":\"gte\",\"value\":100}'
  gatepost webhooks test-filter @filter.json --event @event.json --user alice";

/// Tests a filter.
///
/// # Errors
///
/// When the filter or the event is not JSON, the filter is not valid, or the call fails.
pub(super) async fn test_filter(arguments: TestFilterArguments, connection: &Connection) -> Result<Reply> {
    let filter = filter_of(arguments.filter)?;
    let event = match (arguments.event, arguments.data) {
        (Some(event), _) => json_of(event, "event")?,
        (None, data) => {
            let data = json_of(data.unwrap_or_default(), "data")?;
            RawValue::from_string(format!("{{\"data\":{data}}}"))?
        }
    };
    let consumer = connection.consumer(&arguments.owner).await?;
    let verdict = connection.heard(consumer.test_filter(&filter, &event).await)?;
    let passes = if verdict.passes { "passes" } else { "does not pass" };
    Reply::new(&verdict, format!("the event {passes}: {} decided", verdict.decided_by))
}
