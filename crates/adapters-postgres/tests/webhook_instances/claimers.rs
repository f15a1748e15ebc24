//! The claims of an ended process end at once. See decision 74.

use std::time::Duration;

use adapters_postgres::PostgresStore;
use adapters_system::SystemClock;
use domain::DeliveryId;
use domain::ports::{ClaimRequest, ClaimedDelivery, Clock as _, Close as _, DeliveryQueue as _, EventStore as _};
use domain::webhooks::ClaimEnd;
use throwaway_postgres::{Cluster, Database};
use tokio::time::{sleep, timeout};

use crate::databases::until_calls_wait;
use crate::world::{connect, delivered, event_at, instances, query, request, subscribe};

/// Far below the minute that a claim lasts.
const SOON: Duration = Duration::from_secs(20);

/// The locks of the present processes.
const LOCKS: &str = "FROM pg_locks JOIN pg_database AS own ON own.oid = pg_locks.database
    WHERE own.datname = current_database() AND locktype = 'advisory' AND objsubid = 2";

/// The one delivery that the store claims now.
pub(crate) async fn claim_one(store: &PostgresStore, request: &ClaimRequest) -> Option<ClaimedDelivery> {
    let lanes = store.claim(&ClaimRequest { room: 1, ..request.clone() }).await.unwrap();
    lanes.into_iter().flat_map(|lane| lane.deliveries).next()
}

/// Claims until a delivery can be claimed. Any of the stores may be the one that finds another process ended.
pub(crate) async fn claim_later(stores: &[&PostgresStore]) -> ClaimedDelivery {
    let claimed = async {
        loop {
            for store in stores {
                if let Some(delivery) = claim_one(store, &request(SystemClock.now())).await {
                    return delivery;
                }
            }
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(SOON, claimed).await.expect("the claim ends long before its time")
}

/// Polls until the query answers this.
pub(crate) async fn until(database: &Database, sql: &str, answer: &str) {
    let answered = async {
        while query(database, sql).await != answer {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(SOON, answered).await.unwrap_or_else(|_| panic!("not {answer}: {sql}"));
}

/// Three processes: one loses its connection for a moment, one ends, and one continues.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_claims_of_a_process_that_is_gone_end() {
    let (stores, database) = instances(3).await;
    let [cut_off, gone, left] = &stores[..] else { panic!("three") };
    subscribe(left).await;
    for store in &stores {
        // A dispatcher always waits for hints.
        let _ = timeout(Duration::ZERO, store.hint()).await;
    }
    until(&database, &format!("SELECT count(DISTINCT objid) {LOCKS}"), "3").await;
    let now = SystemClock.now();
    left.publish(&[event_at(now), event_at(now)]).await.unwrap();
    let requests = [request(now), request(now)];
    let of_cut_off = claim_one(cut_off, &requests[0]).await.unwrap();
    let of_gone = claim_one(gone, &requests[1]).await.unwrap();
    let cut = format!(
        "SELECT count(pg_terminate_backend(pid)) {LOCKS}
            AND objid = (SELECT claimer FROM webhook_due WHERE claim = {})::oid",
        requests[0].claim.number()
    );
    assert_eq!(query(&database, &cut).await, "1");
    gone.close().await;
    let taken_over = claim_later(&[left]).await;
    let what = |delivery: &ClaimedDelivery| -> (DeliveryId, u32) { (delivery.id, delivery.attempt) };
    assert_eq!(what(&taken_over), (of_gone.id, 2));
    assert!(claim_one(left, &request(SystemClock.now())).await.is_none(), "{of_cut_off:?} is being sent");
    until(&database, "SELECT count(*) FROM webhook_claimers", "2").await;
}

/// A running process that another one finds ended: the server refuses its connection for notifications. Its claims end
/// while it stores its results, which wait for them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_lives_ends_nothing_that_was_taken_from_it() {
    for is_delivered in [true, false] {
        what_is_taken_is_not_ended(is_delivered).await;
    }
}

async fn what_is_taken_is_not_ended(is_delivered: bool) {
    const COUNTS: &str = "SELECT (SELECT count(*) FROM webhook_due), (SELECT count(*) FROM webhook_deliveries)";
    const COUNT: usize = 20;
    let (stores, database) = instances(2).await;
    let [lives, finds] = &stores[..] else { panic!("two") };
    let (raw, locker) = (connect(&database).await, connect(&database).await);
    subscribe(finds).await;
    for store in &stores {
        let _ = timeout(Duration::ZERO, store.hint()).await;
    }
    until(&database, &format!("SELECT count(DISTINCT objid) {LOCKS}"), "2").await;
    let now = SystemClock.now();
    finds.publish(&(0..COUNT).map(|_| event_at(now)).collect::<Vec<_>>()).await.unwrap();
    let claim = ClaimRequest { room: 100, ..request(now) };
    let mut results = delivered(claim.claim, &lives.claim(&claim).await.unwrap(), now);
    if !is_delivered {
        let ClaimEnd::Delivered(attempt) = &results[0].end else { panic!("a success") };
        results[0].end = ClaimEnd::CutOff { at: attempt.ended_at(), retry_at: now };
    }
    assert!(finds.claim(&request(now)).await.unwrap().is_empty(), "it has a connection for its claims");
    allow_connections(&database, false).await;
    let cut =
        format!("SELECT pg_terminate_backend(pid) {LOCKS} AND objid = (SELECT max(claimer) FROM webhook_due)::oid");
    raw.batch_execute(&cut).await.unwrap();
    let claimers = async || raw.query_one("SELECT count(*) FROM webhook_claimers", &[]).await.unwrap().get::<_, i64>(0);
    while claimers().await > 1 {
        sleep(Duration::from_millis(20)).await;
    }
    allow_connections(&database, true).await;
    // The claims have ended when this transaction has waited for the lane.
    locker.batch_execute("BEGIN; SELECT FROM webhook_lanes FOR UPDATE").await.unwrap();
    assert!(finds.claim(&request(now)).await.unwrap().is_empty());
    until_calls_wait(&raw, 1).await;
    let releasing = async {
        until_calls_wait(&raw, 2).await;
        locker.batch_execute("COMMIT").await.unwrap();
    };
    let (held, ()) = tokio::join!(lives.complete(&results), releasing);
    assert_eq!(held.unwrap(), [false; COUNT]);
    let rows = raw.query_one(COUNTS, &[]).await.unwrap();
    assert_eq!((rows.get::<_, i64>(0), rows.get::<_, i64>(1)), (20, 0), "queued, and ended");
    let again = ClaimRequest { room: 100, ..request(SystemClock.now()) };
    let results = delivered(again.claim, &finds.claim(&again).await.unwrap(), again.at);
    assert_eq!(finds.complete(&results).await.unwrap(), [true; COUNT]);
}

async fn allow_connections(database: &Database, is_allowed: bool) {
    let sql = format!("ALTER DATABASE {} ALLOW_CONNECTIONS {is_allowed}", database.name);
    Cluster::shared().await.unwrap().execute("postgres", &sql).await.unwrap();
}
