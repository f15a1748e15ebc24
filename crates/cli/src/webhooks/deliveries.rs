//! Deliveries: lists, attempts, and what an owner can do with them.

use std::collections::HashMap;
use std::time::Duration;

use adapters_system::stop_on_signal;
use anyhow::{Error, Result, anyhow};
use clap::Args;
use gatepost_client::{Attempt, Delivery, DeliveryHistory, DeliveryQuery};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::connection::Connection;
use crate::consent::Consent;
use crate::listing::{Listing, Part};
use crate::output::{Reply, member, remark};
use crate::owner::Owner;
use crate::table::{named_lines, table};
use crate::times::shown;

/// List deliveries, newest first, or follow them
#[derive(Debug, Args)]
#[command(before_help = LIST_EXAMPLES)]
pub(super) struct ListArguments {
    /// Only deliveries to this subscription
    #[arg(long, value_name = "ID")]
    subscription: Option<String>,
    /// Only deliveries in this state
    #[arg(long, value_parser = ["waiting", "sending", "delivered", "failed", "cancelled", "missed"])]
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

const LIST_EXAMPLES: &str = "\
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
pub(super) async fn list(arguments: ListArguments, connection: &Connection, json: bool) -> Result<Reply> {
    let ListArguments { subscription: subscription_id, state, event_type, part, follow: follows, owner } = arguments;
    let Part { since, until, limit, cursor } = part;
    let wanted = DeliveryQuery { subscription_id, state, event_type, since, until, cursor, limit: Some(limit) };
    if follows {
        follow(&wanted, &owner, connection, json).await?;
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

/// The time between two looks.
const PAUSE: Duration = Duration::from_secs(2);

/// Shows the newest deliveries, the oldest of them first, and then each one that is new or has another state, until
/// SIGTERM or SIGINT. A change that is older than a page of deliveries is not seen.
///
/// # Errors
///
/// When a call fails, or standard output is closed.
pub(super) async fn follow(wanted: &DeliveryQuery, owner: &Owner, connection: &Connection, json: bool) -> Result<()> {
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let follow = async {
        let mut seen = HashMap::new();
        loop {
            // A new token each time: an ID token may expire while a person watches.
            let consumer = connection.consumer(owner).await?;
            let page = connection.heard(consumer.list_deliveries(wanted).await)?;
            let changed = changed(&page.deliveries, &mut seen);
            changed.into_iter().try_for_each(|delivery| print(delivery, json))?;
            sleep(PAUSE).await;
        }
    };
    stop.run_until_cancelled(follow).await.unwrap_or(Ok(()))
}

/// The deliveries that are new or have another state, the oldest first. Forgets deliveries that are no longer listed.
fn changed<'a>(listed: &'a [Delivery], seen: &mut HashMap<String, (String, u32)>) -> Vec<&'a Delivery> {
    let version = |delivery: &Delivery| (delivery.state.clone(), delivery.attempts);
    let changed = listed.iter().rev().filter(|delivery| seen.get(&delivery.id) != Some(&version(delivery))).collect();
    *seen = listed.iter().map(|delivery| (delivery.id.clone(), version(delivery))).collect();
    changed
}

fn print(delivery: &Delivery, json: bool) -> Result<()> {
    let Delivery { id, event_type, attempts, created_at, .. } = delivery;
    let (at, state, last) = (shown(created_at), state(delivery), last(delivery));
    let words = format!("{at}  {id}  {event_type}  {state}  attempts: {attempts}  last: {last}");
    Reply::new(delivery, words)?.print(json)
}

/// Show a delivery with each attempt: its time and duration, the answer, and the reason of a failure
#[derive(Debug, Args)]
#[command(before_help = SHOW_EXAMPLES)]
pub(super) struct ShowArguments {
    /// The id of the delivery, as `gatepost webhooks deliveries` shows it
    delivery_id: String,
    #[command(flatten)]
    owner: Owner,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  gatepost webhooks delivery dlv_01h455vb4pex5vsknk084sn02q --user alice
  gatepost webhooks delivery dlv_01h455vb4pex5vsknk084sn02q --user alice \\
    --json | jq .event.payload";

/// Prints a delivery.
///
/// # Errors
///
/// When the call fails.
pub(super) async fn show(arguments: &ShowArguments, connection: &Connection) -> Result<Reply> {
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
        table(["ATTEMPT", "STARTED", "TOOK", "STATUS", "RESULT", "ANSWER"], attempts.iter().map(attempt_row))
    };
    Reply::new(&history, format!("{}\n\n{attempts}", named_lines(&head)))
}

fn attempt_row(attempt: &Attempt) -> [String; 6] {
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

/// Deliver again now, whatever the state, and restart the retry schedule
#[derive(Debug, Args)]
#[command(before_help = RETRY_EXAMPLES)]
pub(super) struct RetryArguments {
    /// The ids of deliveries, as `gatepost webhooks deliveries` shows them
    #[arg(value_name = "DELIVERY_ID", required = true)]
    delivery_ids: Vec<String>,
    #[command(flatten)]
    owner: Owner,
}

const RETRY_EXAMPLES: &str = "\
Examples:
  gatepost webhooks retry dlv_01h455vb4pex5vsknk084sn02q --user alice
  gatepost webhooks deliveries --state failed --user alice --json \\
    | jq -r '.deliveries[].id' | xargs -r gatepost webhooks retry --user alice";

/// The outcomes of a call for each of several deliveries.
#[derive(Default)]
pub(super) struct Changed {
    deliveries: Vec<Delivery>,
    failures: Vec<(String, Error)>,
}

impl Changed {
    /// Notes the outcome for the delivery with this id.
    pub(super) fn note(&mut self, id: &str, outcome: Result<Delivery>) {
        match outcome {
            Ok(delivery) => self.deliveries.push(delivery),
            Err(error) => self.failures.push((id.to_owned(), error)),
        }
    }
}

/// Makes each delivery due, even if the call for another one fails.
///
/// # Errors
///
/// When a call fails.
pub(super) async fn retry(arguments: &RetryArguments, connection: &Connection) -> Result<Reply> {
    let consumer = connection.consumer(&arguments.owner).await?;
    let mut changed = Changed::default();
    for id in &arguments.delivery_ids {
        changed.note(id, connection.heard(consumer.retry_delivery(id).await));
    }
    report(changed, |delivery| format!("{} is due now", delivery.id))
}

/// Prints the deliveries that were changed, and why others were not.
///
/// # Errors
///
/// When a call failed: its own error if it was the only call.
pub(super) fn report(changed: Changed, in_words: impl Fn(&Delivery) -> String) -> Result<Reply> {
    let Changed { deliveries, mut failures } = changed;
    let (failed, all) = (failures.len(), failures.len() + deliveries.len());
    if all == 1
        && let Some((id, error)) = failures.pop()
    {
        return Err(error.context(id));
    }
    for (id, error) in &failures {
        remark(&format!("{id}: {error:#}"));
    }
    let words: Vec<String> = deliveries.iter().map(in_words).collect();
    let reply = Reply::new(&member("deliveries", &deliveries), words.join("\n"))?;
    Ok(if failed > 0 { reply.failing(anyhow!("{failed} of {all} calls failed")) } else { reply })
}

/// Cancel deliveries that have not ended
#[derive(Debug, Args)]
#[command(before_help = CANCEL_EXAMPLES)]
pub(super) struct CancelArguments {
    /// The ids of deliveries, as `gatepost webhooks deliveries` shows them
    #[arg(value_name = "DELIVERY_ID", required = true)]
    delivery_ids: Vec<String>,
    #[command(flatten)]
    owner: Owner,
    #[command(flatten)]
    consent: Consent,
}

const CANCEL_EXAMPLES: &str = "\
Examples:
  gatepost webhooks cancel dlv_01h455vb4pex5vsknk084sn02q --user alice --yes";

/// Cancels each delivery, even if the call for another one fails.
///
/// # Errors
///
/// Without consent, or when a call fails.
pub(super) async fn cancel(arguments: &CancelArguments, connection: &Connection) -> Result<Reply> {
    let CancelArguments { delivery_ids, owner, consent } = arguments;
    consent.get(&format!("cancel {}", delivery_ids.join(" ")), connection)?;
    let consumer = connection.consumer(owner).await?;
    let mut changed = Changed::default();
    for id in delivery_ids {
        changed.note(id, connection.heard(consumer.cancel_delivery(id).await));
    }
    // A delivery that had ended before is unchanged.
    report(changed, |delivery| format!("{} is {}", delivery.id, delivery.state))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn delivery(id: &str, state: &str, attempts: u32) -> Delivery {
        serde_json::from_value(json!({
            "id": id, "eventId": "evt_1", "eventType": "a.b", "subscriptionId": "sub_1", "state": state,
            "attempts": attempts, "createdAt": "2026-11-21T01:42:03.120Z", "url": "https://a.example/",
        }))
        .unwrap()
    }

    #[test]
    fn each_state_is_shown_once_and_the_oldest_delivery_first() {
        let mut seen = HashMap::new();
        let mut shown = |listed: &[Delivery]| -> Vec<String> {
            changed(listed, &mut seen).iter().map(|delivery| format!("{} {}", delivery.id, delivery.state)).collect()
        };
        let (first, second) = (delivery("1", "waiting", 0), delivery("2", "waiting", 0));
        assert_eq!(shown(&[second.clone(), first.clone()]), ["1 waiting", "2 waiting"]);
        assert!(shown(&[second.clone(), first]).is_empty());
        assert_eq!(shown(&[second.clone(), delivery("1", "delivered", 1)]), ["1 delivered"]);
        assert_eq!(shown(&[delivery("2", "waiting", 1)]), ["2 waiting"], "another attempt");
    }
}
