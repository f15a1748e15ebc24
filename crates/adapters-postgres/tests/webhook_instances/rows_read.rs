use std::time::Duration;

use adapters_postgres::PostgresStore;
use domain::memory::unique_cause;
use domain::ports::{
    AttemptCursor, CancelDeliveryRequest, ClaimRequest, Close as _, Completion, DeliveryCommands as _, DeliveryLog,
    DeliveryQueue as _, DisableSetByRequest, EventStore as _, ListAttemptsRequest, ListDeliveriesRequest,
    ListSubscriptionsRequest, OperatorLog as _, Retained, Retention as _, RetryDeliveryRequest, RetryRequest,
    RotateSecretRequest, SealedSecretStore as _, SubscriptionStore,
};
use domain::webhooks::{ClaimEnd, DeliveryFilter, DeliveryStateKind, DisableReason, NewEvent, SealedSecret};
use domain::{DeliveryId, KeyId, SubscriptionId, Timestamp};
use throwaway_postgres::{Cluster, Database};

use crate::world::{
    LEASE, alice, at, connect, delivered, disable, event, event_at, hexadecimal, instance, open, query, recovery,
    request, subscribe,
};

/// The server counts the rows that are read: the count is the same with very many waiting deliveries as with none, also
/// for statements that were planned while the tables were empty.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_rows_read_does_not_depend_on_the_backlog() {
    let (none, much) = (rows_read_beside(0).await, rows_read_beside(200_000).await);
    assert!(none > 1_000, "the server counts the reads: {none}");
    // One statement that goes through the backlog once reads 200,000 rows. A vacuum in between moves the count a little.
    assert!(much < none + 50_000, "{none} rows without waiting deliveries, {much} with many");
}

/// The same for the reads and commands of users, with as many ended deliveries to the same subscription, and as many
/// subscriptions of another user, which the statistics of the server count. Each of the ten turns counts up to 10,000
/// waiting deliveries twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_rows_that_a_user_reads_does_not_depend_on_the_log() {
    let (none, much) = (rows_read(0, true).await, rows_read(100_000, true).await);
    assert!(none > 1_000, "the server counts the reads: {none}");
    assert!(much < none + 250_000, "{none} rows without a log, {much} with a long one");
}

async fn rows_read_beside(waiting: u32) -> u64 {
    rows_read(waiting, false).await
}

/// The number of rows that ten turns read on a lane with this many waiting deliveries, and a tenth as many other lanes:
/// turns of the queue, and of users if there is a log.
async fn rows_read(waiting: u32, is_logged: bool) -> u64 {
    let (store, database) = instance().await;
    let store = &store;
    let lane = subscribe(store).await;
    turn(store).await;
    query(&database, "VACUUM ANALYZE").await;
    // Enough executions for the server to keep its plans.
    for _ in 0..8 {
        if is_logged {
            use_as_user(store, lane).await;
        } else {
            turn(store).await;
        }
    }
    let subscription = lane;
    let lane = format!("'\\x{}'::bytea", hexadecimal(lane.as_bytes()));
    // The log has a partition for the time of the events.
    let id = format!("'\\x{:012x}'::bytea || substring(sha256(i::text::bytea) FOR 10)", at(0).unix_millis());
    let fill = format!(
        "INSERT INTO webhook_lanes SELECT substring(sha256(i::text::bytea) FOR 16), 0, TRUE, NULL, 0, 0, NULL, NULL, 0
            FROM generate_series(1, {waiting} / 10) AS i;
        INSERT INTO webhook_events (id, owner_issuer, owner_subject, event_type, created_at, deliveries, payload)
            SELECT {id}, 'https://id.example', 'alice', 'a',
            now(), 1, '' FROM generate_series(1, {waiting}) AS i;
        INSERT INTO webhook_due SELECT {lane}, {id}, {id}, i % 2,
            CASE WHEN i % 2 = 0 THEN '2026-11-21T01:42:03Z'::timestamptz ELSE '2027-11-21' END, 0, now(), 0
            FROM generate_series(1, {waiting}) AS i;
        SELECT pg_stat_reset()"
    );
    query(&database, &fill).await;
    if is_logged {
        let log = format!(
            "INSERT INTO webhook_subscriptions SELECT substring(sha256(i::text::bytea) FOR 16), 'https://id.example',
                'bob', 'https://hooks.example/in', '*', '', 'enabled', substring(sha256(i::text::bytea) FOR 15), '', NULL,
                NULL, now(), now(), NULL FROM generate_series(1, {waiting}) AS i;
            ANALYZE webhook_subscriptions;
            INSERT INTO webhook_events (id, owner_issuer, owner_subject, event_type, created_at, deliveries, payload)
            SELECT {id}, 'https://id.example', 'alice', 'a', now(), 1, ''
                FROM generate_series({waiting} + 1, 2 * {waiting}) AS i;
            INSERT INTO webhook_deliveries SELECT {lane}, {id}, {id}, 'a', 'delivered', now(), 1
                FROM generate_series({waiting} + 1, 2 * {waiting}) AS i;
            INSERT INTO webhook_attempts SELECT {lane}, {id}, 1, {id}, now(), now() - i * INTERVAL '1 ms', NULL, 200, NULL, ''
                FROM generate_series(1, {waiting}) AS i;
            SELECT pg_stat_reset()"
        );
        query(&database, &log).await;
    }
    for _ in 0..10 {
        if is_logged {
            use_as_user(store, subscription).await;
        } else {
            turn(store).await;
        }
    }
    rows_read_through(store, &database).await
}

/// How many rows the server has read for this instance, which is closed.
#[expect(clippy::print_stdout, reason = "a failed test shows which tables it read")]
async fn rows_read_through(store: &PostgresStore, database: &Database) -> u64 {
    store.close().await;
    let read = Cluster::shared().await.unwrap().rows_read(&database.name, "webhook_").await.unwrap();
    let by_table = "SELECT string_agg(concat_ws(' ', relname, seq_tup_read, idx_tup_fetch), ', ')
        FROM pg_stat_user_tables WHERE seq_tup_read + idx_tup_fetch > 1000";
    println!("{read} rows and entries of indexes: {}", query(database, by_table).await);
    read
}

/// A transaction elsewhere that sees an old state of the database keeps every version of every row. A claim does not
/// read the versions of later deliveries.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_pass_over_what_died_under_a_snapshot_that_is_held() {
    const TURNS: i64 = 400;
    const EVENTS: usize = 20;
    let (store, database) = instance().await;
    subscribe(&store).await;
    let elsewhere = connect(&database).await;
    elsewhere.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM webhook_due").await.unwrap();
    // Ten milliseconds from turn to turn.
    for turn in 0..TURNS {
        deliver_at(&store, at(10 * turn), EVENTS).await;
    }
    let versions = "SELECT n_dead_tup > 10000 FROM pg_stat_user_tables WHERE relname = 'webhook_due'";
    rows_read_through(&store, &database).await;
    assert_eq!(query(&database, versions).await, "t", "the snapshot keeps what died");
    query(&database, "SELECT pg_stat_reset()").await;
    let store = open(&database.url).await;
    for turn in TURNS..TURNS + 20 {
        deliver_at(&store, at(10 * turn), EVENTS).await;
    }
    let read = rows_read_through(&store, &database).await;
    // Twenty claims that go through all of it once read 160,000 entries.
    assert!(read < 100_000, "{read} rows");
}

async fn deliver_at(store: &PostgresStore, now: Timestamp, count: usize) {
    let events = (0..count).map(|_| event_at(now)).collect::<Vec<_>>();
    store.publish(&events).await.unwrap();
    let request = ClaimRequest { room: 1_000, ..request(now) };
    let completions = delivered(request.claim, &store.claim(&request).await.unwrap(), now);
    assert_eq!(completions.len(), count);
    assert!(store.complete(&completions).await.unwrap().iter().all(|held| *held));
}

/// The calls of users: lists with and without filters, one delivery, its retry and its end, the health and the stream
/// of a subscription, its recovery, a new secret, and the purge.
async fn use_as_user(store: &PostgresStore, lane: SubscriptionId) {
    let owner = alice();
    store.publish(&[event()]).await.unwrap();
    let list = async |filter| {
        let request = ListDeliveriesRequest { owner: owner.clone(), filter, before: None, max: 20 };
        DeliveryLog::list(store, &request).await.unwrap()
    };
    for state in [None, Some(DeliveryStateKind::Waiting), Some(DeliveryStateKind::Failed)] {
        for subscription in [None, Some(lane)] {
            let filter = DeliveryFilter { state, subscription, ..DeliveryFilter::default() };
            list(filter).await;
        }
    }
    let page = list(DeliveryFilter::default()).await;
    let one = page.deliveries[0].delivery.id;
    DeliveryLog::find(store, &owner, one).await.unwrap().unwrap();
    let retry = RetryRequest { at: at(1), published_since: at(0) };
    for _ in 0..2 {
        let again = RetryDeliveryRequest { owner: owner.clone(), id: one, retry, cause: unique_cause() };
        store.retry(&again).await.unwrap();
        let cancellation = CancelDeliveryRequest { owner: owner.clone(), id: one, at: at(2), cause: unique_cause() };
        store.cancel(&cancellation).await.unwrap();
    }
    SubscriptionStore::find(store, &owner, lane).await.unwrap().unwrap();
    let page = ListSubscriptionsRequest { owner: owner.clone(), before: None, max: 20 };
    SubscriptionStore::list(store, &page).await.unwrap();
    store.list_with_health(&page).await.unwrap();
    let after = AttemptCursor { ended_at: at(0), delivery: DeliveryId::from_bytes([0; 16]), number: 0 };
    for subscription in [None, Some(lane)] {
        let request = ListAttemptsRequest { owner: owner.clone(), subscription, after, max: 20 };
        store.attempts_after(&request).await.unwrap();
    }
    store.recover(&recovery(lane, retry)).await.unwrap();
    let rotation = RotateSecretRequest {
        owner,
        id: lane,
        of_kind: None,
        secret: SealedSecret::from_bytes(vec![1; 61]),
        previous_until: at(5),
        at: at(3),
        cause: unique_cause(),
    };
    store.rotate_secret(&rotation).await.unwrap();
    store.list_secrets(None, 10).await.unwrap();
    store.subscriptions(None, 10).await.unwrap();
    let (keys, reason) = (vec![KeyId::from_bytes([7; 16])], DisableReason::KeyLeaked);
    let report = DisableSetByRequest { keys, reason, at: at(5), max: 10, cause: unique_cause() };
    store.disable_set_by(&report).await.unwrap();
    store.prepare_history(at(0), 1).await.unwrap();
    store.purge(Retained::Webhooks, at(0).plus(Duration::from_hours(48)), 100).await.unwrap();
}

/// Publishes 16 deliveries to one lane, and four to another lane. The deliveries of the first lane are claimed, given
/// back, claimed again and delivered. The other lane is disabled: its waiting deliveries end at once, and its claimed
/// deliveries end when their claim ends.
async fn turn(store: &PostgresStore) {
    let events: Vec<NewEvent> = (0..16).map(|_| event()).collect();
    store.publish(&events).await.unwrap();
    for is_given_back in [true, false] {
        let request = request(at(1));
        let mut completions = delivered(request.claim, &store.claim(&request).await.unwrap(), at(1));
        assert_eq!(completions.len(), 16);
        if is_given_back {
            let given_back = |done| Completion { end: ClaimEnd::GivenBack { at: at(1), due_at: at(1) }, ..done };
            completions = completions.into_iter().map(given_back).collect();
        }
        assert!(store.complete(&completions).await.unwrap().iter().all(|held| *held));
    }
    let other = subscribe(store).await;
    let to_other = || NewEvent { only: Some(other), ..event() };
    store.publish(&[to_other(), to_other()]).await.unwrap();
    let request = request(at(1));
    let lanes = store.claim(&request).await.unwrap();
    let (others, mine): (Vec<_>, Vec<_>) = lanes.into_iter().partition(|lane| lane.subscription == other);
    assert_eq!(others[0].deliveries.len(), 2);
    store.complete(&delivered(request.claim, &mine, at(1))).await.unwrap();
    store.publish(&[to_other(), to_other()]).await.unwrap();
    disable(store, other, at(1)).await;
    let lease_end = at(1).plus(LEASE);
    assert_eq!(store.end_closed(lease_end, 1_000).await.unwrap(), 2);
}
