use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use adapters_postgres::PostgresStore;
use adapters_system::{DatabaseClock, FollowedFeed, SystemClock};
use domain::DeliveryId;
use domain::memory::ManualClock;
use domain::ports::{
    ChangeFeed as _, Clock as _, DeliveryLog, DeliveryQueue, EventStore as _, ListDeliveriesRequest, Publication,
    StoreError,
};
use domain::webhooks::{DeliveryFilter, NewEvent};
use throwaway_postgres::Cluster;

use crate::world::{LEASE, alice, at, delivered, event, instance, instances, named, query, request, subscribe};

/// Both instances publish each key, in groups that overlap: one instance accepts the key, and the other finds it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_instances_accept_each_key_once_and_share_the_deliveries() {
    let (stores, _database) = instances(2).await;
    for _ in 0..3 {
        subscribe(&stores[0]).await;
    }
    let calls = (0..400).map(|call: usize| {
        let store = stores[call % 2].clone();
        let events = [call, call + 1].map(|key| named(&format!("key-{}", key / 2 % 100), "same"));
        tokio::spawn(async move { store.publish(&events).await.unwrap() })
    });
    let mut accepted = BTreeSet::new();
    for publication in futures_util::future::try_join_all(calls).await.unwrap() {
        let Publication::Accepted(events) = publication else { panic!("the contents are the same: {publication:?}") };
        accepted.extend(events.iter().filter(|one| !one.is_duplicate).map(|one| one.event.id));
        assert!(events.iter().all(|one| one.deliveries == 3));
    }
    assert_eq!(accepted.len(), 100, "each key is accepted once");

    let workers = (0..4).map(|worker: usize| {
        let store = stores[worker % 2].clone();
        tokio::spawn(async move {
            let mut done = Vec::new();
            // Parallel claims may skip each other's rows.
            let mut idle = 0;
            while idle < 5 {
                let request = request(at(1));
                let lanes = store.claim(&request).await.unwrap();
                let completions = delivered(request.claim, &lanes, at(2));
                assert!(store.complete(&completions).await.unwrap().iter().all(|held| *held));
                idle = if completions.is_empty() { idle + 1 } else { 0 };
                done.extend(completions.into_iter().map(|one| one.delivery));
            }
            done
        })
    });
    let done = futures_util::future::try_join_all(workers).await.unwrap().concat();
    let each: BTreeSet<DeliveryId> = done.iter().copied().collect();
    assert_eq!((done.len(), each.len()), (300, 300), "each delivery was claimed once");
}

/// An instance of which the machine's clock is ahead by this much, with the clock that follows the database.
fn with_clock(store: &PostgresStore, ahead: Duration) -> (FollowedFeed, Arc<DatabaseClock>) {
    let clock = Arc::new(DatabaseClock::new(Arc::new(ManualClock::new(SystemClock.now().plus(ahead)))));
    (FollowedFeed::new(Arc::new(store.clone()), Arc::clone(&clock)), clock)
}

/// The machine's time is longer ahead than a claim lasts: by that time the claim of the other instance would be over.
#[tokio::test]
async fn an_instance_whose_clock_is_ahead_takes_no_delivery_over() {
    let (stores, _database) = instances(2).await;
    subscribe(&stores[0]).await;
    stores[0].publish(&[event()]).await.unwrap();
    for store in &stores {
        // Opens the connection: the round trip of the clock begins later.
        store.changes_since(None, 0).await.unwrap();
    }
    let instances = [with_clock(&stores[0], Duration::ZERO), with_clock(&stores[1], Duration::from_secs(90))];
    for (feed, clock) in &instances {
        assert!(!clock.is_certain());
        feed.changes_since(None, 0).await.unwrap();
        assert!(clock.is_certain());
    }
    let [right, ahead] = instances.map(|(_, clock)| clock);
    assert!(ahead.now().since(right.now()) < Duration::from_secs(1));
    assert_eq!(stores[0].claim(&request(right.now())).await.unwrap().len(), 1);
    assert_eq!(stores[1].claim(&request(ahead.now())).await.unwrap().len(), 0);
    let by_the_machine = stores[1].claim(&request(ahead.machine_time())).await.unwrap();
    assert_eq!(by_the_machine.len(), 1, "by the machine's clock it takes the delivery over");
}

/// A call with another event under a used key, and a call with a used id, get an error. The other calls of their group
/// do not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_does_not_fail_for_one_of_its_calls() {
    let (store, _database) = &instance().await;
    subscribe(store).await;
    let first = named("key", "this");
    store.publish(std::slice::from_ref(&first)).await.unwrap();
    let minted_twice = NewEvent { publication: None, ..first.clone() };
    let other_content = named("key", "that");
    let mut calls: Vec<NewEvent> = (0..60).map(|_| event()).collect();
    calls.insert(20, minted_twice);
    calls.insert(40, other_content);
    let answers = calls.iter().map(|new| store.publish(std::slice::from_ref(new)));
    let answers = futures_util::future::join_all(answers).await;
    for (index, answer) in answers.iter().enumerate() {
        match (index, answer) {
            (20, Err(StoreError::Duplicate { what: "id" })) | (40, Ok(Publication::Conflict { index: 0 })) => {}
            (20 | 40, other) => panic!("{index}: {other:?}"),
            (_, answer) => assert!(matches!(answer, Ok(Publication::Accepted(one)) if one[0].deliveries == 1)),
        }
    }
    let (owner, filter) = (alice(), DeliveryFilter::default());
    let request = ListDeliveriesRequest { owner, filter, before: None, max: 100 };
    let all = DeliveryLog::list(store, &request).await.unwrap();
    assert_eq!(all.deliveries.len(), 61);
}

/// The server closes all connections every 20 ms. Callers repeat failed calls, as clients do.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn lost_connections_neither_lose_nor_repeat_events() {
    const PUBLISHERS: usize = 8;
    const EVENTS: usize = 40;
    let (stores, database) = instances(2).await;
    subscribe(&stores[0]).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let killer = {
        let (is_over, database) = (Arc::clone(&is_over), database.name.clone());
        tokio::spawn(async move {
            let terminate = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE application_name = 'gatepost' AND datname = current_database()";
            let mut killed = 0;
            while !is_over.load(Ordering::Relaxed) {
                let count = Cluster::shared().await.unwrap().execute(&database, terminate).await.unwrap();
                killed += count.parse::<u32>().unwrap();
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            killed
        })
    };
    let publishers = (0..PUBLISHERS).map(|publisher| {
        let store = stores[publisher % 2].clone();
        tokio::spawn(async move {
            for number in 0..EVENTS {
                loop {
                    let new = named(&format!("{publisher}-{number}"), "same");
                    match store.publish(&[new]).await {
                        Ok(Publication::Accepted(_)) => break,
                        Ok(conflict @ Publication::Conflict { .. }) => panic!("{conflict:?}"),
                        Err(StoreError::Unavailable(_)) => {}
                        Err(other) => panic!("{other:?}"),
                    }
                }
            }
        })
    });
    let worker = {
        let store = stores[0].clone();
        tokio::spawn(async move {
            let mut done = 0;
            // Each claim is later than the previous one, so that lost claims expire.
            for round in 1_i64.. {
                let now = at(round * 10_000);
                let request = request(now);
                let Ok(lanes) = store.claim(&request).await else { continue };
                let completions = delivered(request.claim, &lanes, now);
                // A completion may be repeated: the second time, the claim no longer holds the delivery.
                while store.complete(&completions).await.is_err() {}
                done += completions.len();
                if done >= PUBLISHERS * EVENTS {
                    return;
                }
            }
        })
    };
    futures_util::future::try_join_all(publishers).await.unwrap();
    tokio::time::timeout(Duration::from_mins(1), worker).await.unwrap().unwrap();
    is_over.store(true, Ordering::Relaxed);
    assert!(killer.await.unwrap() > 20, "connections were lost throughout the test");
    let expected = (PUBLISHERS * EVENTS).to_string();
    for count in [
        "SELECT count(*) FROM webhook_events",
        "SELECT count(*) FROM webhook_publications",
        "SELECT count(*) FROM webhook_deliveries WHERE ended = 'delivered'",
        "SELECT count(*) FROM webhook_attempts",
    ] {
        assert_eq!(query(&database, count).await, expected, "{count}");
    }
    assert_eq!(query(&database, "SELECT count(*) FROM webhook_due").await, "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_instance_is_woken_by_a_publication() {
    let (stores, _database) = instances(2).await;
    subscribe(&stores[0]).await;
    let hint = |store: &PostgresStore| {
        let store = store.clone();
        async move { tokio::time::timeout(Duration::from_secs(20), DeliveryQueue::hint(&store)).await.unwrap() }
    };
    // The first notification shows that the connection is open.
    tokio::join!(hint(&stores[0]), hint(&stores[1]));
    stores[0].publish(&[event()]).await.unwrap();
    tokio::join!(hint(&stores[0]), hint(&stores[1]));
}

/// A process was found ended, claimed its own delivery again, and has the results of both claims in one batch.
#[tokio::test]
async fn a_batch_with_two_claims_on_one_delivery_is_stored_whole() {
    let (store, database) = &instance().await;
    subscribe(store).await;
    store.publish(&[event()]).await.unwrap();
    let (lost, held) = (request(at(1)), request(at(1).plus(LEASE)));
    let mut results = delivered(lost.claim, &store.claim(&lost).await.unwrap(), at(2));
    results.extend(delivered(held.claim, &store.claim(&held).await.unwrap(), held.at));
    assert_eq!(store.complete(&results).await.unwrap(), [false, true]);
    assert_eq!(query(database, "SELECT count(*) FROM webhook_attempts").await, "2");
}
