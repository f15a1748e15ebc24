use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::Instant;

use crate::harness::{FaultProxy, Gatepost, Line, Request, Response, Setup, Storage, own_server, until};

/// The bound in `docs/operations/databases.md`, with a margin for a busy machine.
const ANSWER_WITHIN: Duration = Duration::from_secs(6);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_postgres_is_503_and_heals() {
    let cluster = own_server().await;
    let mut gatepost = Setup::serve(&Storage::postgres_in(cluster.clone()).await).await.start().await;
    let full_key = gatepost.user("alice").created("ci").await.0;
    let started = gatepost.written().len();
    for crash in [false, true] {
        if crash { cluster.crash().await } else { cluster.stop().await }.unwrap();
        assert_down(&gatepost, &full_key).await;
        for _ in 0..3 {
            // Longer than a bad result is reused.
            tokio::time::sleep(Duration::from_millis(50)).await;
            readyz_answers(&gatepost, 503).await;
        }
        cluster.start_again().await.unwrap();
        assert_heals(&mut gatepost, &full_key).await;
    }
    let written = gatepost.written();
    let count = |text: &str| written[started..].matches(text).count();
    assert_eq!(count(r#""message":"not ready","check":"database""#), 2, "one line for each outage");
    assert_eq!(count(r#""message":"ready again","check":"database""#), 2, "one line for each end");
    assert!(count("cannot write the last uses of keys") <= 2, "at most one line for each outage");
    assert_eq!(count(r#""level":"WARN","message":"request","method":"GET","route":"/readyz""#), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_postgres_is_503_and_heals() {
    let cluster = own_server().await;
    let database = cluster.database().await.unwrap();
    let proxy = FaultProxy::before(SocketAddr::from(([127, 0, 0, 1], cluster.port()))).await;
    let url = database.url.replace(&cluster.port().to_string(), &proxy.port().to_string());
    let storage = Storage::on_server(cluster, database);
    let mut gatepost = Setup::serve(&storage).await.with("DATABASE_URL", &url).start().await;
    let full_key = gatepost.user("alice").created("ci").await.0;
    proxy.set(Line::Silent);
    assert_down(&gatepost, &full_key).await;
    proxy.set(Line::Whole);
    assert_heals(&mut gatepost, &full_key).await;
}

/// Every call that needs the database gets a 503 in time, also with twenty calls at once; a good credential never gets
/// a
/// 401. A key in memory stays good until the last read of the change feed is too old.
async fn assert_down(gatepost: &Gatepost, full_key: &str) {
    let alice = gatepost.user("alice");
    let start = Instant::now();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..5 {
        for request in [
            alice.request("GET"),
            alice.request("POST").json(&serde_json::json!({ "label": "x" })),
            alice.request("DELETE").json(&serde_json::json!({ "keyId": "key_01h455vb4pex5vsknk084sn02q" })),
            Request::new("GET", "/api/whoami").header("x-api-key", "svc_live_never_seen"),
        ] {
            let user = alice.clone();
            calls.spawn(async move { user.send(&request).await });
        }
    }
    for response in calls.join_all().await {
        assert_unavailable(&response);
    }
    assert!(start.elapsed() < ANSWER_WITHIN, "answered after {:?}", start.elapsed());
    let used_lately = Request::new("GET", "/api/whoami").header("x-api-key", full_key);
    until("the key in memory gets a 503", async || {
        let response = gatepost.send(&used_lately).await;
        assert!(matches!(response.status, 200 | 503), "{}", response.text());
        response.status == 503
    })
    .await;
    assert_eq!(gatepost.send(&Request::new("GET", "/livez")).await.status, 200, "the process itself works");
    readyz_answers(gatepost, 503).await;
}

#[track_caller]
fn assert_unavailable(response: &Response) {
    assert_eq!(response.status, 503, "{}", response.text());
    assert_eq!(response.json()["code"], "unavailable");
    let retry_after = response.header("retry-after").expect("Retry-After");
    assert!(retry_after.parse::<u32>().is_ok(), "{retry_after}");
}

/// The same process works again, and answers only 503 until then.
async fn assert_heals(gatepost: &mut Gatepost, full_key: &str) {
    let alice = gatepost.user("alice");
    until("it heals", async || {
        let responses = [alice.list().await, gatepost.whoami(full_key).await];
        for response in &responses {
            assert!(response.status == 200 || response.status == 503, "{}", response.text());
        }
        responses.iter().all(|response| response.status == 200)
    })
    .await;
    readyz_answers(gatepost, 200).await;
    // Uses every connection of the pool, not only the first.
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let user = alice.clone();
        calls.spawn(async move { user.list().await.status });
    }
    assert!(calls.join_all().await.into_iter().all(|status| status == 200));
    gatepost.assert_healthy();
}

/// Waits, because `/readyz` reuses a result for half a second.
async fn readyz_answers(gatepost: &Gatepost, status: u16) {
    let readyz = Request::new("GET", "/readyz");
    until("/readyz has this status", async || gatepost.send(&readyz).await.status == status).await;
}
