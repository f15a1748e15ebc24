use anyhow::Result;
use clap::Args;
use serde_json::value::RawValue;

use crate::connection::Connection;
use crate::output::Reply;
use crate::table::named_lines;

/// Show an event type with its schema and examples
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The event type
    #[arg(value_name = "NAME")]
    name: String,
}

const EXAMPLES: &str = "\
Examples:
  gatepost event-types show invoice.paid
  GATEPOST_OPERATOR_TOKEN_FILE=operator \\
    gatepost event-types show invoice.paid --json";

/// Prints the event type.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
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
