//! `gatepost event-types`

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use gatepost_client::{ApplyEventTypes, EventType, NewEventType};
use serde::Deserialize;
use serde_json::Value;
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

/// Create or change the event types of a file; the same file twice changes nothing
#[derive(Debug, Args)]
#[command(before_help = APPLY_EXAMPLES, after_help = FORM)]
struct ApplyArguments {
    /// The file with the event types: YAML if its name ends in .yaml or .yml, else JSON
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
  gatepost event-types apply -f catalogue.yaml --prune
  GATEPOST_OPERATOR_TOKEN_FILE=operator \\
    gatepost event-types apply -f catalogue.json --json";

const FORM: &str = "\
The file is {\"eventTypes\": [{\"name\": \"invoice.paid\", ...}]}. The other members of an event type are as in
PUT /api/operator/event-types/{name}: title, description, schema, examples, validation, visibility and deprecated.
Or it is an OpenAPI 3.1 document: each of its webhooks is an event type, whose validation and visibility stay.";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    event_types: Vec<NewEventType>,
}

/// Whether the JSON is an OpenAPI document.
fn is_openapi(json: &str) -> bool {
    #[derive(Deserialize)]
    struct Document {
        openapi: Option<String>,
    }
    serde_json::from_str(json).is_ok_and(|document: Document| document.openapi.is_some())
}

fn is_yaml(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// The same document in JSON. Members are sorted, so that the same file is always the same JSON.
fn json_of(yaml: &str, path: &dyn Display) -> Result<String> {
    // `no` and `on` are text, as YAML 1.2 says.
    let options = serde_saphyr::options! { strict_booleans: true };
    let document: Value =
        serde_saphyr::from_str_with_options(yaml, options).with_context(|| format!("{path} is not YAML"))?;
    Ok(document.to_string())
}

/// Prints what was changed.
///
/// # Errors
///
/// When the file cannot be read, or the call fails.
async fn apply(arguments: &ApplyArguments, connection: &Connection) -> Result<Reply> {
    let path = arguments.file.display();
    let text = fs::read_to_string(&arguments.file).with_context(|| format!("cannot read {path}"))?;
    let json = if is_yaml(&arguments.file) { json_of(&text, &path)? } else { text };
    let ApplyArguments { dry_run, prune, force, .. } = *arguments;
    let (options, operator) = (ApplyEventTypes { dry_run, prune, force }, connection.operator()?);
    let applied = if is_openapi(&json) {
        let document = RawValue::from_string(json).with_context(|| format!("{path} is not JSON"))?;
        operator.apply_openapi(&document, options).await
    } else {
        let file: File = serde_json::from_str(&json).with_context(|| format!("{path} is not a catalogue"))?;
        operator.apply_event_types(&file.event_types, options).await
    };
    let applied = connection.heard(applied)?;
    let words: Vec<String> = applied.iter().map(|applied| format!("{} {}", applied.change, applied.name)).collect();
    let reply = Reply::new(&member("changes", &applied), words.join("\n"))?;
    Ok(match (applied.is_empty(), dry_run) {
        (true, _) => reply.remarking("the catalogue has these event types already"),
        (false, true) => reply.remarking("nothing was changed: this was a dry run"),
        (false, false) => reply,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_is_read_as_the_same_catalogue() {
        let yaml = "\
# The events of invoices
eventTypes:
  - name: invoice.paid
    title: 'Invoice: paid'
    description: |
      A customer has paid.
    schema: &money
      type: object
      properties:
        total: {type: number, minimum: 0}
        note: {type: [string, 'null'], enum: [null, no, 'yes']}
    examples: [{total: 12.5}]
    validation: enforce
  - name: refund.paid
    schema: *money
";
        let json = json_of(yaml, &"catalogue.yaml").unwrap();
        let file: File = serde_json::from_str(&json).unwrap();
        let [invoice, refund] = &file.event_types[..] else { panic!("two types: {json}") };
        assert_eq!((invoice.name.as_str(), invoice.title.as_deref()), ("invoice.paid", Some("Invoice: paid")));
        assert_eq!(invoice.description.as_deref(), Some("A customer has paid.\n"));
        let schema = r#"{"properties":{"note":{"enum":[null,"no","yes"],"type":["string","null"]},"total":{"minimum":0,"type":"number"}},"type":"object"}"#;
        assert_eq!(invoice.schema.as_ref().map(|schema| schema.get()), Some(schema));
        assert_eq!(refund.schema.as_ref().map(|schema| schema.get()), Some(schema), "an alias");
        assert!(is_yaml(Path::new("a/catalogue.yml")) && !is_yaml(Path::new("catalogue.json")));
        assert!(!is_openapi(&json) && is_openapi(r#"{"openapi":"3.1.0"}"#));
    }

    #[test]
    fn wrong_yaml_is_named() {
        for wrong in ["eventTypes: [", "a: 1\na: 2", "eventTypes: &a [*a]", "a: b: c"] {
            let error = json_of(wrong, &"catalogue.yaml").unwrap_err();
            assert_eq!(error.to_string(), "catalogue.yaml is not YAML", "{wrong:?}");
        }
    }
}
