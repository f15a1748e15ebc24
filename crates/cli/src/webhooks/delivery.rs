use anyhow::Result;
use clap::Args;
use gatepost_client::{Attempt, Delivery, DeliveryHistory};

use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::table::{named_lines, table};
use crate::times::shown;

/// Show a delivery with each attempt: its time and duration, the answer, and the reason of a failure
#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The id of the delivery, as `gatepost webhooks deliveries` shows it
    delivery_id: String,
    #[command(flatten)]
    owner: Owner,
}

const EXAMPLES: &str = "\
Examples:
  gatepost webhooks delivery dlv_01h455vb4pex5vsknk084sn02q --user alice
  gatepost webhooks delivery dlv_01h455vb4pex5vsknk084sn02q --user alice \\
    --json | jq .event.payload";

/// Prints a delivery.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn run(arguments: &Arguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let history = connection.heard(consumer.find_delivery(&arguments.delivery_id).await)?;
    let DeliveryHistory { delivery, event, attempts, .. } = &history;
    let head = [
        ("id", delivery.id.clone()),
        ("state", state(delivery)),
        ("event", format!("{} {}", event.event_type, event.id)),
        ("subscription", delivery.subscription_id.clone()),
        ("published", shown(&delivery.created_at)),
        ("completed", delivery.completed_at.as_deref().map(shown).unwrap_or_default()),
    ];
    let attempts = if attempts.is_empty() {
        "no attempt has ended".to_owned()
    } else {
        table(["ATTEMPT", "STARTED", "TOOK", "STATUS", "RESULT", "ANSWER"], attempts.iter().map(row))
    };
    Reply::new(&history, format!("{}\n\n{attempts}", named_lines(&head)))
}

fn row(attempt: &Attempt) -> [String; 6] {
    let Attempt { number, started_at, duration_ms, status, error, response, .. } = attempt;
    let status = status.map_or_else(|| "none".to_owned(), |status| status.to_string());
    let result = error.clone().unwrap_or_else(|| "succeeded".to_owned());
    // An answer may have several lines, but a row has one.
    let answer = response.iter().flat_map(|body| body.split_whitespace()).collect::<Vec<_>>().join(" ");
    let answer = answer.chars().filter(|letter| !letter.is_control()).collect();
    [number.to_string(), shown(started_at), format!("{duration_ms} ms"), status, result, answer]
}

/// The status of the last answer, or why there was none, and the duration of the attempt.
pub(super) fn last(delivery: &Delivery) -> String {
    let Some(Attempt { status, error, duration_ms, .. }) = &delivery.last_attempt else { return "-".to_owned() };
    let outcome = status.map(|status| status.to_string()).or_else(|| error.clone()).unwrap_or_default();
    format!("{outcome}, {duration_ms} ms")
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
