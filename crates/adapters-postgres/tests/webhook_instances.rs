//! The promises of this adapter only about webhooks: exactness over many instances, nothing lost with a connection,
//! hints, and plans that do not depend on the number of waiting deliveries.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use domain::ports::{Close as _, Schema as _};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use adapters_postgres::{PostgresSettings, PostgresStore};
use adapters_system::{DatabaseClock, FollowedFeed, SystemClock};
use domain::memory::{ManualClock, SeededEntropy};
use domain::ports::{
    AttemptCursor, ChangeFeed, ClaimId, ClaimRequest, ClaimedLane, Clock, Completion, DeliveryCommands, DeliveryLog,
    DeliveryQueue, Entropy, EventStore, Publication, RetryRequest, StoreError, SubscriptionStore,
};
use domain::webhooks::{
    AttemptRecord, ClaimEnd, ContentDigest, DeliveryEnd, DeliveryFilter, DeliveryState, DeliveryStateKind, Description,
    Event, EventType, FairShares, NewEvent, Payload, PublicationKey, PublisherId, SealedSecret, SealingKeys,
    SigningSecret, SubscribedEvents, Subscription, SubscriptionChange, SubscriptionStatus, TargetUrl,
};
use domain::{DeliveryId, EventId, SubscriptionId, Timestamp, UserId};
use throwaway_postgres::{Cluster, Database};

const LEASE: Duration = Duration::from_mins(1);

async fn open(url: &str) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: url.to_owned(), pool_size: 4 }).await.unwrap()
}

/// Instances on one fresh database.
async fn instances(count: usize) -> (Vec<PostgresStore>, Database) {
    let database = Cluster::shared().await.unwrap().database().await.unwrap();
    let first = open(&database.url).await;
    first.migrate().await.unwrap();
    first.close().await;
    let stores = futures_util::future::join_all((0..count).map(|_| open(&database.url))).await;
    (stores, database)
}

/// One instance on a fresh database.
async fn instance() -> (PostgresStore, Database) {
    let (mut stores, database) = instances(1).await;
    (stores.remove(0), database)
}

async fn query(database: &Database, sql: &str) -> String {
    Cluster::shared().await.unwrap().execute(&database.name, sql).await.unwrap()
}

fn at(millis: u64) -> Timestamp {
    Timestamp::from_unix_millis(1_795_225_323_120).unwrap().plus(Duration::from_millis(millis))
}

fn alice() -> UserId {
    UserId::new("https://id.example", "alice").unwrap()
}

async fn subscribe(store: &PostgresStore, entropy: &dyn Entropy, secret: &SealedSecret) -> SubscriptionId {
    let id = SubscriptionId::mint(at(0), entropy);
    subscribe_as(store, id, secret).await;
    id
}

async fn subscribe_as(store: &PostgresStore, id: SubscriptionId, secret: &SealedSecret) {
    let subscription = Subscription {
        id,
        owner: alice(),
        url: TargetUrl::from_stored("https://hooks.example/in").unwrap(),
        events: SubscribedEvents::parse(["*"]).unwrap(),
        url_set_by: None,
        description: Description::default(),
        status: SubscriptionStatus::Enabled,
        created_at: at(0),
        updated_at: at(0),
    };
    store.insert_within(&subscription, secret, 1_000).await.unwrap();
}

fn sealed() -> SealedSecret {
    SealedSecret::from_bytes(vec![1; 61])
}

fn event(entropy: &dyn Entropy) -> NewEvent {
    event_at(entropy, at(0))
}

fn event_at(entropy: &dyn Entropy, created_at: Timestamp) -> NewEvent {
    let event = Event {
        id: EventId::mint(created_at, entropy),
        owner: alice(),
        event_type: EventType::parse("order.created").unwrap(),
        payload: Payload::from_bytes(b"{}".to_vec()),
        created_at,
    };
    NewEvent { event, publication: None, only: None }
}

fn named(entropy: &dyn Entropy, id: &str, content: &str) -> NewEvent {
    let new = event(entropy);
    let key = PublicationKey {
        id: PublisherId::parse(id).unwrap(),
        content: ContentDigest::of(&new.event.event_type, content),
    };
    NewEvent { publication: Some(key), ..new }
}

fn request(entropy: &dyn Entropy, now: Timestamp) -> ClaimRequest {
    let claim = ClaimId::mint(entropy);
    ClaimRequest {
        claim,
        at: now,
        until: now.plus(LEASE),
        lanes_max: 64,
        room: 16,
        rooms: Vec::new(),
        shares: FairShares::new(u32::MAX),
        payload_bytes_max: u64::MAX,
    }
}

fn delivered(claim: ClaimId, lanes: &[ClaimedLane], now: Timestamp) -> Vec<Completion> {
    let of_lane = |lane: &ClaimedLane| {
        let subscription = lane.subscription;
        lane.deliveries.iter().map(move |delivery| (subscription, delivery.id, delivery.attempt)).collect::<Vec<_>>()
    };
    let all = lanes.iter().flat_map(of_lane);
    let completion = |(subscription, delivery, number)| Completion {
        subscription,
        delivery,
        claim,
        end: ClaimEnd::Delivered(AttemptRecord {
            number,
            started_at: now,
            duration: Duration::from_millis(2),
            failure: None,
            status: Some(200),
            excerpt: Vec::new(),
        }),
    };
    all.map(completion).collect()
}

/// Both instances publish each key, in groups that overlap: one instance accepts the key, and the other finds it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_instances_accept_each_key_once_and_share_the_deliveries() {
    let (stores, _database) = instances(2).await;
    let entropy = Arc::new(SeededEntropy::new(1));
    for _ in 0..3 {
        subscribe(&stores[0], &*entropy, &sealed()).await;
    }
    let calls = (0..400).map(|call: usize| {
        let (store, entropy) = (stores[call % 2].clone(), Arc::clone(&entropy));
        let events = [call, call + 1].map(|key| named(&*entropy, &format!("key-{}", key / 2 % 100), "same"));
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
        let (store, entropy) = (stores[worker % 2].clone(), Arc::clone(&entropy));
        tokio::spawn(async move {
            let mut done = Vec::new();
            // Parallel claims may skip each other's rows.
            let mut idle = 0;
            while idle < 5 {
                let request = request(&*entropy, at(1));
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
    let entropy = SeededEntropy::new(1);
    subscribe(&stores[0], &entropy, &sealed()).await;
    stores[0].publish(&[event(&entropy)]).await.unwrap();
    let instances = [with_clock(&stores[0], Duration::ZERO), with_clock(&stores[1], Duration::from_secs(90))];
    for (feed, clock) in &instances {
        assert!(!clock.is_certain());
        feed.changes_since(None, 0).await.unwrap();
        assert!(clock.is_certain());
    }
    let [right, ahead] = instances.map(|(_, clock)| clock);
    assert!(ahead.now().since(right.now()) < Duration::from_secs(1));
    assert_eq!(stores[0].claim(&request(&entropy, right.now())).await.unwrap().len(), 1);
    assert_eq!(stores[1].claim(&request(&entropy, ahead.now())).await.unwrap().len(), 0);
    let by_the_machine = stores[1].claim(&request(&entropy, ahead.machine_time())).await.unwrap();
    assert_eq!(by_the_machine.len(), 1, "by the machine's clock it takes the delivery over");
}

/// A call with another event under a used key, and a call with a used id, get an error. The other calls of their group
/// do not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_does_not_fail_for_one_of_its_calls() {
    let (stores, _database) = instances(1).await;
    let (store, entropy) = (&stores[0], SeededEntropy::new(2));
    subscribe(store, &entropy, &sealed()).await;
    let first = named(&entropy, "key", "this");
    store.publish(std::slice::from_ref(&first)).await.unwrap();
    let minted_twice = NewEvent { publication: None, ..first.clone() };
    let other_content = named(&entropy, "key", "that");
    let mut calls: Vec<NewEvent> = (0..60).map(|_| event(&entropy)).collect();
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
    let all = DeliveryLog::list(store, &alice(), &DeliveryFilter::default(), None, 100).await.unwrap();
    assert_eq!(all.deliveries.len(), 61);
}

/// The server closes all connections every 20 ms. Callers repeat failed calls, as clients do.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn lost_connections_neither_lose_nor_repeat_events() {
    const PUBLISHERS: usize = 8;
    const EVENTS: usize = 40;
    let (stores, database) = instances(2).await;
    let entropy = Arc::new(SeededEntropy::new(3));
    subscribe(&stores[0], &*entropy, &sealed()).await;
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
        let (store, entropy) = (stores[publisher % 2].clone(), Arc::clone(&entropy));
        tokio::spawn(async move {
            for number in 0..EVENTS {
                loop {
                    let new = named(&*entropy, &format!("{publisher}-{number}"), "same");
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
        let (store, entropy) = (stores[0].clone(), Arc::clone(&entropy));
        tokio::spawn(async move {
            let mut done = 0;
            // Each claim is later than the one before, so that lost claims expire.
            for round in 1_u64.. {
                let now = at(round * 10_000);
                let request = request(&*entropy, now);
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
    let entropy = SeededEntropy::new(4);
    subscribe(&stores[0], &entropy, &sealed()).await;
    let hint = |store: &PostgresStore| {
        let store = store.clone();
        async move { tokio::time::timeout(Duration::from_secs(20), DeliveryQueue::hint(&store)).await.unwrap() }
    };
    // The first notification shows that the connection is open.
    tokio::join!(hint(&stores[0]), hint(&stores[1]));
    stores[0].publish(&[event(&entropy)]).await.unwrap();
    tokio::join!(hint(&stores[0]), hint(&stores[1]));
}

/// A publication meets a claim that found its lane empty and is about to put the lane to sleep: after the claim has read
/// the due deliveries, and before it writes the lane.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_publication_keeps_its_lane_from_being_put_to_sleep() {
    let (stores, database) = instances(2).await;
    let entropy = Arc::new(SeededEntropy::new(7));
    let (one, two) =
        (subscribe(&stores[0], &*entropy, &sealed()).await, subscribe(&stores[0], &*entropy, &sealed()).await);
    let (first, second) = (one.min(two), one.max(two));
    stores[0].publish(&[event(&*entropy)]).await.unwrap();
    let both = request(&*entropy, at(1));
    let completions = delivered(both.claim, &stores[0].claim(&both).await.unwrap(), at(1));
    assert_eq!(stores[0].complete(&completions).await.unwrap(), [true, true]);
    // Lanes are put to sleep in the order of their ids. The first one waits for a lock of the test.
    let raw = connect(&database).await;
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
        let (store, request) = (stores[0].clone(), request(&*entropy, lease_end));
        tokio::spawn(async move { store.claim(&request).await.unwrap().len() })
    };
    until_calls_wait(&database, 1).await;
    let publishing = {
        let (store, new) = (stores[1].clone(), NewEvent { only: Some(second), ..event(&*entropy) });
        tokio::spawn(async move { store.publish(&[new]).await.unwrap() })
    };
    // The publication waits for the claim, or does not and is over.
    tokio::select! {
        () = until_calls_wait(&database, 2) => {}
        () = until(|| publishing.is_finished()) => {}
    }
    raw.batch_execute("SELECT pg_advisory_unlock(1)").await.unwrap();
    assert_eq!(claiming.await.unwrap(), 0, "the claim was before the publication");
    publishing.await.unwrap();
    let lanes = stores[0].claim(&request(&*entropy, lease_end)).await.unwrap();
    assert_eq!(lanes.iter().map(|lane| lane.subscription).collect::<Vec<_>>(), [second]);
}

/// A user subscribes while a publication waits for another lane: the new lane is woken, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_created_during_a_publication_is_woken() {
    let (stores, database) = instances(2).await;
    let entropy = Arc::new(SeededEntropy::new(8));
    subscribe(&stores[0], &*entropy, &sealed()).await;
    let raw = connect(&database).await;
    raw.batch_execute("BEGIN; SELECT FROM webhook_lanes FOR UPDATE").await.unwrap();
    let publishing = {
        let (store, event) = (stores[0].clone(), event(&*entropy));
        tokio::spawn(async move { store.publish(&[event]).await.unwrap() })
    };
    until_a_call_waits(&database).await;
    subscribe(&stores[1], &*entropy, &sealed()).await;
    raw.batch_execute("COMMIT").await.unwrap();
    let Publication::Accepted(events) = publishing.await.unwrap() else { panic!("no event has a key") };
    let lanes = stores[0].claim(&request(&*entropy, at(1))).await.unwrap();
    assert_eq!((events[0].deliveries, lanes.len()), (2, 2));
}

/// A change of one subscription holds its lane. Publications to other lanes do not wait for it, in whatever group they
/// were.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_publications_to_a_locked_lane_wait_for_it() {
    let (stores, database) = instances(1).await;
    let (store, entropy) = (&stores[0], SeededEntropy::new(9));
    let (held, free) = (subscribe(store, &entropy, &sealed()).await, subscribe(store, &entropy, &sealed()).await);
    let raw = connect(&database).await;
    let lock = format!(
        "BEGIN; SELECT FROM webhook_lanes WHERE subscription_id = '\\x{}' FOR UPDATE",
        hexadecimal(held.as_bytes())
    );
    raw.batch_execute(&lock).await.unwrap();
    let to = |lane| NewEvent { only: Some(lane), ..event(&entropy) };
    let (blocked, together) = ([to(held)], [to(free), to(held)]);
    let waiting = async {
        let (one, two) = tokio::join!(store.publish(&blocked), store.publish(&together));
        (one.unwrap(), two.unwrap())
    };
    let others = async {
        for _ in 0..20 {
            let free = [to(free)];
            let published = tokio::time::timeout(Duration::from_secs(1), store.publish(&free)).await;
            assert!(matches!(published.unwrap().unwrap(), Publication::Accepted(one) if one[0].deliveries == 1));
        }
        until_a_call_waits(&database).await;
        raw.batch_execute("COMMIT").await.unwrap();
    };
    let (published, ()) = tokio::join!(waiting, others);
    assert!(
        matches!(published, (Publication::Accepted(one), Publication::Accepted(two)) if one.len() + two.len() == 3)
    );
    assert_eq!(query(&database, "SELECT count(*) FROM webhook_due").await, "23");
}

/// Another instance stores a key that comes before the others in order, and then waits. With keys stored in the order
/// of the call, it would wait for a publication that waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn publication_keys_are_stored_in_one_order() {
    const INSERT: &str = "INSERT INTO webhook_publications VALUES ('https://id.example', 'alice', $1, '\\x', $2)";
    let (stores, database) = instances(1).await;
    let (store, entropy) = (&stores[0], SeededEntropy::new(10));
    let raw = connect(&database).await;
    raw.batch_execute("SET lock_timeout = '300ms'; BEGIN").await.unwrap();
    raw.execute(INSERT, &[&"b", &&b"b"[..]]).await.unwrap();
    let events = ["c", "b", "a"].map(|key| named(&entropy, key, "same"));
    let other = async {
        until_a_call_waits(&database).await;
        raw.execute(INSERT, &[&"c", &&b"c"[..]]).await.unwrap();
        raw.batch_execute("ROLLBACK").await.unwrap();
    };
    let (published, ()) = tokio::join!(store.publish(&events), other);
    assert!(matches!(published.unwrap(), Publication::Accepted(events) if events.len() == 3));
}

async fn connect(database: &Database) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(&database.url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Returns when a connection of the store waits for a lock.
async fn until_a_call_waits(database: &Database) {
    until_calls_wait(database, 1).await;
}

async fn until_calls_wait(database: &Database, count: usize) {
    const WAITING: &str = "SELECT FROM pg_stat_activity
        WHERE application_name = 'gatepost' AND datname = current_database() AND wait_event_type = 'Lock'";
    let raw = connect(database).await;
    while raw.query(WAITING, &[]).await.unwrap().len() < count {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn until(is_over: impl Fn() -> bool) {
    while !is_over() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// The server counts the rows that are read: the count is the same with very many waiting deliveries as with none, also
/// for statements that were planned while the tables were empty.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_rows_read_does_not_depend_on_the_backlog() {
    let (none, much) = (rows_read_beside(0).await, rows_read_beside(200_000).await);
    assert!(none > 1_000, "the server counts the reads: {none}");
    // One statement that goes through the backlog once reads 200,000 rows. A vacuum in between moves the count a little.
    assert!(much < none + 50_000, "{none} rows without waiting deliveries, {much} with many");
}

/// The same for what users read and order, beside as many deliveries that have ended, to the same subscription. Each of
/// the ten turns counts up to 10,000 waiting deliveries.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_rows_that_a_user_reads_does_not_depend_on_the_log() {
    let (none, much) = (rows_read(0, true).await, rows_read(100_000, true).await);
    assert!(none > 1_000, "the server counts the reads: {none}");
    assert!(much < none + 150_000, "{none} rows without a log, {much} with a long one");
}

async fn rows_read_beside(waiting: u32) -> u64 {
    rows_read(waiting, false).await
}

/// The number of rows that ten turns read on a lane with this many waiting deliveries, and a tenth as many other lanes:
/// turns of the queue, and of users if there is a log.
async fn rows_read(waiting: u32, is_logged: bool) -> u64 {
    let (store, database) = instance().await;
    let (store, entropy) = (&store, SeededEntropy::new(5));
    let lane = subscribe(store, &entropy, &sealed()).await;
    turn(store, &entropy).await;
    query(&database, "VACUUM ANALYZE").await;
    // Enough executions for the server to keep its plans.
    for _ in 0..8 {
        if is_logged {
            use_as_user(store, &entropy, lane).await;
        } else {
            turn(store, &entropy).await;
        }
    }
    let subscription = lane;
    let lane = format!("'\\x{}'::bytea", hexadecimal(lane.as_bytes()));
    // The log has a partition for the time of the events.
    let id = format!("'\\x{:012x}'::bytea || substring(sha256(i::text::bytea) FOR 10)", at(0).unix_millis());
    let fill = format!(
        "INSERT INTO webhook_lanes SELECT substring(sha256(i::text::bytea) FOR 16), 0, TRUE, NULL, 0, 0, NULL, NULL, 0
            FROM generate_series(1, {waiting} / 10) AS i;
        INSERT INTO webhook_events SELECT {id}, 'https://id.example', 'alice', 'a',
            '', now(), 1 FROM generate_series(1, {waiting}) AS i;
        INSERT INTO webhook_due SELECT {lane}, {id}, {id}, i % 2,
            CASE WHEN i % 2 = 0 THEN '2026-11-21T01:42:03Z'::timestamptz ELSE '2027-11-21' END, NULL, NULL, 0, 0, now()
            FROM generate_series(1, {waiting}) AS i;
        SELECT pg_stat_reset()"
    );
    query(&database, &fill).await;
    if is_logged {
        let log = format!(
            "INSERT INTO webhook_events SELECT {id}, 'https://id.example', 'alice', 'a', '', now(), 1
                FROM generate_series({waiting} + 1, 2 * {waiting}) AS i;
            INSERT INTO webhook_deliveries SELECT {lane}, {id}, {id}, 'a', 'delivered', now(), 1
                FROM generate_series({waiting} + 1, 2 * {waiting}) AS i;
            INSERT INTO webhook_attempts SELECT {lane}, {id}, 1, {id}, now(), now() - i * INTERVAL '1 ms', NULL, 200, ''
                FROM generate_series(1, {waiting}) AS i;
            SELECT pg_stat_reset()"
        );
        query(&database, &log).await;
    }
    for _ in 0..10 {
        if is_logged {
            use_as_user(store, &entropy, subscription).await;
        } else {
            turn(store, &entropy).await;
        }
    }
    rows_read_through(store, &database).await
}

/// How many rows, and entries of indexes, the server has read for this instance, which ends.
async fn rows_read_through(store: &PostgresStore, database: &Database) -> u64 {
    const CONNECTIONS: &str = "SELECT count(*) FROM pg_stat_activity
        WHERE application_name = 'gatepost' AND datname = current_database()";
    const ROWS_READ: &str = "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname LIKE 'webhook_%')
        + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname LIKE 'webhook_%')";
    // A connection reports its counts when it is closed.
    store.close().await;
    while query(database, CONNECTIONS).await != "0" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    query(database, ROWS_READ).await.parse().unwrap()
}

/// A transaction elsewhere that looks at an old state of the database keeps every version of every row. A claim does not
/// go through the versions of what was delivered since.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_pass_over_what_died_under_a_snapshot_that_is_held() {
    const TURNS: u64 = 400;
    const EVENTS: u64 = 20;
    let (store, database) = instance().await;
    let entropy = SeededEntropy::new(5);
    subscribe(&store, &entropy, &sealed()).await;
    let elsewhere = connect(&database).await;
    elsewhere.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM webhook_due").await.unwrap();
    // Ten milliseconds from turn to turn.
    for turn in 0..TURNS {
        deliver_at(&store, &entropy, at(10 * turn), EVENTS).await;
    }
    let versions = "SELECT n_dead_tup > 10000 FROM pg_stat_user_tables WHERE relname = 'webhook_due'";
    rows_read_through(&store, &database).await;
    assert_eq!(query(&database, versions).await, "t", "the snapshot keeps what died");
    query(&database, "SELECT pg_stat_reset()").await;
    let store = open(&database.url).await;
    for turn in TURNS..TURNS + 20 {
        deliver_at(&store, &entropy, at(10 * turn), EVENTS).await;
    }
    let read = rows_read_through(&store, &database).await;
    // Twenty claims that go through all of it once read 160,000 entries.
    assert!(read < 100_000, "{read} rows");
}

async fn deliver_at(store: &PostgresStore, entropy: &SeededEntropy, now: Timestamp, count: u64) {
    let events = (0..count).map(|_| event_at(entropy, now)).collect::<Vec<_>>();
    store.publish(&events).await.unwrap();
    let request = ClaimRequest { room: 1_000, ..request(entropy, now) };
    let completions = delivered(request.claim, &store.claim(&request).await.unwrap(), now);
    assert_eq!(completions.len() as u64, count);
    assert!(store.complete(&completions).await.unwrap().iter().all(|held| *held));
}

/// What users ask for and order: lists with and without filters, one delivery, its retry and its end, the health and
/// the stream of a subscription, its recovery, a new secret, and the purge.
async fn use_as_user(store: &PostgresStore, entropy: &SeededEntropy, lane: SubscriptionId) {
    let owner = alice();
    store.publish(&[event(entropy)]).await.unwrap();
    for state in [None, Some(DeliveryStateKind::Waiting), Some(DeliveryStateKind::Failed)] {
        for subscription in [None, Some(lane)] {
            let filter = DeliveryFilter { state, subscription, ..DeliveryFilter::default() };
            DeliveryLog::list(store, &owner, &filter, None, 20).await.unwrap();
        }
    }
    let page = DeliveryLog::list(store, &owner, &DeliveryFilter::default(), None, 20).await.unwrap();
    let one = page.deliveries[0].id;
    DeliveryLog::find(store, &owner, one).await.unwrap().unwrap();
    let retry = RetryRequest { at: at(1), published_since: at(0) };
    store.retry(&owner, one, retry).await.unwrap();
    store.cancel(&owner, one, at(2)).await.unwrap();
    store.retry(&owner, one, retry).await.unwrap();
    store.cancel(&owner, one, at(2)).await.unwrap();
    SubscriptionStore::find(store, &owner, lane).await.unwrap().unwrap();
    SubscriptionStore::list(store, &owner, None, 20).await.unwrap();
    let after = AttemptCursor { ended_at: at(0), delivery: DeliveryId::from_bytes([0; 16]), number: 0 };
    for subscription in [None, Some(lane)] {
        store.attempts_after(&owner, subscription, after, 20).await.unwrap();
    }
    store.recover(&owner, lane, retry, 10).await.unwrap();
    store.rotate_secret(&owner, lane, &sealed(), at(5), at(3)).await.unwrap();
    store.list_secrets(None, 10).await.unwrap();
    store.prepare_history(at(0), 1).await.unwrap();
    store.purge_history(at(0).plus(Duration::from_hours(48)), 100).await.unwrap();
}

/// Publishes 16 deliveries to one lane, and four to another lane. The deliveries of the first lane are claimed, given
/// back, claimed again and delivered. The other lane is disabled: its waiting deliveries end at once, and its claimed
/// deliveries end when their claim ends.
async fn turn(store: &PostgresStore, entropy: &SeededEntropy) {
    let events: Vec<NewEvent> = (0..16).map(|_| event(entropy)).collect();
    store.publish(&events).await.unwrap();
    for is_given_back in [true, false] {
        let request = request(entropy, at(1));
        let mut completions = delivered(request.claim, &store.claim(&request).await.unwrap(), at(1));
        assert_eq!(completions.len(), 16);
        if is_given_back {
            let given_back = |done| Completion { end: ClaimEnd::GivenBack { at: at(1), due_at: at(1) }, ..done };
            completions = completions.into_iter().map(given_back).collect();
        }
        assert!(store.complete(&completions).await.unwrap().iter().all(|held| *held));
    }
    let other = subscribe(store, entropy, &sealed()).await;
    let to_other = || NewEvent { only: Some(other), ..event(entropy) };
    store.publish(&[to_other(), to_other()]).await.unwrap();
    let request = request(entropy, at(1));
    let lanes = store.claim(&request).await.unwrap();
    let (others, mine): (Vec<_>, Vec<_>) = lanes.into_iter().partition(|lane| lane.subscription == other);
    assert_eq!(others[0].deliveries.len(), 2);
    store.complete(&delivered(request.claim, &mine, at(1))).await.unwrap();
    store.publish(&[to_other(), to_other()]).await.unwrap();
    let disable = SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() };
    store.update(&alice(), other, &disable, at(1)).await.unwrap();
    let lease_end = at(1).plus(LEASE);
    assert_eq!(store.end_closed(lease_end, 1_000).await.unwrap(), 2);
}

/// How the delivery of alice ended.
async fn end_of(store: &PostgresStore, id: DeliveryId) -> Option<DeliveryEnd> {
    match DeliveryLog::find(store, &alice(), id).await.unwrap().unwrap().delivery.state {
        DeliveryState::Ended { end, .. } => Some(end),
        DeliveryState::Waiting(_) | DeliveryState::Sending(_) => None,
    }
}

/// The event is gone, or a column of the delivery has a value that the schema does not promise.
#[tokio::test]
async fn a_damaged_delivery_ends_and_the_others_are_claimed() {
    let (stores, database) = instances(1).await;
    let (store, entropy) = (&stores[0], SeededEntropy::new(1));
    let lane = subscribe(store, &entropy, &sealed()).await;
    let events: Vec<NewEvent> = (0..4).map(|_| event(&entropy)).collect();
    store.publish(&events).await.unwrap();
    let ids: Vec<DeliveryId> = events.iter().map(|new| DeliveryId::of(new.event.id, lane)).collect();
    query(
        &database,
        &format!("DELETE FROM webhook_events WHERE id = '\\x{}'", hexadecimal(events[0].event.id.as_bytes())),
    )
    .await;
    for (id, damage) in [(&ids[1], "attempts = -5"), (&ids[2], "run_started_at = 'infinity'")] {
        let row = hexadecimal(id.as_bytes());
        query(&database, &format!("UPDATE webhook_due SET {damage} WHERE delivery_id = '\\x{row}'")).await;
    }
    let lanes = store.claim(&request(&entropy, at(1))).await.unwrap();
    let claimed: Vec<DeliveryId> = lanes.iter().flat_map(|lane| &lane.deliveries).map(|one| one.id).collect();
    assert_eq!(claimed, [ids[3]]);
    for id in &ids[..3] {
        assert_eq!(end_of(store, *id).await, Some(DeliveryEnd::Unreadable), "{id}");
    }
    assert_eq!(query(&database, "SELECT count(*) FROM webhook_due").await.trim(), "1");
}

/// The URL or the secret of a subscription cannot be read: its deliveries end. A damaged breaker is a new one.
#[tokio::test]
async fn the_deliveries_of_a_damaged_subscription_end_and_the_others_are_claimed() {
    let (stores, database) = instances(1).await;
    let (store, entropy) = (&stores[0], SeededEntropy::new(1));
    let mut lanes = Vec::new();
    for damage in [
        "webhook_subscriptions SET url = 'nothing' WHERE id",
        "webhook_subscriptions SET secret = NULL WHERE id",
        "webhook_lanes SET pause_millis = -1, failures_in_a_row = -1 WHERE subscription_id",
    ] {
        let lane = subscribe(store, &entropy, &sealed()).await;
        query(&database, &format!("UPDATE {damage} = '\\x{}'", hexadecimal(lane.as_bytes()))).await;
        lanes.push(lane);
    }
    let new = event(&entropy);
    store.publish(std::slice::from_ref(&new)).await.unwrap();
    let claimed = store.claim(&request(&entropy, at(1))).await.unwrap();
    assert_eq!(claimed.iter().map(|lane| lane.subscription).collect::<Vec<_>>(), [lanes[2]]);
    for lane in &lanes[..2] {
        assert_eq!(end_of(store, DeliveryId::of(new.event.id, *lane)).await, Some(DeliveryEnd::Unreadable));
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_holds_no_signing_secret() {
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let (stores, database) = instances(1).await;
    let (store, entropy) = (&stores[0], SeededEntropy::new(6));
    let keys = SealingKeys::new(vec![[7; 32].into()]).unwrap();
    let id = SubscriptionId::mint(at(0), &entropy);
    let secret = SigningSecret::parse(SECRET).unwrap();
    subscribe_as(store, id, &keys.seal(&secret, id, &entropy)).await;
    let other = keys.seal(&secret, id, &entropy);
    store.rotate_secret(&alice(), id, &other, at(1_000), at(1)).await.unwrap();
    store.publish(&[event(&entropy)]).await.unwrap();
    let (_, secrets) = store.list_secrets(None, 10).await.unwrap().remove(0);
    assert_eq!(keys.unseal(&secrets.current, id).unwrap().secret.expose(), SECRET, "the key unseals the secret");

    let tables = query(&database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'").await;
    let mut dump = String::new();
    for table in tables.lines() {
        dump += &query(&database, &format!("SELECT row_to_json(one)::text FROM {table} AS one")).await;
    }
    assert!(dump.contains("hooks.example") && dump.contains(&hexadecimal(other.as_bytes())), "the dump is complete");
    for form in [SECRET, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
        assert!(!dump.contains(form) && !dump.contains(&hexadecimal(form.as_bytes())), "{form}");
    }
}
