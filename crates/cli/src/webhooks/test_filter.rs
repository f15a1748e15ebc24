use anyhow::Result;
use clap::{ArgGroup, Args};
use serde_json::value::RawValue;

use super::filter_of;
use crate::connection::Connection;
use crate::json_argument::json_of;
use crate::output::Reply;
use crate::owner::Owner;

/// Say whether an event would pass a filter, and which of its conditions decided
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, group = ArgGroup::new("content").required(true))]
pub(super) struct Arguments {
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

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks test-filter --data '{\"amount\":250}' --user alice \\
    '{\"path\":\"/data/amount\",\"op\":\"gte\",\"value\":100}'
  gatepost webhooks test-filter @filter.json --event @event.json --user alice";

/// Tests a filter.
///
/// # Errors
///
/// When the filter or the event is not JSON, the filter is not valid, or the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection) -> Result<Reply> {
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
