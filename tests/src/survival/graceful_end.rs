use std::io::ErrorKind;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::harness::{Connection, Gatepost, Request, Setup, Storage, User, on_both_databases, readiness, until};

on_both_databases!(sigterm_under_load_fails_nobody, a_second_signal_ends_at_once);

/// The longest shutdown, as `docs/operations/start.md` says.
const EXIT_WITHIN: Duration = Duration::from_secs(10);
const HELD: usize = 20;
/// A body that takes five seconds is answered 408, and a busy test machine may need them.
const BODY_WAIT: Duration = Duration::from_secs(4);
const LOADERS: usize = 6;

async fn sigterm_under_load_fails_nobody(storage: Storage) {
    let mut gatepost = Setup::serve(&storage).await.with("API_KEYS_MAX_ACTIVE", "10000").start().await;
    let alice = gatepost.user("alice");
    let (full_key, used) = alice.created("used").await;
    let held = hold_requests(&gatepost, &alice).await;
    let mut loaders = JoinSet::new();
    for _ in 0..LOADERS {
        loaders.spawn(load(alice.clone(), full_key.clone(), gatepost.address()));
    }
    assert_eq!(gatepost.whoami(&full_key).await.status, 200);

    let start = Instant::now();
    gatepost.signal("TERM");
    // The server has received the signal when `/readyz` fails, or when it accepts no more connections.
    until("the shutdown begins", async || matches!(readiness(gatepost.address()).await, None | Some(503))).await;
    let mut created = Vec::new();
    let mut sent = Vec::new();
    for Held { mut connection, last, since } in held {
        connection.send(&last).await.unwrap();
        sent.push((connection, since.elapsed()));
    }
    for (mut connection, was_held) in sent {
        let response = connection.receive("POST").await.expect("a request in progress is answered");
        if response.status == 408 && was_held > BODY_WAIT {
            continue;
        }
        assert_eq!(response.status, 200, "{}", response.text());
        created.push(response.json()["keyId"].clone());
    }
    assert_eq!(gatepost.exited().await.code(), Some(0));
    assert!(start.elapsed() < EXIT_WITHIN, "{:?}", start.elapsed());
    loaders.join_all().await;

    gatepost.start_again().await;
    let keys = alice.keys().await;
    let record = |id: &Value| keys.iter().find(|key| &key["id"] == id);
    assert!(created.iter().all(|id| record(id).is_some()), "a key that was answered is stored");
    assert_ne!(record(&json!(used)).unwrap()["lastUsedAt"], Value::Null, "the last use was written");
}

/// A request that the server has begun to read: everything is sent except the last byte.
struct Held {
    connection: Connection,
    last: Vec<u8>,
    since: Instant,
}

async fn hold_requests(gatepost: &Gatepost, user: &User) -> Vec<Held> {
    let mut held = Vec::new();
    for number in 0..HELD {
        let mut connection = gatepost.connect().await;
        // A complete exchange first, so that the server has accepted the connection for certain.
        assert_eq!(connection.exchange(&Request::new("GET", "/livez")).await.unwrap().status, 200);
        let request = user.request("POST").json(&json!({ "label": format!("held {number}") })).bytes();
        let (most, last) = request.split_at(request.len() - 1);
        connection.send(most).await.unwrap();
        held.push(Held { connection, last: last.to_vec(), since: Instant::now() });
    }
    held
}

/// Sends requests over one kept connection until the server closes it. A server may close an idle connection before the
/// first byte of an answer. An answer that is cut short, or a 5xx, is a failure.
async fn load(alice: User, full_key: String, address: std::net::SocketAddr) {
    let whoami = Request::new("GET", "/api/whoami").header("x-api-key", &full_key);
    let requests = [alice.request("POST").json(&json!({ "label": "load" })), alice.request("GET"), whoami];
    let mut connection = Connection::open(address).await.unwrap();
    for number in 0.. {
        match connection.exchange(&requests[number % requests.len()]).await {
            Ok(response) => {
                assert_eq!(response.status, 200, "{}", response.text());
                if response.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close")) {
                    return;
                }
            }
            Err(error) => {
                let closed = [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
                assert!(closed.contains(&error.kind()), "{error}");
                return;
            }
        }
    }
}

async fn a_second_signal_ends_at_once(storage: Storage) {
    let mut gatepost = Setup::serve(&storage).await.start().await;
    let held = hold_requests(&gatepost, &gatepost.user("alice")).await;
    gatepost.signal("TERM");
    until("the log reports the shutdown", async || gatepost.written().contains("signal")).await;
    assert!(gatepost.exit_status().is_none(), "the shutdown waits for the requests in progress");
    let start = Instant::now();
    gatepost.signal("TERM");
    gatepost.exited().await;
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    drop(held);
}
