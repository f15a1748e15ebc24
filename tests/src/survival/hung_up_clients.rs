use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::harness::{Request, Setup, Storage, eventually, own_server, until};
use crate::metrics::exposition::{TEXT, scrape};
use crate::metrics::figures::metered;

const OPERATOR_TOKEN: &str = "operator-token-of-the-test-of-hung-up-clients";
const CLIENTS: usize = 3;
/// The processes of Postgres that serve connections, and the ones among them whose creation waits for a standby. The instance
/// also commits other things, which wait too: a call that is dropped before its own commit has no effect.
const SERVING: &str =
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
const STALLED: &str = "SELECT DISTINCT pid FROM pg_stat_activity JOIN pg_locks USING (pid) \
    JOIN pg_class ON pg_class.oid = relation WHERE wait_event = 'SyncRep' AND relname = 'audit_events'";

/// A call that is dropped keeps its connection for four seconds. The commits must be through before, which a busy test machine may
/// not reach.
const THROUGH_WITHIN: Duration = Duration::from_secs(3);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_hung_up_clients_have_changed_is_copied_and_counted() {
    for _ in 0..10 {
        if hung_up_clients().await {
            return;
        }
    }
    panic!("the commits were never through within {THROUGH_WITHIN:?}");
}

/// The commits of some creations stall, and their clients hang up. Once the commits are through, the copy of the audit
/// log and the count of its events include all of them, and the connections to the database are the same. Returns false if
/// the machine was too slow to tell.
async fn hung_up_clients() -> bool {
    let cluster = own_server().await;
    let storage = Storage::postgres_in(cluster.clone()).await;
    let setup = Setup::serve(&storage).await.with("OPERATOR_TOKEN", OPERATOR_TOKEN).with("DISPATCH", "false");
    let (gatepost, metrics) = metered(setup.with("AUDIT_LOG", "stdout")).await;
    let (_, database) = storage.server().expect("it is Postgres");
    let processes = async |which: &str| -> BTreeSet<String> {
        let listed = cluster.execute(&database.name, which).await.expect("the server answers");
        listed.split_whitespace().map(str::to_owned).collect()
    };

    cluster.wait_for_standby("nobody").await.expect("the server takes a setting");
    let (mut clients, sent) = (Vec::new(), Instant::now());
    for n in 0..CLIENTS {
        let mut client = gatepost.connect().await;
        // The creations of one user would wait for each other.
        let request = gatepost.user(&format!("user-{n}")).request("POST").json(&json!({ "label": "CI" }));
        client.send(&request.bytes()).await.expect("the server reads");
        clients.push(client);
    }
    let all_stalled = async || Some(processes(STALLED).await).filter(|stalled| stalled.len() == CLIENTS);
    let stalled = eventually("the commits stall", all_stalled).await;
    let mut server_ends = Vec::new();
    for client in clients {
        let address = client.local_address().expect("the client is connected");
        server_ends.push(server_end(address, gatepost.address()));
        client.reset().expect("the client is connected");
    }
    until("the server has dropped the calls", async || {
        let open = open_files(gatepost.process_id());
        server_ends.iter().all(|end| !open.contains(end))
    })
    .await;
    cluster.wait_for_standby("").await.expect("the server takes a setting");
    let is_late = || sent.elapsed() > THROUGH_WITHIN;
    if is_late() {
        return false;
    }

    let export = Request::new("GET", "/api/operator/audit?format=jsonl").bearer(OPERATOR_TOKEN);
    let all = async || Some(gatepost.send(&export).await.text()).filter(|all| all.lines().count() == CLIENTS);
    let recorded = eventually("the commits are through", all).await;
    if is_late() {
        return false;
    }
    until("every line is copied", async || {
        let copy = gatepost.written();
        recorded.lines().all(|line| copy.contains(line))
    })
    .await;
    let counted = scrape(metrics, TEXT).await.value("gatepost_audit_events_total", &[("action", "key.created")]);
    assert_eq!(counted.to_string(), CLIENTS.to_string(), "each event is counted");
    assert!(processes(SERVING).await.is_superset(&stalled), "no connection was closed");
    true
}

/// The name of the server's end of a connection, as [`open_files`] has it. The server closes it when it drops the call.
fn server_end(client: SocketAddr, server: SocketAddr) -> String {
    let ports = [server, client].map(|address| format!(":{:04X}", address.port()));
    let sockets = fs::read_to_string("/proc/net/tcp").expect("a list of sockets");
    let mut sockets = sockets.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let end = sockets.find(|socket| socket[1].ends_with(&ports[0]) && socket[2].ends_with(&ports[1]));
    format!("socket:[{}]", end.expect("the client is connected")[9])
}

fn open_files(process: u32) -> BTreeSet<String> {
    let files = fs::read_dir(format!("/proc/{process}/fd")).expect("the process runs");
    let names = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}
