//! Processes behind a pooler that shares sessions, together with processes with separate sessions. See
//! decision 93.

use adapters_postgres::PostgresStore;
use adapters_system::SystemClock;
use domain::ports::{Clock as _, Close as _, DeliveryQueue as _, EventStore as _, StoreFigures as _, VersionCount};
use throwaway_postgres::{Cluster, Pooler};
use tokio::time::{Duration, sleep, timeout};

use crate::claimers::{claim_later, claim_one, until};
use crate::world::{event_at, instances, open, query, request, subscribe};

/// The process behind the pooler has no lock, and is not taken for ended when another one is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_shares_sessions_is_not_gone() {
    let (stores, database) = instances(2).await;
    let [gone, left] = &stores[..] else { panic!("two") };
    let pgbouncer = Pooler::start(Cluster::shared().await.unwrap(), "pool_mode = transaction").unwrap();
    let pooled = open(&pgbouncer.before(&database).url).await;
    subscribe(left).await;
    for store in [gone, left, &pooled] {
        let _ = timeout(Duration::ZERO, store.hint()).await;
    }
    until(&database, "SELECT count(*), count(seen_at) FROM webhook_claimers", "3|1").await;
    query(&database, "UPDATE webhook_claimers SET version = '0.0.9' WHERE seen_at IS NOT NULL RETURNING 1").await;
    present(left, 1, 2).await;
    let now = SystemClock.now();
    left.publish(&[event_at(now), event_at(now)]).await.unwrap();
    let of_pooled = claim_one(&pooled, &request(now)).await.unwrap();
    let of_gone = claim_one(gone, &request(now)).await.unwrap();
    gone.close().await;
    assert_eq!(claim_later(&[left, &pooled]).await.id, of_gone.id);
    present(left, 1, 1).await;
    let claimed = claim_one(left, &request(SystemClock.now())).await;
    assert!(claimed.is_none(), "{of_pooled:?} is being sent");
    pooled.close().await;
    assert_eq!(claim_later(&[left]).await.id, of_pooled.id);
}

/// Waits until `older` processes of an older version, and `own` of this one, are present.
async fn present(store: &PostgresStore, older: u32, own: u32) {
    let own = VersionCount { version: env!("CARGO_PKG_VERSION").to_owned(), instances: own };
    let expected = [VersionCount { version: "0.0.9".to_owned(), instances: older }, own];
    let all: u32 = expected.iter().map(|version| version.instances).sum();
    // Doctor counts the same.
    let counted = async {
        while store.server_figures().await.unwrap().instances != expected
            || store.server_report().await.unwrap().instances != i64::from(all)
        {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(5), counted).await.expect("a process without a lock, or not seen, is not present");
}

/// A process behind the pooler claims deliveries of another process without a notification.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_queue_is_polled_where_sessions_are_shared() {
    let (stores, database) = instances(1).await;
    let pgbouncer = Pooler::start(Cluster::shared().await.unwrap(), "pool_mode = transaction").unwrap();
    let pooled = open(&pgbouncer.before(&database).url).await;
    for _ in 0..3 {
        timeout(Duration::from_secs(5), pooled.hint()).await.expect("a hint without a notification");
    }
    subscribe(&stores[0]).await;
    stores[0].publish(&[event_at(SystemClock.now())]).await.unwrap();
    pooled.hint().await;
    assert!(claim_one(&pooled, &request(SystemClock.now())).await.is_some());
}
