use std::collections::BTreeSet;

use adapters_postgres::PostgresStore;
use domain::DeliveryId;
use domain::memory::unique_cause;
use domain::ports::{
    DeliveryCommands as _, DeliveryLog, DeliveryQueue as _, EventStore as _, ListDeliveriesRequest, RetryFailedRequest,
    RetryRequest,
};
use domain::webhooks::{ClaimEnd, DeliveryEnd, DeliveryFilter, DeliveryState, NewEvent};

use crate::world::{alice, at, delivered, disable, event, hexadecimal, instance, query, recovery, request, subscribe};

/// How the delivery of alice ended.
async fn end_of(store: &PostgresStore, id: DeliveryId) -> Option<DeliveryEnd> {
    match DeliveryLog::find(store, &alice(), id).await.unwrap().unwrap().delivery.state {
        DeliveryState::Ended { end, .. } => Some(end),
        DeliveryState::Waiting(_) | DeliveryState::Sending(_) => None,
    }
}

/// The event is missing, or a column of the delivery has a value that the schema does not promise.
#[tokio::test]
async fn a_damaged_delivery_ends_and_the_others_are_claimed() {
    let (store, database) = &instance().await;
    let lane = subscribe(store).await;
    let events: Vec<NewEvent> = (0..4).map(|_| event()).collect();
    store.publish(&events).await.unwrap();
    let ids: Vec<DeliveryId> = events.iter().map(|new| DeliveryId::of(new.event.id, lane)).collect();
    let gone = hexadecimal(events[0].event.id.as_bytes());
    query(database, &format!("DELETE FROM webhook_events WHERE id = '\\x{gone}'")).await;
    for (id, damage) in [(&ids[1], "attempts = -5"), (&ids[2], "run_started_at = 'infinity'")] {
        let row = hexadecimal(id.as_bytes());
        query(database, &format!("UPDATE webhook_due SET {damage} WHERE delivery_id = '\\x{row}'")).await;
    }
    let lanes = store.claim(&request(at(1))).await.unwrap();
    let claimed: Vec<DeliveryId> = lanes.iter().flat_map(|lane| &lane.deliveries).map(|one| one.id).collect();
    assert_eq!(claimed, [ids[3]]);
    for id in &ids[..3] {
        assert_eq!(end_of(store, *id).await, Some(DeliveryEnd::Unreadable), "{id}");
    }
    assert_eq!(query(database, "SELECT count(*) FROM webhook_due").await.trim(), "1");
}

/// The URL or the secret of a subscription cannot be read: its deliveries end. A damaged breaker is a new one.
#[tokio::test]
async fn the_deliveries_of_a_damaged_subscription_end_and_the_others_are_claimed() {
    let (store, database) = &instance().await;
    let mut lanes = Vec::new();
    for damage in [
        "webhook_subscriptions SET url = 'nothing' WHERE id",
        "webhook_subscriptions SET secret = NULL WHERE id",
        "webhook_lanes SET pause_millis = -1, failures_in_a_row = -1 WHERE subscription_id",
        "webhook_lanes SET failing_since = 'infinity' WHERE subscription_id",
    ] {
        let lane = subscribe(store).await;
        query(database, &format!("UPDATE {damage} = '\\x{}'", hexadecimal(lane.as_bytes()))).await;
        lanes.push(lane);
    }
    let new = event();
    store.publish(std::slice::from_ref(&new)).await.unwrap();
    let claimed = store.claim(&request(at(1))).await.unwrap();
    assert_eq!(
        claimed.iter().map(|lane| lane.subscription).collect::<BTreeSet<_>>(),
        lanes[2..].iter().copied().collect()
    );
    for lane in &lanes[..2] {
        assert_eq!(end_of(store, DeliveryId::of(new.event.id, *lane)).await, Some(DeliveryEnd::Unreadable));
    }
}

/// Lanes with ids of 15 bytes, open and closed, and a lane without its subscription. They come first, and one claim
/// does not take all of them.
#[tokio::test]
async fn damaged_lanes_are_deleted_and_the_others_are_served() {
    let (store, database) = &instance().await;
    let (orphan, whole) = (subscribe(store).await, subscribe(store).await);
    store.publish(&[event()]).await.unwrap();
    let plant = format!(
        "INSERT INTO webhook_lanes SELECT substring(sha256(i::text::bytea) FOR 15), 0, i <= 100, '2026-01-01', 0, 0,
            NULL, NULL, 0 FROM generate_series(1, 150) AS i;
        INSERT INTO webhook_due SELECT subscription_id, subscription_id, subscription_id, 0, '2026-01-01', 0, now(), 0
            FROM webhook_lanes WHERE octet_length(subscription_id) = 15;
        DELETE FROM webhook_subscriptions WHERE id = '\\x{}'",
        hexadecimal(orphan.as_bytes())
    );
    query(database, &plant).await;
    let claimed = store.claim(&request(at(1))).await.unwrap();
    assert_eq!(claimed.iter().map(|lane| lane.subscription).collect::<Vec<_>>(), [whole]);
    assert_eq!(store.end_closed(at(1), 1_000).await.unwrap(), 0);
    for (rows, expected) in [
        ("SELECT count(*) FROM webhook_lanes", "2"),
        ("SELECT count(*) FROM webhook_due", "1"),
        ("SELECT ended FROM webhook_deliveries", "unreadable"),
    ] {
        assert_eq!(query(database, rows).await, expected, "{rows}");
    }
}

/// The event is missing after its delivery was sent: the delivery has ended anyway.
#[tokio::test]
async fn a_delivery_whose_event_is_lost_while_it_is_sent_ends() {
    let (store, database) = &instance().await;
    let lane = subscribe(store).await;
    for is_delivered in [true, false] {
        let new = event();
        store.publish(std::slice::from_ref(&new)).await.unwrap();
        let request = request(at(1));
        let mut results = delivered(request.claim, &store.claim(&request).await.unwrap(), at(1));
        query(database, "DELETE FROM webhook_events").await;
        if !is_delivered {
            results[0].end = ClaimEnd::Expired { at: at(1) };
        }
        assert_eq!(store.complete(&results).await.unwrap(), [true]);
        let end = if is_delivered { DeliveryEnd::Delivered } else { DeliveryEnd::ScheduleSpent };
        assert_eq!(end_of(store, DeliveryId::of(new.event.id, lane)).await, Some(end));
    }
    assert_eq!(query(database, "SELECT count(*) FROM webhook_due").await, "0");
}

/// The event of one delivery is missing, one delivery has an id of one byte, and the period of another one has left the
/// log.
#[tokio::test]
async fn damaged_deliveries_of_a_closed_lane_stop_nobody() {
    const PLANT: &str = "INSERT INTO webhook_due
        SELECT DISTINCT ON (damaged.id) subscription_id, damaged.id, event_id, 0, due_at, 0, now(), 0
        FROM webhook_due, (VALUES ('\\x00'::bytea), (decode(repeat('00', 16), 'hex'))) AS damaged (id)";
    let (store, database) = &instance().await;
    let lane = subscribe(store).await;
    let events = [event(), event()];
    store.publish(&events).await.unwrap();
    query(database, PLANT).await;
    let gone = hexadecimal(events[0].event.id.as_bytes());
    query(database, &format!("DELETE FROM webhook_events WHERE id = '\\x{gone}'")).await;
    disable(store, lane, at(1)).await;
    assert_eq!(query(database, "SELECT count(*) FROM webhook_due").await, "0");
    let ended = "SELECT count(*) FROM webhook_deliveries WHERE ended = 'subscription_disabled'";
    assert_eq!(query(database, ended).await, "2");
}

/// An instance of an older version has stored a delivery in both tables: see decision 105.
#[tokio::test]
async fn a_delivery_that_is_stored_twice_stops_nobody() {
    const DOUBLE: &str =
        "INSERT INTO webhook_deliveries (subscription_id, id, event_id, event_type, ended, ended_at, attempts)
        SELECT subscription_id, delivery_id, event_id, 'a', 'schedule_spent', now(), 1 FROM webhook_due
        ON CONFLICT DO NOTHING";
    let (store, database) = &instance().await;
    let lane = subscribe(store).await;
    let retry = RetryRequest { at: at(2), published_since: at(0) };
    for number in 0..4 {
        store.publish(&[event(), event()]).await.unwrap();
        query(database, DOUBLE).await;
        match number {
            0 => {
                let recovered = store.recover(&recovery(lane, retry)).await.unwrap();
                assert_eq!(recovered.map(|recovered| recovered.deliveries), Some(2));
            }
            1 => {
                let (owner, filter) = (alice(), DeliveryFilter::default());
                let request = ListDeliveriesRequest { owner, filter, before: None, max: 10 };
                let page = DeliveryLog::list(store, &request).await.unwrap();
                let ids: Vec<DeliveryId> = page.deliveries.iter().map(|listed| listed.delivery.id).collect();
                let (owner, cause) = (alice(), unique_cause());
                let request = RetryFailedRequest { owner, subscription: lane, ids, retry, cause };
                store.retry_failed(&request).await.unwrap();
            }
            2 => {
                let request = request(at(3));
                let results = delivered(request.claim, &store.claim(&request).await.unwrap(), at(3));
                assert!(store.complete(&results).await.unwrap().iter().all(|held| *held));
                assert_eq!(query(database, "SELECT count(*) FROM webhook_due").await, "0");
            }
            _ => {
                disable(store, lane, at(4)).await;
                assert_eq!(query(database, "SELECT count(*) FROM webhook_due").await, "0");
            }
        }
    }
}
