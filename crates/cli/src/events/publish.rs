use std::fs::File;
use std::io::{self, Read};

use anyhow::{Context, Result, bail};
use clap::Args;
use gatepost_client::{NewEvent, PublishedEvent};
use serde_json::value::RawValue;

use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Recipient;

/// Larger than any event may be, in bytes.
pub(super) const DATA_BYTES_MAX: u64 = 8 * 1024 * 1024;

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
    let mut event = NewEvent::for_owner(arguments.recipient.into(), arguments.event_type, &data(arguments.data)?)?;
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

fn data(given: String) -> Result<Box<RawValue>> {
    let text = match given.strip_prefix('@') {
        Some(path) => {
            let file = File::open(path).with_context(|| format!("cannot read the file {path}"))?;
            read(file).with_context(|| format!("cannot read the file {path}"))?
        }
        None if given == "-" => read(io::stdin().lock()).context("cannot read standard input")?,
        None => given,
    };
    // The newline at the end of a file does not belong to the data.
    RawValue::from_string(text.trim().to_owned()).context("the data is not JSON")
}

fn read(source: impl Read) -> Result<String> {
    let mut text = String::new();
    source.take(DATA_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > DATA_BYTES_MAX {
        bail!("the data has more than {DATA_BYTES_MAX} bytes");
    }
    Ok(text)
}
