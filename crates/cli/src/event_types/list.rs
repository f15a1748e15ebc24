use anyhow::Result;
use clap::Args;
use gatepost_client::EventType;

use crate::connection::Connection;
use crate::listing::Listing;
use crate::output::{Reply, member};

/// List all event types, also hidden and archived ones
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {}

const EXAMPLES: &str = "\
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
pub(super) async fn run(connection: &Connection) -> Result<Reply> {
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
