use anyhow::Result;
use clap::Args;
use gatepost_client::{NewEvent, PublishedEvent};

use crate::connection::Connection;
use crate::json_argument::json_of;
use crate::output::Reply;
use crate::owner::Recipient;

/// Publish an event to every matching subscription of a user or an organization
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    recipient: Recipient,
    /// The type of the event, such as invoice.paid
    #[arg(long = "type", value_name = "TYPE")]
    event_type: String,
    /// The data in JSON, from the command line, from @FILE or from standard input (-); receivers get it byte for byte
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    data: String,
    /// An id that you choose; with it, publishing again is safe
    #[arg(long, value_name = "ID")]
    id: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  gatepost events publish --user alice --type invoice.paid \\
    --data '{\"invoiceId\":\"in_42\"}'
  gatepost events publish --user alice --type invoice.paid \\
    --data @invoice.json --id in_42-paid
  gatepost events publish --organization acme --type invoice.paid --data '{}'
  jq .invoice answer.json | gatepost events publish --user alice \\
    --type invoice.paid --data -";

/// Publishes an event.
///
/// # Errors
///
/// When the data is not JSON, or the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection) -> Result<Reply> {
    let operator = connection.operator()?;
    let data = json_of(arguments.data, "data")?;
    let mut event = NewEvent::for_owner(arguments.recipient.into(), arguments.event_type, &data)?;
    if let Some(id) = arguments.id {
        event = event.with_id(id);
    }
    let published = connection.heard(operator.publish_event(&event).await)?;
    Reply::new(&published, in_words(&published))
}

fn in_words(published: &PublishedEvent) -> String {
    let (id, deliveries) = (&published.event.id, published.deliveries);
    let deliveries = if deliveries == 1 { "1 delivery".to_owned() } else { format!("{deliveries} deliveries") };
    let what = if published.duplicate { "was published before" } else { "is published" };
    format!("{id} {what}: {deliveries}")
}
