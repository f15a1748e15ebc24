//! Shutdowns while new and kept connections send requests: a request that reached the server is answered.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::harness::{Connection, Request, Setup, Storage, until};

const STOPS: usize = 3;
/// Half of them open a connection for each request. Together they send 500 requests in a second.
const CLIENTS: u32 = 100;
const INTERVAL: Duration = Duration::from_millis(200);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_loses_no_request() {
    let storage = Storage::sqlite();
    let mut gatepost = Setup::serve(&storage).await.start().await;
    let (full_key, _) = gatepost.user("alice").created("ci").await;
    let request = Request::new("GET", "/api/whoami").header("x-api-key", &full_key);
    let counts = Arc::new(Counts::default());
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let client = Client { address: gatepost.address(), request: request.clone(), counts: Arc::clone(&counts) };
        clients.spawn(client.run(INTERVAL * number / CLIENTS, number % 2 == 0));
    }
    for _ in 0..STOPS {
        counts.answered_more(300).await;
        gatepost.stop().await;
        gatepost.start_again().await;
    }
    counts.answered_more(300).await;
    counts.is_over.store(true, Ordering::Relaxed);
    clients.join_all().await;
    let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let lost = [count(&counts.lost_new), count(&counts.lost_kept), count(&counts.failed)];
    let answered = count(&counts.answered);
    assert_eq!(lost, [0; 3], "of {answered}: on new connections, on kept connections, answered with another status");
}

#[derive(Default)]
struct Counts {
    answered: AtomicU64,
    /// Requests without an answer on a connection that was accepted.
    lost_new: AtomicU64,
    /// Requests without an answer on a connection that no answer had ended.
    lost_kept: AtomicU64,
    failed: AtomicU64,
    is_over: AtomicBool,
}

impl Counts {
    async fn answered_more(&self, requests: u64) {
        let enough = self.answered.load(Ordering::Relaxed) + requests;
        until("the server answers", async || self.answered.load(Ordering::Relaxed) >= enough).await;
    }
}

struct Client {
    address: SocketAddr,
    request: Request,
    counts: Arc<Counts>,
}

impl Client {
    async fn run(self, start: Duration, keeps_connections: bool) {
        sleep(start).await;
        let mut kept = None;
        while !self.counts.is_over.load(Ordering::Relaxed) {
            let sent = Instant::now();
            let still_open = self.send(kept.take()).await;
            sleep(INTERVAL).await;
            // A server that stops closes idle connections after a second, which a busy client notices late.
            kept = still_open.filter(|_| keeps_connections && sent.elapsed() < 3 * INTERVAL);
        }
    }

    /// Sends one request, and returns the connection if it stays open. A failure to connect is not a loss: the
    /// client knows that it sent no request.
    async fn send(&self, kept: Option<Connection>) -> Option<Connection> {
        let is_kept = kept.is_some();
        let mut connection = match kept {
            Some(connection) => connection,
            None => Connection::open(self.address).await.ok()?,
        };
        let Ok(response) = connection.exchange(&self.request).await else {
            let lost = if is_kept { &self.counts.lost_kept } else { &self.counts.lost_new };
            lost.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        let count = if response.status == 200 { &self.counts.answered } else { &self.counts.failed };
        count.fetch_add(1, Ordering::Relaxed);
        let closes = response.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        (!closes).then_some(connection)
    }
}
