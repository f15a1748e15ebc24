use std::collections::HashMap;
use std::time::Duration;

use adapters_system::stop_on_signal;
use anyhow::Result;
use gatepost_client::{Delivery, DeliveryQuery};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::delivery::{last, state};
use crate::connection::Connection;
use crate::output::Reply;
use crate::owner::Owner;
use crate::times::shown;

/// The time between two looks.
const PAUSE: Duration = Duration::from_secs(2);

/// Shows the newest deliveries, the oldest of them first, and then each one that is new or has another state, until
/// SIGTERM or SIGINT. A change that is older than a page of deliveries is not seen.
///
/// # Errors
///
/// When a call fails, or standard output is closed.
pub(super) async fn run(wanted: &DeliveryQuery, owner: &Owner, connection: &Connection, json: bool) -> Result<()> {
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    let follow = async {
        let mut seen = HashMap::new();
        loop {
            // A new token each time: an ID token may expire while a person watches.
            let consumer = connection.consumer(owner).await?;
            let page = connection.heard(consumer.list_deliveries(wanted).await)?;
            let changed = changed(&page.deliveries, &mut seen);
            changed.into_iter().try_for_each(|delivery| show(delivery, json))?;
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

fn show(delivery: &Delivery, json: bool) -> Result<()> {
    let Delivery { id, event_type, attempts, created_at, .. } = delivery;
    let (at, state, last) = (shown(created_at), state(delivery), last(delivery));
    let words = format!("{at}  {id}  {event_type}  {state}  attempts: {attempts}  last: {last}");
    Reply::new(delivery, words)?.print(json)
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
