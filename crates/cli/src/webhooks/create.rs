use anyhow::Result;
use clap::Args;
use gatepost_client::NewSubscription;

use super::request_file::RequestFile;
use super::{filter_of, with_secret};
use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;

/// Subscribe a URL and print its signing secret, which is the only time that it is shown
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The URL: https, or, where `gatepost dev` runs, http on this machine
    url: String,
    /// An event type, a pattern such as invoice.*, or * for all events; repeatable
    #[arg(long = "event", value_name = "PATTERN", required = true)]
    events: Vec<String>,
    /// Which of these events to send, by their content: JSON, @FILE or standard input (-)
    #[arg(long, value_name = "JSON")]
    filter: Option<String>,
    /// The description: up to 1,000 characters
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    request: RequestFile,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks create http://127.0.0.1:9000/hook --event '*' --user alice
  gatepost webhooks create https://example.com/hook --event 'invoice.*' \\
    --event order.created --user alice > secret
  gatepost webhooks create http://127.0.0.1:9000/hook --event 'invoice.*' \\
    --filter '{\"path\":\"/data/amount\",\"op\":\"gte\",\"value\":100}' --user alice
  gatepost webhooks create https://example.com/hook --event '*' --user alice \\
    --request request.json

with {\"headers\": {\"x-tenant\": \"42\"}, \"auth\": {\"type\": \"bearer\", \"token\": \"...\"}}
in request.json.";

/// Subscribes a URL and prints its secret.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let options = arguments.request.read()?;
    let mut new = NewSubscription::new(arguments.url, arguments.events).with_options(options);
    if let Some(filter) = arguments.filter {
        new = new.filtered_by(filter_of(filter)?);
    }
    if let Some(description) = arguments.description {
        new = new.described_as(description);
    }
    let created = connection.heard(consumer.create_subscription(&new).await)?;
    with_secret(&created, "is created. Its secret is")
}
