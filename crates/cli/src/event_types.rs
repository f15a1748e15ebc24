//! `gatepost event-types`

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use gatepost_client::{ApplyEventTypes, EventType, NewEventType};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::connection::Connection;
use crate::listing::Listing;
use crate::output::{Reply, member};
use crate::table::named_lines;

/// The arguments of `gatepost event-types`.
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
    /// List all event types, also hidden and archived ones
    #[command(before_help = LIST_EXAMPLES)]
    List,
    Show(ShowArguments),
    Apply(ApplyArguments),
}

const EXAMPLES: &str = "\
Examples:
  gatepost event-types apply -f catalogue.json --dry-run
  gatepost event-types list
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost event-types show invoice.paid";

const ENVIRONMENT: &str = "\
Environment (each also as NAME_FILE, a file that contains the value):
  GATEPOST_URL             the URL of Gatepost; the default is the URL of this machine's configuration
  GATEPOST_OPERATOR_TOKEN  an operator token with the scope catalogue; without GATEPOST_URL the default is the token of
                           this machine's configuration, or the token that `gatepost dev` made in this folder";

/// Runs an action on the catalogue of event types.
///
/// # Errors
///
/// When the service does not answer, or refuses the call.
pub(crate) async fn run(arguments: Arguments, connection: &Connection) -> Result<()> {
    let reply = match arguments.action {
        Action::List => list(connection).await,
        Action::Show(arguments) => show(&arguments, connection).await,
        Action::Apply(arguments) => apply(&arguments, connection).await,
    };
    reply?.print(arguments.json)
}

const LIST_EXAMPLES: &str = "\
Examples:
  gatepost event-types list
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost event-types list --json";

const LISTING: Listing<5> =
    Listing { items: "event types", heads: ["NAME", "VERSION", "VALIDATION", "STATUS", "TITLE"] };

/// Prints the event types.
///
/// # Errors
///
/// When the call fails.
async fn list(connection: &Connection) -> Result<Reply> {
    let types = connection.heard(connection.operator()?.list_all_event_types().await)?;
    LISTING.of(&member("eventTypes", &types), types.iter().map(row))
}

fn row(known: &EventType) -> [String; 5] {
    let status = match (known.archived, &known.deprecated) {
        (true, _) => "archived",
        (false, Some(_)) => "deprecated",
        (false, None) => &known.visibility,
    };
    let title = known.title.clone().unwrap_or_default();
    [known.name.clone(), known.version.to_string(), known.validation.clone(), status.to_owned(), title]
}

/// Show an event type with its schema and examples
#[derive(Debug, Args)]
#[command(before_help = SHOW_EXAMPLES)]
struct ShowArguments {
    /// The event type
    #[arg(value_name = "NAME")]
    name: String,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  gatepost event-types show invoice.paid
  GATEPOST_OPERATOR_TOKEN_FILE=operator \\
    gatepost event-types show invoice.paid --json";

/// Prints the event type.
///
/// # Errors
///
/// When the call fails.
async fn show(arguments: &ShowArguments, connection: &Connection) -> Result<Reply> {
    let known = connection.heard(connection.operator()?.find_any_event_type(&arguments.name).await)?;
    let mut lines = vec![
        ("name", known.name.clone()),
        ("title", known.title.clone().unwrap_or_default()),
        ("validation", known.validation.clone()),
        ("visibility", known.visibility.clone()),
        ("version", known.version.to_string()),
        ("changed", known.updated_at.clone()),
        ("archived", if known.archived { "yes".to_owned() } else { String::new() }),
    ];
    if let Some(deprecated) = &known.deprecated {
        lines.push(("deprecated", deprecated.since.clone()));
        lines.push(("replacement", deprecated.replacement.clone().unwrap_or_default()));
    }
    let json = |json: &RawValue| json.get().to_owned();
    lines.push(("schema", known.schema.as_deref().map(json).unwrap_or_default()));
    lines.extend(known.examples.iter().map(|example| ("example", json(example))));
    let description = known.description.iter().map(|text| format!("\n\n{text}"));
    Reply::new(&known, description.fold(named_lines(&lines), |words, text| words + &text))
}

/// Make the catalogue have the event types of a file; the same file twice changes nothing
#[derive(Debug, Args)]
#[command(before_help = APPLY_EXAMPLES, after_help = FORM)]
struct ApplyArguments {
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

const APPLY_EXAMPLES: &str = "\
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
async fn apply(arguments: &ApplyArguments, connection: &Connection) -> Result<Reply> {
    let path = arguments.file.display();
    let text = fs::read_to_string(&arguments.file).with_context(|| format!("cannot read {path}"))?;
    let file: File = serde_json::from_str(&text).with_context(|| format!("{path} is not a catalogue in JSON"))?;
    let ApplyArguments { dry_run, prune, force, .. } = *arguments;
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
