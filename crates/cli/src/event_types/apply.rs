use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use gatepost_client::{ApplyEventTypes, NewEventType};
use serde::Deserialize;

use crate::connection::Connection;
use crate::output::{Reply, member};

/// Make the catalogue have the event types of a file; the same file twice changes nothing
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, after_help = FORM)]
pub(super) struct Arguments {
    /// The file with the event types, in JSON
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    file: PathBuf,
    /// Say what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Archive the event types that the file does not have
    #[arg(long)]
    prune: bool,
    /// Allow changes of schemas that break what was good before
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  gatepost event-types apply -f catalogue.json --dry-run
  gatepost event-types apply -f catalogue.json --prune
  GATEPOST_OPERATOR_TOKEN_FILE=operator \\
    gatepost event-types apply -f catalogue.json --json";

const FORM: &str = "\
The file is {\"eventTypes\": [{\"name\": \"invoice.paid\", ...}]}. The other members of an event type are those of
PUT /api/operator/event-types/{name}: title, description, schema, examples, validation, visibility and deprecated.";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    event_types: Vec<NewEventType>,
}

/// Prints what was changed.
///
/// # Errors
///
/// When the file cannot be read, or a call fails: then the changes before it are made.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let path = arguments.file.display();
    let text = fs::read_to_string(&arguments.file).with_context(|| format!("cannot read {path}"))?;
    let file: File = serde_json::from_str(&text).with_context(|| format!("{path} is not a catalogue in JSON"))?;
    let Arguments { dry_run, prune, force, .. } = *arguments;
    let options = ApplyEventTypes { dry_run, prune, force };
    let applied = connection.operator()?.apply_event_types(&file.event_types, options).await;
    let applied = connection.heard(applied)?;
    let words: Vec<String> = applied.iter().map(|applied| format!("{} {}", applied.change, applied.name)).collect();
    let reply = Reply::new(&member("changes", &applied), words.join("\n"))?;
    Ok(match (applied.is_empty(), dry_run) {
        (true, _) => reply.remarking("the catalogue has these event types already"),
        (false, true) => reply.remarking("nothing was changed: this was a dry run"),
        (false, false) => reply,
    })
}
