use anyhow::Result;
use clap::Args;
use gatepost_client::{Delivery, DeliveryQuery};

use super::delivery::{last, state};
use super::follow;
use crate::connection::Connection;
use crate::listing::{Listing, Part};
use crate::output::Reply;
use crate::owner::Owner;
use crate::times::shown;

/// List deliveries, newest first, or follow them
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Only deliveries to this subscription
    #[arg(long, value_name = "ID")]
    subscription: Option<String>,
    /// Only deliveries in this state
    #[arg(long, value_parser = ["waiting", "sending", "delivered", "failed", "cancelled"])]
    state: Option<String>,
    /// Only deliveries of events of this type
    #[arg(long, value_name = "TYPE")]
    event_type: Option<String>,
    #[command(flatten)]
    part: Part,
    /// Show the newest deliveries, and then each delivery that is new or has another state, until Ctrl-C
    #[arg(long, conflicts_with_all = ["cursor", "until"])]
    follow: bool,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks deliveries --user alice
  gatepost webhooks deliveries --subscription sub_01h455vb4pex5vsknk084sn02q \\
    --state failed --since 1d --user alice
  gatepost webhooks deliveries --event-type invoice.paid --limit 200 \\
    --user alice --json";

const LISTING: Listing<7> =
    Listing { items: "deliveries", heads: ["ID", "STATE", "ATTEMPTS", "LAST", "PUBLISHED", "SUBSCRIPTION", "TYPE"] };

/// Prints a page of deliveries, or follows them.
///
/// # Errors
///
/// When a call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection, json: bool) -> Result<Reply> {
    let Arguments { subscription: subscription_id, state, event_type, part, follow: follows, owner } = arguments;
    let Part { since, until, limit, cursor } = part;
    let wanted = DeliveryQuery { subscription_id, state, event_type, since, until, cursor, limit: Some(limit) };
    if follows {
        follow::run(&wanted, &owner, connection, json).await?;
        return Ok(Reply::default());
    }
    let consumer = connection.consumer(&owner).await?;
    let page = connection.heard(consumer.list_deliveries(&wanted).await)?;
    LISTING.page(&page, page.deliveries.iter().map(row), page.next_cursor.as_deref())
}

fn row(delivery: &Delivery) -> [String; 7] {
    let Delivery { id, subscription_id, event_type, attempts, created_at, .. } = delivery;
    let (subscription_id, event_type) = (subscription_id.clone(), event_type.clone());
    let (state, last) = (state(delivery), last(delivery));
    [id.clone(), state, attempts.to_string(), last, shown(created_at), subscription_id, event_type]
}
