use anyhow::Result;
use clap::Args;
use gatepost_client::{Delivery, DeliveryQuery};

use crate::connection::{Connection, Owner};
use crate::output::{answer, answer_json, remark};
use crate::table::table;
use crate::times::{past, shown};

/// List deliveries, newest first
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
    /// Only events published at this time or later: 2026-11-21T00:00:00Z, or 2h for two hours ago
    #[arg(long, value_name = "TIME", value_parser = past)]
    since: Option<String>,
    /// Only events published before this time, or so long ago
    #[arg(long, value_name = "TIME", value_parser = past)]
    until: Option<String>,
    /// The maximum of deliveries to list, up to 200
    #[arg(long, value_name = "COUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,
    /// The cursor that the previous page showed; use the same filters
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
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

/// Prints a page of deliveries.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection, json: bool) -> Result<()> {
    let consumer = connection.consumer(arguments.owner.name()).await?;
    let Arguments { subscription: subscription_id, state, event_type, since, until, limit, cursor, .. } = arguments;
    let wanted = DeliveryQuery { subscription_id, state, event_type, since, until, cursor, limit: Some(limit) };
    let page = connection.heard(consumer.list_deliveries(&wanted).await)?;
    if json {
        return Ok(answer_json(&page)?);
    }
    if page.deliveries.is_empty() {
        answer("no deliveries")?;
    } else {
        let heads = ["ID", "STATE", "ATTEMPTS", "PUBLISHED", "SUBSCRIPTION", "TYPE"];
        answer(&table(heads, page.deliveries.iter().map(row)))?;
    }
    if let Some(cursor) = page.next_cursor {
        remark(&format!("there may be older deliveries: --cursor {cursor}"));
    }
    Ok(())
}

fn row(delivery: &Delivery) -> [String; 6] {
    let Delivery { id, subscription_id, event_type, attempts, created_at, .. } = delivery;
    let (subscription_id, event_type) = (subscription_id.clone(), event_type.clone());
    [id.clone(), state(delivery), attempts.to_string(), shown(created_at), subscription_id, event_type]
}

/// The state, with its reason, or the time of the next attempt.
pub(super) fn state(delivery: &Delivery) -> String {
    match (&delivery.reason, &delivery.next_attempt_at) {
        // The reason of a delivery that its owner cancelled is `cancelled` too.
        (Some(reason), _) if *reason != delivery.state => format!("{} {reason}", delivery.state),
        (None, Some(at)) => format!("{}, next {}", delivery.state, shown(at)),
        _ => delivery.state.clone(),
    }
}
