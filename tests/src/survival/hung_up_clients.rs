use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use throwaway_postgres::{Cluster, ClusterSettings};
use tokio::time::sleep;

use crate::harness::{Request, Setup, Storage, eventually};
use crate::metrics::exposition::{TEXT, scrape};
use crate::metrics::figures::metered;
use crate::revocation::stalled::wait_for_standby;

const OPERATOR_TOKEN: &str = "operator-token-of-the-test-of-hung-up-clients";
const CLIENTS: usize = 3;
/// So long the server has to notice that a client is gone. A call may take longer.
const NOTICED_WITHIN: Duration = Duration::from_millis(300);
/// The processes of Postgres that serve connections, and those of them that wait for a standby.
const SERVING: &str =
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
const STALLED: &str = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/// The commits of some creations stall, and their clients hang up. Once the commits are through, the copy of the audit
/// log and the count of its events have them all, and the connections to the database are the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_hung_up_clients_have_changed_is_copied_and_counted() {
    let cluster = Cluster::start(ClusterSettings::default()).await.expect("a Postgres server");
    let storage = Storage::postgres_in(cluster.clone()).await;
    let setup = Setup::serve(&storage).await.with("OPERATOR_TOKEN", OPERATOR_TOKEN).with("DISPATCH", "false");
    let (gatepost, metrics) = metered(setup.with("AUDIT_LOG", "stdout")).await;
    let processes = async |which: &str| -> BTreeSet<String> {
        let listed = cluster.execute("postgres", which).await.expect("the server answers");
        listed.split_whitespace().map(str::to_owned).collect()
    };

    wait_for_standby(&cluster, "nobody").await;
    let mut clients = Vec::new();
    for n in 0..CLIENTS {
        let mut client = gatepost.connect().await;
        // The creations of one user would wait for each other.
        let request = gatepost.user(&format!("user-{n}")).request("POST").json(&json!({ "label": "CI" }));
        client.send(&request.bytes()).await.expect("the server reads");
        clients.push(client);
    }
    let stalled = eventually("the commits stall", async || {
        Some(processes(STALLED).await).filter(|stalled| stalled.len() >= CLIENTS)
    })
    .await;
    for client in clients {
        client.reset().expect("the client is connected");
    }
    sleep(NOTICED_WITHIN).await;
    wait_for_standby(&cluster, "").await;

    let export = Request::new("GET", "/api/operator/audit?format=jsonl").bearer(OPERATOR_TOKEN);
    let recorded = eventually("the commits are through", async || {
        Some(gatepost.send(&export).await.text()).filter(|export| export.lines().count() == CLIENTS)
    })
    .await;
    eventually("every line is copied", async || {
        let copy = gatepost.written();
        recorded.lines().all(|line| copy.contains(line)).then_some(())
    })
    .await;
    let counted = scrape(metrics, TEXT).await.value("gatepost_audit_events_total", &[("action", "key.created")]);
    assert_eq!(counted.to_string(), CLIENTS.to_string(), "each event is counted");
    assert!(processes(SERVING).await.is_superset(&stalled), "no connection was closed");
}
