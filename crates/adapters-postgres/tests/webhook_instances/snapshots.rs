use std::time::Duration;

use domain::ports::{Schema as _, StoreFigures as _};
use throwaway_postgres::{Cluster, ClusterSettings, Database};

use crate::world::{connect, open};

/// A session holds a snapshot, or has an open change. It does not matter before a thousand transactions have begun since,
/// in any database of the server, so the test has its own server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_held_snapshot_is_found_until_it_ends() {
    let cluster = Cluster::start(ClusterSettings::default()).await.unwrap();
    let database = cluster.database().await.unwrap();
    let store = open(&database.url).await;
    store.migrate().await.unwrap();
    for held in ["BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1", "BEGIN; SELECT pg_current_xact_id()"] {
        let elsewhere = connect(&database).await;
        elsewhere.batch_execute(held).await.unwrap();
        // After another statement, the state that the session holds stays the same.
        let pid: i32 = elsewhere.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
        assert_eq!(store.server_figures().await.unwrap().held_snapshot, None, "{held}");
        begin_transactions(&cluster, &database, 1_500).await;
        let oldest = store.server_figures().await.unwrap().held_snapshot.unwrap();
        assert!(oldest.holder.starts_with(&format!("session {pid} ")), "{oldest:?}");
        assert!(store.server_figures().await.unwrap().oldest_snapshot.unwrap() > Duration::ZERO, "{held}");
        begin_transactions(&cluster, &database, 10).await;
        assert_eq!(store.server_figures().await.unwrap().held_snapshot, Some(oldest), "{held}");
        elsewhere.batch_execute("ROLLBACK").await.unwrap();
        let ended = async {
            while store.server_figures().await.unwrap().held_snapshot.is_some() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), ended).await.expect(held);
    }
}

async fn begin_transactions(cluster: &Cluster, database: &Database, count: u32) {
    let transactions =
        format!("DO 'BEGIN FOR i IN 1..{count} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END'");
    cluster.execute(&database.name, &transactions).await.unwrap();
}
