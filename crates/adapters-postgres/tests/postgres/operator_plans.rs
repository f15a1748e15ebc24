//! The number of rows that a list for operators reads depends on its length or the limit of a search, not on the
//! tables.

use adapters_postgres::{PostgresSettings, PostgresStore};
use domain::ports::{
    Close as _, ListEventsRequest, ListOwnersRequest, OperatorLog as _, OwnerStore as _, Retention as _, Schema as _,
};
use domain::webhooks::{EventFilter, EventType};
use domain::{EventId, KeyPolicy, OwnerId, OwnerQuery, Timestamp};
use throwaway_postgres::{Cluster, Database};

/// Events of 1,000 users, one and a half seconds apart. One in a thousand has the type that is searched for.
const EVENTS: u32 = 120_000;
/// Lanes, of which one in a hundred fails.
const LANES: u32 = 20_000;
const PAGE: u32 = 50;
/// How many events a search reads for one page.
const SEARCHED_MAX: u64 = 10_000;
const START: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_for_operators_go_by_an_index() {
    let database = Cluster::shared().await.unwrap().database().await.unwrap();
    plant(&database).await;
    let all = EventFilter::default;
    let owner = || Some(OwnerId::new("https://id.example", "user 7").unwrap());
    let middle = Timestamp::from_unix_millis(START.unix_millis() + i64::from(EVENTS) * 750);
    for filter in [all(), EventFilter { since: middle, ..all() }, EventFilter { until: middle, ..all() }] {
        let request = ListEventsRequest { filter, before: None, max: PAGE };
        let read = rows_read(&database, "webhook_events", async |store| {
            let page = store.list_events(&request).await.unwrap();
            assert_eq!(page.events.len(), PAGE as usize, "{request:?}");
        });
        let read = read.await;
        assert!(read <= u64::from(3 * PAGE), "a list must read what it shows, not {read} rows: {request:?}");
    }
    let rare = EventFilter { event_type: EventType::parse("rare").ok(), ..all() };
    for filter in [EventFilter { owner: owner(), ..all() }, rare] {
        let request = ListEventsRequest { filter, before: None, max: PAGE };
        let read = rows_read(&database, "webhook_events", async |store| {
            let page = store.list_events(&request).await.unwrap();
            assert!(page.next.is_some(), "the search stops before its end: {request:?}");
        });
        let read = read.await;
        assert!(read <= SEARCHED_MAX + u64::from(PAGE), "a search must stop, and not read {read} rows: {request:?}");
    }
    let id = EventId::from_bytes([7; 16]);
    let read = rows_read(&database, "webhook_events", async |store| drop(store.find_event(id).await.unwrap())).await;
    assert!(read <= 2, "an event is found by its id, not in {read} rows");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_subscriptions_are_found_by_their_index() {
    let database = Cluster::shared().await.unwrap().database().await.unwrap();
    plant(&database).await;
    for table in ["webhook_lanes", "webhook_subscriptions", "webhook_attempts"] {
        let read = rows_read(&database, table, async |store| {
            let page = store.failing(None, PAGE).await.unwrap();
            assert_eq!(page.len(), PAGE as usize);
            assert!(page.iter().all(|one| one.last_attempt.is_some()), "each has its last attempt");
            let next = store.failing(page[49].place(), PAGE).await.unwrap();
            assert!(next[0].place() > page[49].place());
        });
        let read = read.await;
        assert!(read <= u64::from(6 * PAGE), "two pages must not read {read} rows of {table}");
    }
}

/// Each list of owners finds all of them, and all have the same name and show the same start of a key.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owners_are_found_by_indexes() {
    let database = Cluster::shared().await.unwrap().database().await.unwrap();
    let store = open(&database).await;
    store.migrate().await.unwrap();
    store.close().await;
    let owner = "'https://id.example', 'user ' || i";
    let plant = format!(
        "INSERT INTO key_owners SELECT {owner} FROM generate_series(1, {LANES}) AS i;
        INSERT INTO owners SELECT {owner}, i, 'Acme', NULL, NULL, NULL, NULL, now(), NULL, NULL
            FROM generate_series(1, {LANES}) AS i;
        INSERT INTO api_keys SELECT substring(sha256(i::text::bytea) FOR 16), sha256(i::text::bytea), {owner}, 'CI',
            'start...', now(), NULL, NULL, NULL, '', NULL FROM generate_series(1, {LANES}) AS i;
        ANALYZE;"
    );
    run(&database, &plant).await;
    let policy = KeyPolicy::default();
    for (query, is_suspended) in
        [(None, None), (None, Some(true)), (Some("user"), None), (Some("ACME"), None), (Some("start"), None)]
    {
        let query = query.map(|text| OwnerQuery::parse(text, &policy).unwrap());
        let issuer = "https://id.example".to_owned();
        let request = ListOwnersRequest { issuer, query, is_suspended, after: None, max: PAGE, at: START };
        for (table, rows) in [("key_owners", 1), ("owners", 3), ("api_keys", 3), ("webhook_subscriptions", 1)] {
            let read = rows_read(&database, table, async |store| {
                let page = store.list(&request).await.unwrap();
                assert_eq!(page.owners.len(), PAGE as usize, "{request:?}");
                assert!(page.owners.iter().all(|one| one.counts.active_keys == 1), "each has a key: {request:?}");
                let next = store.list(&ListOwnersRequest { after: page.next, ..request.clone() }).await.unwrap();
                assert!(next.owners[0].found.place > page.owners[49].found.place, "{request:?}");
            });
            let (read, most) = (read.await, u64::from(2 * (PAGE + 1)) * rows);
            assert!(read <= most, "two pages must not read {read} rows of {table}: {request:?}");
        }
    }
}

/// The rows of the table that `read` reads. The store is closed after it, so that the server has counted them.
pub(crate) async fn rows_read(database: &Database, table: &str, read: impl AsyncFnOnce(&PostgresStore)) -> u64 {
    let cluster = Cluster::shared().await.unwrap();
    let before = cluster.rows_read(&database.name, table).await.unwrap();
    let store = open(database).await;
    read(&store).await;
    store.close().await;
    cluster.rows_read(&database.name, table).await.unwrap() - before
}

/// A store with one connection.
pub(crate) async fn open(database: &Database) -> PostgresStore {
    PostgresStore::open(PostgresSettings { url: database.url.clone(), pool_size: 1 }).await.unwrap()
}

async fn plant(database: &Database) {
    let store = open(database).await;
    store.migrate().await.unwrap();
    store.prepare_history(START, 1).await.unwrap();
    store.close().await;
    let id = "decode(lpad(to_hex(1795225323120 + i::bigint * 1500), 12, '0'), 'hex') || substring(sha256(i::text::bytea) FOR 10)";
    let at = "to_timestamp(1795225323.120 + i * 1.5)";
    let lane = "substring(sha256(i::text::bytea) FOR 16)";
    let plant = format!(
        "INSERT INTO webhook_events (id, owner_issuer, owner_subject, event_type, created_at, deliveries, payload)
            SELECT {id}, 'https://id.example', 'user ' || i % 1000,
            CASE WHEN i % 1000 = 7 THEN 'rare' ELSE 'usual' END, {at}, 1, '{{}}' FROM generate_series(1, {EVENTS}) AS i;
        INSERT INTO webhook_subscriptions SELECT {lane}, 'https://id.example', 'user ' || i % 1000,
            'https://hooks.example/in', '*', '', 'enabled', NULL, '', NULL, NULL, now(), now(), NULL
            FROM generate_series(1, {LANES}) AS i;
        INSERT INTO webhook_lanes SELECT {lane}, i, TRUE, NULL, 0, CASE WHEN i % 100 = 7 THEN 3 ELSE 0 END,
            CASE WHEN i % 100 = 7 THEN '2026-11-21T01:42:03Z'::timestamptz - i * interval '1 second' END, NULL, 0 FROM generate_series(1, {LANES}) AS i;
        INSERT INTO webhook_attempts SELECT substring(sha256((i % {LANES})::text::bytea) FOR 16), {id}, 1, {id}, now(),
            now(), 'timeout', NULL, NULL, '' FROM generate_series(1, {EVENTS}) AS i;
        ANALYZE;"
    );
    run(database, &plant).await;
}

/// Executes these statements.
pub(crate) async fn run(database: &Database, statements: &str) {
    Cluster::shared().await.unwrap().execute(&database.name, statements).await.unwrap();
}
