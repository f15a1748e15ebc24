use std::time::Duration;

use domain::ports::{DeliveryQueue as _, EventStore as _, Publication};
use domain::webhooks::{AttemptRecord, ClaimEnd, FailureReason, NewEvent};
use throwaway_postgres::Database;

use crate::databases::until_calls_wait;
use crate::world::{
    at, connect, delivered, event, hexadecimal, instance, instances, named, open, query, request, subscribe,
};

/// A publication meets a claim that found its lane empty and is about to put the lane to sleep: after the claim has read
/// the due deliveries, and before it writes the lane.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_publication_keeps_its_lane_from_being_put_to_sleep() {
    let (stores, database) = instances(2).await;
    let (one, two) = (subscribe(&stores[0]).await, subscribe(&stores[0]).await);
    let (first, second) = (one.min(two), one.max(two));
    stores[0].publish(&[event()]).await.unwrap();
    let both = request(at(1));
    let completions = delivered(both.claim, &stores[0].claim(&both).await.unwrap(), at(1));
    assert_eq!(stores[0].complete(&completions).await.unwrap(), [true, true]);
    // Lanes are put to sleep in the order of their ids. The first one waits for a lock of the test.
    let (raw, observer) = (connect(&database).await, connect(&database).await);
    let stall = format!(
        "CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
        CREATE TRIGGER stall BEFORE UPDATE ON webhook_lanes FOR EACH ROW
            WHEN (OLD.subscription_id = '\\x{}') EXECUTE FUNCTION stall();
        SELECT pg_advisory_lock(1)",
        hexadecimal(first.as_bytes())
    );
    raw.batch_execute(&stall).await.unwrap();
    let lease_end = both.until;
    let claiming = {
        let (store, request) = (stores[0].clone(), request(lease_end));
        tokio::spawn(async move { store.claim(&request).await.unwrap().len() })
    };
    until_calls_wait(&observer, 1).await;
    let publishing = {
        let (store, new) = (stores[1].clone(), NewEvent { only: Some(second), ..event() });
        tokio::spawn(async move { store.publish(&[new]).await.unwrap() })
    };
    // The publication waits for the claim, or does not and is over.
    tokio::select! {
        () = until_calls_wait(&observer, 2) => {}
        () = until(|| publishing.is_finished()) => {}
    }
    raw.batch_execute("SELECT pg_advisory_unlock(1)").await.unwrap();
    assert_eq!(claiming.await.unwrap(), 0, "the claim was before the publication");
    publishing.await.unwrap();
    let lanes = stores[0].claim(&request(lease_end)).await.unwrap();
    assert_eq!(lanes.iter().map(|lane| lane.subscription).collect::<Vec<_>>(), [second]);
}

/// A user subscribes while a publication waits for another lane: the new lane is woken, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_created_during_a_publication_is_woken() {
    let (stores, database) = instances(2).await;
    subscribe(&stores[0]).await;
    let raw = connect(&database).await;
    raw.batch_execute("BEGIN; SELECT FROM webhook_lanes FOR UPDATE").await.unwrap();
    let publishing = {
        let (store, event) = (stores[0].clone(), event());
        tokio::spawn(async move { store.publish(&[event]).await.unwrap() })
    };
    until_a_call_waits(&database).await;
    subscribe(&stores[1]).await;
    raw.batch_execute("COMMIT").await.unwrap();
    let Publication::Accepted(events) = publishing.await.unwrap() else { panic!("no event has a key") };
    let lanes = stores[0].claim(&request(at(1))).await.unwrap();
    assert_eq!((events[0].deliveries, lanes.len()), (2, 2));
}

/// A change of one subscription holds its lane. Publications to other lanes do not wait for it, in whatever group they
/// were.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_publications_to_a_locked_lane_wait_for_it() {
    let (store, database) = &instance().await;
    let (one, two) = (subscribe(store).await, subscribe(store).await);
    // In the order of their ids: a call that waits for the second lane would hold the first one.
    let (held, free) = (one.min(two), one.max(two));
    let (raw, observer) = (connect(database).await, connect(database).await);
    let lock = format!(
        "BEGIN; SELECT FROM webhook_lanes WHERE subscription_id = '\\x{}' FOR UPDATE",
        hexadecimal(held.as_bytes())
    );
    let unlock = async || {
        until_calls_wait(&observer, 1).await;
        raw.batch_execute("COMMIT").await.unwrap();
    };
    let to = |lane| NewEvent { only: Some(lane), ..event() };
    // Opens both connections that publish.
    let (first, second) = ([to(free)], [to(held)]);
    store.publish(&first).await.unwrap();
    raw.batch_execute(&lock).await.unwrap();
    tokio::join!(store.publish(&second), unlock()).0.unwrap();
    raw.batch_execute(&lock).await.unwrap();
    let (blocked, together) = ([to(held)], [to(free), to(held)]);
    let waiting = async {
        let (one, two) = tokio::join!(store.publish(&blocked), store.publish(&together));
        (one.unwrap(), two.unwrap())
    };
    let others = async {
        for _ in 0..20 {
            let published = store.publish(&[to(free)]).await.unwrap();
            assert!(matches!(published, Publication::Accepted(one) if one[0].deliveries == 1));
        }
        unlock().await;
    };
    let (published, ()) = tokio::join!(waiting, others);
    assert!(
        matches!(published, (Publication::Accepted(one), Publication::Accepted(two)) if one.len() + two.len() == 3)
    );
    assert_eq!(query(database, "SELECT count(*) FROM webhook_due").await, "25");
}

/// Another instance stores a key that comes before the others in order, and then waits. With keys stored in the order
/// of the call, it would wait for a publication that waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn publication_keys_are_stored_in_one_order() {
    const INSERT: &str = "INSERT INTO webhook_publications VALUES ('https://id.example', 'alice', $1, '\\x', $2)";
    let (store, database) = &instance().await;
    let raw = connect(database).await;
    raw.batch_execute("SET lock_timeout = '300ms'; BEGIN").await.unwrap();
    raw.execute(INSERT, &[&"b", &&b"b"[..]]).await.unwrap();
    let events = ["c", "b", "a"].map(|key| named(key, "same"));
    let other = async {
        until_a_call_waits(database).await;
        raw.execute(INSERT, &[&"c", &&b"c"[..]]).await.unwrap();
        raw.batch_execute("ROLLBACK").await.unwrap();
    };
    let (published, ()) = tokio::join!(store.publish(&events), other);
    assert!(matches!(published.unwrap(), Publication::Accepted(events) if events.len() == 3));
}

/// Two workers have different results of one attempt. They lock the delivery, then the place of the attempt: in another
/// order, each would wait for the other until the server ends one of them, which this server never does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_of_one_attempt_do_not_wait_for_each_other() {
    let (_, database) = instances(0).await;
    query(&database, &format!("ALTER DATABASE {} SET deadlock_timeout = '1h'", database.name)).await;
    let stores = [open(&database.url).await, open(&database.url).await];
    subscribe(&stores[0]).await;
    stores[0].publish(&[event()]).await.unwrap();
    let request = request(at(1));
    let success = delivered(request.claim, &stores[0].claim(&request).await.unwrap(), at(2));
    let mut gone = success.clone();
    let ClaimEnd::Delivered(attempt) = &success[0].end else { panic!("a success") };
    gone[0].end = ClaimEnd::Gone(AttemptRecord { failure: Some(FailureReason::Status), ..attempt.clone() });
    let (raw, observer) = (connect(&database).await, connect(&database).await);
    raw.batch_execute("BEGIN; SELECT FROM webhook_due FOR UPDATE").await.unwrap();
    let others = async {
        until_calls_wait(&observer, 1).await;
        let ((), answer) = tokio::join!(
            async {
                until_calls_wait(&observer, 2).await;
                raw.batch_execute("COMMIT").await.unwrap();
            },
            stores[1].complete(&gone)
        );
        answer.unwrap()
    };
    let (first, second) = tokio::join!(stores[0].complete(&success), others);
    assert_eq!((first.unwrap(), second), (vec![true], vec![false]));
}

/// Returns when a connection of the store waits for a lock.
async fn until_a_call_waits(database: &Database) {
    until_calls_wait(&connect(database).await, 1).await;
}

async fn until(is_over: impl Fn() -> bool) {
    while !is_over() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
