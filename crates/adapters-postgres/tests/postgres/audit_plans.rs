//! The number of rows that a list of the audit log reads depends on its length or the limit of a search, not on the
//! log. The same holds for the search for events to announce.

use adapters_postgres::PostgresStore;
use domain::audit::{Actor, AuditAction, AuditFilter};
use domain::ports::{AUDIT_SEARCHED_MAX, AuditLog, Close as _, Schema as _};
use domain::{OwnerId, Timestamp};
use throwaway_postgres::{Cluster, Database};

use crate::operator_plans::{open, rows_read, run};

/// Events of 1,000 owners, a second apart. One in a thousand has the action that is searched for, and some an action of a
/// later version.
const EVENTS: u32 = 60_000;
const PAGE: u32 = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_go_by_an_index() {
    let database = Cluster::shared().await.unwrap().database().await.unwrap();
    plant(&database).await;
    let all = AuditFilter::default;
    let owner = || Some(OwnerId::new("https://id.example", "user 7").unwrap());
    let since = Timestamp::from_unix_millis(1_795_225_323_120 + 59_000_000);
    let filters = [
        all(),
        AuditFilter { owner: owner(), ..all() },
        AuditFilter { target: "key_01m7xw91kgf2hsas2b8g9zb6be".parse().ok(), owner: owner(), ..all() },
        AuditFilter { since, ..all() },
        AuditFilter { owner: owner(), until: since, ..all() },
    ];
    for filter in &filters {
        let list = async |store: &PostgresStore| drop(store.list(filter, None, PAGE).await.unwrap());
        let read = rows_read(&database, "audit_events", list).await;
        assert!(read <= u64::from(2 * PAGE), "a list must read what it shows, not {read} rows: {filter:?}");
    }
    let rare = AuditFilter { action: Some(AuditAction::KeyLeaked), actor: Some(Actor::Service), ..all() };
    let search = async |store: &PostgresStore| drop(store.list(&rare, None, PAGE).await.unwrap());
    let read = rows_read(&database, "audit_events", search).await;
    let most = u64::from(2 * AUDIT_SEARCHED_MAX + 2 * PAGE);
    assert!(read <= most, "a search must stop, and not read {read} rows");
    let announced = async |store: &PostgresStore| {
        let events = store.list_unannounced(PAGE).await.unwrap();
        assert_eq!(events.len(), PAGE as usize);
        assert!(events.iter().all(|event| event.action == AuditAction::KeyLeaked), "later versions announce the rest");
    };
    let read = rows_read(&database, "audit_events", announced).await;
    assert!(read <= u64::from(2 * PAGE), "a look for what is to be announced must not read {read} rows");
}

async fn plant(database: &Database) {
    let store = open(database).await;
    store.migrate().await.unwrap();
    store.close().await;
    let plant = format!(
        "INSERT INTO audit_events SELECT
            decode(lpad(to_hex(1795225323120 + i::bigint * 1000), 12, '0'), 'hex') || substring(sha256(i::text::bytea) FOR 10),
            'https://id.example', 'user ' || i % 1000, 'service', NULL, NULL, 'service',
            CASE WHEN i % 1000 = 7 THEN 'key.leaked' WHEN i % 10000 = 8 THEN 'key.archived' ELSE 'key.revoked' END,
            'keys', '[]', NULL, NULL, i % 1000 = 7 OR i % 10000 = 8
            FROM generate_series(1, {EVENTS}) AS i;
        ANALYZE audit_events;"
    );
    run(database, &plant).await;
}
