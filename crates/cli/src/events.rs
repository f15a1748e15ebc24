//! `gatepost events`

use std::io::{self, BufRead, Read};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use gatepost_client::{EventQuery, LoggedEvent, NewEvent, Owner, PublishedEvent};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::connection::Connection;
use crate::json_argument::{JSON_BYTES_MAX, json_of};
use crate::listing::{Listing, Part};
use crate::output::Reply;
use crate::owner::Recipient;
use crate::times::shown;

/// The arguments of `gatepost events`.
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
    List(ListArguments),
    Publish(PublishArguments),
    PublishBatch(PublishBatchArguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost events publish --user alice --type invoice.paid \\
    --data '{\"invoiceId\":\"in_42\"}'
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost events publish --user alice \\
    --type invoice.paid --data @invoice.json";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_OPERATOR_TOKEN  the operator token; without GATEPOST_URL the default is the token of this machine's
                           configuration, or the token that `gatepost dev` made in this folder";

/// Runs an action on events.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let reply = match arguments.action {
        Action::List(arguments) => list(arguments, connection).await,
        Action::Publish(arguments) => publish(arguments, connection).await,
        Action::PublishBatch(_) => publish_batch(connection).await,
    };
    reply?.print(arguments.json)
}

/// List published events, newest first. Needs the operator token
#[derive(Debug, Args)]
#[command(before_help = LIST_EXAMPLES)]
struct ListArguments {
    /// Only events of the user with this id
    #[arg(long, value_name = "ID", conflicts_with = "organization")]
    user: Option<String>,
    /// Only events of the organization with this id
    #[arg(long, value_name = "ID")]
    organization: Option<String>,
    /// Only events of this type
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<String>,
    #[command(flatten)]
    part: Part,
}

const LIST_EXAMPLES: &str = "\
Examples:
  gatepost events list --since 1h
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost events list --user alice \\
    --type invoice.paid --json";

const LISTING: Listing<5> = Listing { items: "events", heads: ["ID", "PUBLISHED", "OWNER", "DELIVERIES", "TYPE"] };

/// Prints a page of events.
///
/// # Errors
///
/// When the call fails.
async fn list(arguments: ListArguments, connection: &Connection) -> Result<Reply> {
    let ListArguments { user, organization, event_type, part: Part { since, until, limit, cursor } } = arguments;
    let owner = user.map(Owner::User).or(organization.map(Owner::Organization));
    let wanted = EventQuery { owner, event_type, since, until, cursor, limit: Some(limit) };
    let page = connection.heard(connection.operator()?.list_published_events(&wanted).await)?;
    LISTING.page(&page, page.events.iter().map(row), page.next_cursor.as_deref())
}

fn row(LoggedEvent { event, deliveries, .. }: &LoggedEvent) -> [String; 5] {
    let organization = event.organization_id.as_ref().map(|id| format!("organization {id}"));
    let owner = event.user_id.clone().or(organization).unwrap_or_default();
    [event.id.clone(), shown(&event.created_at), owner, deliveries.to_string(), event.event_type.clone()]
}

/// Publish an event to every matching subscription of a user or an organization
#[derive(Debug, Args)]
#[command(before_help = PUBLISH_EXAMPLES)]
struct PublishArguments {
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

const PUBLISH_EXAMPLES: &str = "\
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
async fn publish(arguments: PublishArguments, connection: &Connection) -> Result<Reply> {
    let operator = connection.operator()?;
    let data = json_of(arguments.data, "data")?;
    let event = NewEvent::for_owner(arguments.recipient.into(), arguments.event_type, &data)?;
    let event = arguments.id.into_iter().fold(event, NewEvent::with_id);
    let published = connection.heard(operator.publish_event(&event).await)?;
    Reply::new(&published, in_words(&published))
}

fn in_words(published: &PublishedEvent) -> String {
    let (id, deliveries) = (&published.event.id, published.deliveries);
    let deliveries = if deliveries == 1 { "1 delivery".to_owned() } else { format!("{deliveries} deliveries") };
    let what = if published.duplicate { "was published before" } else { "is published" };
    format!("{id} {what}: {deliveries}")
}

/// The most events of a call.
const EVENTS_AT_ONCE: usize = 500;
/// A call is sent when its events have this number of bytes. The body of a call may have twice that number.
const BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

/// Publish the events on standard input, one JSON object in each line
#[derive(Debug, Args)]
#[command(before_help = PUBLISH_BATCH_EXAMPLES)]
struct PublishBatchArguments {}

const PUBLISH_BATCH_EXAMPLES: &str = "\
Examples:
  gatepost events publish-batch < events.jsonl
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost events publish-batch \\
    --json < events.jsonl

A line is {\"userId\":\"alice\",\"type\":\"invoice.paid\",\"data\":{…},\"id\":\"in_42-paid\"}. `organizationId` may
take the place of `userId`. `id` may be missing; with it, publishing the file again is safe. A call publishes up to 500 events, all or none. After an error, the events of
earlier calls are published.";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    user_id: Option<String>,
    organization_id: Option<String>,
    #[serde(rename = "type")]
    event_type: String,
    data: Box<RawValue>,
    id: Option<String>,
}

#[derive(Default, Serialize)]
struct BatchAnswer {
    published: usize,
    /// How many of them were published before, and had no effect.
    duplicates: usize,
    deliveries: u64,
}

/// Publishes the events of all lines, some hundred in a call.
///
/// # Errors
///
/// When a line is not an event, or a call fails: how many events are published is part of the error.
async fn publish_batch(connection: &Connection) -> Result<Reply> {
    let operator = connection.operator()?;
    let (mut lines, mut total) = (Lines { input: io::stdin().lock(), read: 0 }, BatchAnswer::default());
    loop {
        let done = |total: &BatchAnswer| format!("{} events are published before this error", total.published);
        let events = lines.next_batch().with_context(|| done(&total))?;
        if events.is_empty() {
            break;
        }
        let published = connection.heard(operator.publish_events(&events).await).with_context(|| done(&total))?;
        total.published += published.len();
        total.duplicates += published.iter().filter(|one| one.duplicate).count();
        total.deliveries += published.iter().map(|one| u64::from(one.deliveries)).sum::<u64>();
    }
    let BatchAnswer { published, duplicates, deliveries } = total;
    let before = if duplicates == 0 { String::new() } else { format!(", {duplicates} of them before") };
    Reply::new(&total, format!("{published} events are published{before}: {deliveries} deliveries"))
}

/// Reads events, and counts lines for errors.
struct Lines<Input> {
    input: Input,
    read: usize,
}

impl<Input: BufRead> Lines<Input> {
    /// The events of the next call; none at the end of the input.
    fn next_batch(&mut self) -> Result<Vec<NewEvent>> {
        let (mut events, mut bytes) = (Vec::new(), 0);
        while events.len() < EVENTS_AT_ONCE && bytes < BYTES_AT_ONCE {
            let mut line = String::new();
            let read = self.input.by_ref().take(JSON_BYTES_MAX + 1).read_line(&mut line);
            if read.context("cannot read standard input as text")? == 0 {
                break;
            }
            self.read += 1;
            bytes += line.len();
            if !line.trim().is_empty() {
                events.push(event(&line).with_context(|| format!("line {} is not an event", self.read))?);
            }
        }
        Ok(events)
    }
}

fn event(line: &str) -> Result<NewEvent> {
    if line.len() as u64 > JSON_BYTES_MAX {
        bail!("it has more than {JSON_BYTES_MAX} bytes");
    }
    let Line { user_id, organization_id, event_type, data, id } = serde_json::from_str(line)?;
    let owner = match (user_id, organization_id) {
        (Some(user_id), None) => Owner::User(user_id),
        (None, Some(organization_id)) => Owner::Organization(organization_id),
        _ => bail!("it must have `userId` or `organizationId`"),
    };
    let event = NewEvent::for_owner(owner, event_type, &data)?;
    Ok(id.into_iter().fold(event, NewEvent::with_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"userId":"alice","type":"a.b","data":{"n": 1.50}}"#;

    fn lines(text: &str) -> Lines<&[u8]> {
        Lines { input: text.as_bytes(), read: 0 }
    }

    #[test]
    fn a_call_has_few_events_or_few_bytes() {
        let many = format!("{LINE}\n\n").repeat(EVENTS_AT_ONCE + 1);
        let mut many = lines(&many);
        assert_eq!([0; 3].map(|_| many.next_batch().unwrap().len()), [EVENTS_AT_ONCE, 1, 0]);
        let long = LINE.replace("1.50", &format!("\"{}\"", "x".repeat(BYTES_AT_ONCE / 2)));
        let long = format!("{long}\n").repeat(3);
        let mut long = lines(&long);
        assert_eq!([0; 2].map(|_| long.next_batch().unwrap().len()), [2, 1]);
    }

    #[test]
    fn an_event_is_sent_as_it_stands_and_a_wrong_line_is_named() {
        let events = lines(LINE).next_batch().unwrap();
        assert_eq!(serde_json::to_string(&events[0]).unwrap(), LINE);
        let (both, neither) = (LINE.replace("}}", r#"},"organizationId":"b"}"#), r#"{"type":"b","data":1}"#.to_owned());
        for wrong in [&both, &neither].map(String::as_str).into_iter().chain([
            "nonsense",
            r#"{"userId":"a","type":"b","data":1,"idd":"x"}"#,
            r#"{"userId":"a","data":1}"#,
        ]) {
            let text = format!("{LINE}\n{wrong}");
            let error = lines(&text).next_batch().unwrap_err();
            assert!(error.to_string().contains("line 2"), "{error:#}");
        }
    }
}
