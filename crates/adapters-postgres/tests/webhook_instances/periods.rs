//! The log is partitioned by days, and old days are dropped. See decision 48.

use std::cell::Cell;
use std::time::Duration;

use adapters_postgres::PostgresStore;
use domain::Timestamp;
use domain::ports::{
    DeliveryLog, DeliveryQueue, EventStore, ListDeliveriesRequest, Retained, Retention as _, StoreError,
};
use domain::webhooks::{DeliveryFilter, NewEvent};
use tokio::time::Instant;
use tokio_postgres::Client;

use crate::world::{alice, at, connect, delivered, event_at, instance, named, open, request, subscribe};

const DAY: Duration = Duration::from_hours(24);
const TABLES: [&str; 3] = ["webhook_attempts", "webhook_deliveries", "webhook_events"];

/// 2026-11-21T01:42:03Z, and days after it.
fn day(number: u32) -> Timestamp {
    at(0).plus(DAY * number)
}

async fn publish(store: &PostgresStore, at: Timestamp) {
    store.publish(&[event_at(at)]).await.unwrap();
}

/// Delivers all due deliveries.
async fn deliver(store: &PostgresStore, at: Timestamp) {
    let request = request(at);
    let completions = delivered(request.claim, &store.claim(&request).await.unwrap(), at);
    assert!(store.complete(&completions).await.unwrap().iter().all(|held| *held));
}

async fn purge(store: &PostgresStore, before: Timestamp) {
    while store.purge(Retained::Webhooks, before, 1_000).await.unwrap() > 0 {}
}

/// The dates of the partitions of this table.
async fn partitions(client: &Client, table: &str) -> Vec<String> {
    let sql = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = $1::text::regclass ORDER BY 1";
    let rows = client.query(sql, &[&table]).await.unwrap();
    rows.iter().map(|row| row.get::<_, String>(0).split_off(table.len() + 1)).collect()
}

async fn deliveries(store: &PostgresStore) -> usize {
    let (owner, filter) = (alice(), DeliveryFilter::default());
    let request = ListDeliveriesRequest { owner, filter, before: None, max: 1_000 };
    DeliveryLog::list(store, &request).await.unwrap().deliveries.len()
}

/// Several instances prepare at once, for days and for longer periods, and again after a week without an instance.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partitions_are_created_ahead_once() {
    let (store, database) = instance().await;
    let client = connect(&database).await;
    let others = [open(&database.url).await, open(&database.url).await, open(&database.url).await, store.clone()];
    let expected = ["2026_11_21", "2026_11_22", "2026_11_23", "2026_11_24"];
    for (at, days, expected) in
        [(day(0), 1, expected.to_vec()), (day(7), 4, [&expected[..], &["2026_11_27", "2026_12_01"]].concat())]
    {
        let calls = others.iter().map(|store| store.prepare_history(at, days));
        futures_util::future::try_join_all(calls).await.unwrap();
        for table in TABLES {
            assert_eq!(partitions(&client, table).await, expected, "{table} at {at}");
        }
    }
}

/// A day goes at once, when none of its deliveries is queued. Until then it loses all other rows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_day_is_dropped_when_nothing_of_it_is_queued() {
    const ROWS: &str = "SELECT ARRAY[(SELECT count(*) FROM webhook_attempts), (SELECT count(*) FROM webhook_events),
        (SELECT count(*) FROM webhook_deliveries)]";
    let (store, database) = instance().await;
    let client = connect(&database).await;
    subscribe(&store).await;
    for number in [0, 1, 2] {
        publish(&store, day(number)).await;
        deliver(&store, day(number)).await;
    }
    publish(&store, day(1)).await;
    purge(&store, day(3)).await;
    for table in TABLES {
        assert_eq!(partitions(&client, table).await, ["2026_11_22"], "{table}: a delivery of this day is queued");
    }
    let rows = client.query_one(ROWS, &[]).await.unwrap();
    assert_eq!(rows.get::<_, Vec<i64>>(0), [0, 1, 0], "attempts, events and deliveries that have ended");
    assert_eq!(deliveries(&store).await, 1, "what is queued can be read");
    deliver(&store, day(3)).await;
    assert_eq!(deliveries(&store).await, 1);
    purge(&store, day(3)).await;
    for table in TABLES {
        assert_eq!(partitions(&client, table).await, Vec::<String>::new(), "{table}");
    }
}

/// One step reads a part of the queue. An event stays if its deliveries may be in the other part.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_beside_many_queued_deliveries_stays() {
    const FILL: &str = "INSERT INTO webhook_due (subscription_id, delivery_id, event_id, phase, due_at, attempts,
            attempts_before_run, run_started_at)
        SELECT decode(repeat('00', 16), 'hex'), id, id, phase, due_at, 0, 0, run_started_at FROM webhook_due
        CROSS JOIN LATERAL (
            SELECT substr(delivery_id, 1, 6) || decode(lpad(to_hex(n), 20, '0'), 'hex') AS id
            FROM generate_series(1, 100000) AS numbers (n)
        ) AS others";
    let (store, database) = instance().await;
    let client = connect(&database).await;
    subscribe(&store).await;
    publish(&store, day(0)).await;
    client.batch_execute(FILL).await.unwrap();
    purge(&store, day(3)).await;
    assert_eq!(deliveries(&store).await, 1);
}

/// Another transaction has locked the id of a publisher, and is undone. The event stays until both can go: without its event
/// the id would be refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_goes_with_the_id_of_its_publisher() {
    const ROWS: &str =
        "SELECT ARRAY[(SELECT count(*) FROM webhook_events), (SELECT count(*) FROM webhook_publications)]";
    let (store, database) = instance().await;
    let (client, locker) = (connect(&database).await, connect(&database).await);
    subscribe(&store).await;
    let publication = named("a", "order").publication;
    store.publish(&[NewEvent { publication, ..event_at(day(0)) }]).await.unwrap();
    deliver(&store, day(0)).await;
    publish(&store, day(0)).await;
    locker.batch_execute("BEGIN; SELECT FROM webhook_publications FOR UPDATE").await.unwrap();
    for (end, left) in [("", [2, 1]), ("ROLLBACK", [1, 0])] {
        locker.batch_execute(end).await.unwrap();
        purge(&store, day(3)).await;
        assert_eq!(client.query_one(ROWS, &[]).await.unwrap().get::<_, Vec<i64>>(0), left);
    }
}

/// A dump reads the tables for hours. Only the purge waits for it, and tries again later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_reader_holds_up_the_purge_and_nobody_else() {
    let (store, database) = instance().await;
    let (reader, control) = (connect(&database).await, connect(&database).await);
    control.batch_execute("CREATE TABLE control ()").await.unwrap();
    subscribe(&store).await;
    publish(&store, day(0)).await;
    publish(&store, day(5)).await;
    deliver(&store, day(5)).await;
    reader.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM webhook_events").await.unwrap();
    let purging = {
        let store = store.clone();
        tokio::spawn(async move { store.purge(Retained::Webhooks, day(4), 1_000).await })
    };
    let mut slowest = Duration::ZERO;
    while !purging.is_finished() {
        let (started, is_over) = (Instant::now(), Cell::new(false));
        let publishing = async {
            publish(&store, day(5)).await;
            is_over.set(true);
            started.elapsed()
        };
        // A pause of the machine holds up these commits, too.
        let controls = async {
            let mut longest = Duration::ZERO;
            while !is_over.get() {
                let started = Instant::now();
                control.batch_execute("INSERT INTO control DEFAULT VALUES").await.unwrap();
                longest = longest.max(started.elapsed());
            }
            longest
        };
        let (published, controlled) = tokio::join!(publishing, controls);
        slowest = slowest.max(published.saturating_sub(controlled));
    }
    assert!(
        matches!(purging.await.unwrap(), Err(StoreError::Unavailable(_))),
        "the reader keeps the purge from ending"
    );
    assert!(slowest < Duration::from_secs(1), "a publication waited for {slowest:?} more than other commits");
    assert_eq!(partitions(&reader, "webhook_events").await.len(), 2);
    reader.batch_execute("COMMIT").await.unwrap();
    purge(&store, day(4)).await;
    assert_eq!(partitions(&reader, "webhook_events").await, ["2026_11_26"]);
}

/// A delivery is retried by hand after the purge has read the queue, and before it has its locks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_that_is_retried_beside_the_purge_is_kept() {
    const REPLAY: &str = "WITH ended AS (DELETE FROM webhook_deliveries RETURNING *)
        INSERT INTO webhook_due (subscription_id, delivery_id, event_id, phase, due_at, attempts, attempts_before_run,
            run_started_at)
        SELECT subscription_id, id, event_id, 2, ended_at, attempts, attempts, ended_at FROM ended";
    let (store, database) = instance().await;
    let (locker, retrier) = (connect(&database).await, connect(&database).await);
    subscribe(&store).await;
    publish(&store, day(0)).await;
    deliver(&store, day(0)).await;
    locker.batch_execute("BEGIN; LOCK TABLE webhook_periods IN SHARE ROW EXCLUSIVE MODE").await.unwrap();
    let purging = {
        let store = store.clone();
        tokio::spawn(async move { store.purge(Retained::Webhooks, day(4), 1_000).await })
    };
    let waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'webhook_periods'::regclass";
    while retrier.query(waiting, &[]).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    retrier.batch_execute(REPLAY).await.unwrap();
    locker.batch_execute("COMMIT").await.unwrap();
    assert_eq!(purging.await.unwrap().unwrap(), 0);
    assert_eq!(deliveries(&store).await, 1);
}
