//! Ten thousand malformed requests from a seeded generator: no 5xx, no panic, and the connections keep working.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinSet;

use crate::harness::{Connection, Gatepost, Malformed, Random, Request, Setup, Storage, on_both_databases};

on_both_databases!(ten_thousand_malformed_requests_break_nothing);

const REQUESTS: usize = 10_000;
const SENDERS: usize = 32;

async fn ten_thousand_malformed_requests_break_nothing(storage: Storage) {
    let seed = seed();
    let mut gatepost = Setup::serve(&storage).await.start().await;
    let gatepost_ref = Arc::new((gatepost.address(), gatepost.provider().token("mallory")));
    let next = Arc::new(AtomicUsize::new(0));
    let mut senders = JoinSet::new();
    for _ in 0..SENDERS {
        let (target, next) = (Arc::clone(&gatepost_ref), Arc::clone(&next));
        senders.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= REQUESTS {
                    return;
                }
                let mut random = Random::seeded(seed.wrapping_add(number as u64));
                let case = format!("request {number} of GATEPOST_SEED={seed}");
                if number % 2 == 0 {
                    send_broken_framing(&target.0, &Malformed::framing(&mut random, &target.1), &case).await;
                } else {
                    send_nonsense(&target.0, &Malformed::content(&mut random, &target.1), &case).await;
                }
            }
        });
    }
    senders.join_all().await;
    assert_works(&mut gatepost).await;
}

/// The seed of this run. It is fixed, so that a run can be repeated; `GATEPOST_SEED` chooses another.
#[expect(clippy::disallowed_methods, reason = "chooses what the test sends; not a setting of Gatepost")]
#[expect(clippy::print_stdout, reason = "the seed belongs in the test's output")]
fn seed() -> u64 {
    let seed = std::env::var("GATEPOST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(2);
    println!("GATEPOST_SEED={seed}");
    seed
}

/// Sends the bytes, closes the sending side, and reads until the server closes. The server must answer or close.
async fn send_broken_framing(address: &std::net::SocketAddr, malformed: &Malformed, case: &str) {
    let mut connection = Connection::open(*address).await.unwrap();
    // The server may close before it has read everything; then writing fails.
    let _ = connection.send(&malformed.bytes).await;
    let _ = connection.finish().await;
    loop {
        match connection.receive("GET").await {
            Ok(response) => assert!(response.status < 500, "{case}: {} {}", response.status, response.text()),
            Err(error) => {
                assert_ne!(error.kind(), ErrorKind::TimedOut, "{case}: neither answered nor closed");
                return;
            }
        }
    }
}

/// The server must answer, and the connection must serve the next request.
async fn send_nonsense(address: &std::net::SocketAddr, malformed: &Malformed, case: &str) {
    let mut connection = Connection::open(*address).await.unwrap();
    let (method, bytes) = (malformed.method.as_deref().unwrap(), String::from_utf8_lossy(&malformed.bytes));
    let _ = connection.send(&malformed.bytes).await;
    let response = connection.receive(method).await;
    let response = response.unwrap_or_else(|error| panic!("{case}: {error} for {bytes}"));
    assert!(response.status < 500, "{case}: {} {}", response.status, response.text());
    if response.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close")) {
        return;
    }
    let next = connection.exchange(&Request::new("GET", "/livez")).await;
    let next = next.unwrap_or_else(|error| panic!("{case}: the next request: {error}, after {}", response.status));
    assert_eq!(next.status, 200, "{case}: the next request, after {} for {bytes}", response.status);
}

async fn assert_works(gatepost: &mut Gatepost) {
    let alice = gatepost.user("alice");
    let (full_key, id) = alice.created("still works").await;
    assert_eq!(gatepost.whoami(&full_key).await.status, 200);
    assert_eq!(alice.revoke(&id).await.status, 200);
    assert_eq!(gatepost.send(&Request::new("GET", "/readyz")).await.status, 200);
    gatepost.assert_healthy();
}
