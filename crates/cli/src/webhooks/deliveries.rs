use anyhow::Result;
use clap::Args;
use gatepost_client::{Delivery, DeliveryQuery};

use crate::connection::{Connection, Owner};
use crate::output::{answer, answer_json, remark, table};

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
  gatepost webhooks deliveries --subscription sub_01h455vb4pex5vsknk084sn02q --state failed
  gatepost webhooks deliveries --event-type invoice.paid --limit 200 --json";

/// Prints a page of deliveries.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: Arguments, connection: &Connection, json: bool) -> Result<()> {
    let consumer = connection.consumer(arguments.owner.name()).await?;
    let Arguments { subscription: subscription_id, state, event_type, limit, cursor, .. } = arguments;
    let wanted =
        DeliveryQuery { subscription_id, state, event_type, cursor, limit: Some(limit), ..DeliveryQuery::default() };
    let page = connection.heard(consumer.list_deliveries(&wanted).await)?;
    if json {
        return Ok(answer_json(&page)?);
    }
    if page.deliveries.is_empty() {
        answer("no deliveries")?;
    } else {
        let heads = ["ID", "STATE", "ATTEMPTS", "PUBLISHED", "EVENT", "SUBSCRIPTION", "TYPE"];
        answer(&table(heads, page.deliveries.iter().map(row)))?;
    }
    if let Some(cursor) = page.next_cursor {
        remark(&format!("there may be older deliveries: --cursor {cursor}"));
    }
    Ok(())
}

fn row(delivery: &Delivery) -> [String; 7] {
    let Delivery { id, event_id, subscription_id, event_type, attempts, created_at, .. } = delivery;
    let (event_id, subscription_id, event_type) = (event_id.clone(), subscription_id.clone(), event_type.clone());
    [id.clone(), state(delivery), attempts.to_string(), created_at.clone(), event_id, subscription_id, event_type]
}

/// The state, with its reason, or the time of the next attempt.
fn state(delivery: &Delivery) -> String {
    match (&delivery.reason, &delivery.next_attempt_at) {
        // The reason of a delivery that its owner cancelled is `cancelled` too.
        (Some(reason), _) if *reason != delivery.state => format!("{} {reason}", delivery.state),
        (None, Some(at)) => format!("{} until {at}", delivery.state),
        _ => delivery.state.clone(),
    }
}
