use anyhow::Result;
use clap::Args;
use gatepost_client::{EventQuery, LoggedEvent};

use crate::connection::Connection;
use crate::listing::{Listing, Part};
use crate::output::Reply;
use crate::times::shown;

/// List published events, newest first. Needs the operator token
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Only events of the user with this id
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// Only events of this type
    #[arg(long = "type", value_name = "TYPE")]
    event_type: Option<String>,
    #[command(flatten)]
    part: Part,
}

const EXAMPLES: &str = "\
Examples:
  gatepost events list --since 1h
  GATEPOST_OPERATOR_TOKEN_FILE=operator gatepost events list --user alice \\
    --type invoice.paid --json";

const LISTING: Listing<5> = Listing { items: "events", heads: ["ID", "PUBLISHED", "USER", "DELIVERIES", "TYPE"] };

/// Prints a page of events.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection) -> Result<Reply> {
    let Arguments { user: user_id, event_type, part: Part { since, until, limit, cursor } } = arguments;
    let wanted = EventQuery { user_id, event_type, since, until, cursor, limit: Some(limit) };
    let page = connection.heard(connection.operator()?.list_published_events(&wanted).await)?;
    LISTING.page(&page, page.events.iter().map(row), page.next_cursor.as_deref())
}

fn row(LoggedEvent { event, deliveries, .. }: &LoggedEvent) -> [String; 5] {
    let organization = event.organization_id.as_ref().map(|id| format!("organization {id}"));
    let owner = event.user_id.clone().or(organization).unwrap_or_default();
    [event.id.clone(), shown(&event.created_at), owner, deliveries.to_string(), event.event_type.clone()]
}
