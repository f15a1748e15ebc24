//! Connections at their maximum.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::server::{Server, Setup, read_to_end, read_until};
use crate::transcript::{ALICE, request};

fn with_connections(max: usize, per_address_max: usize) -> Server {
    let mut setup = Setup::default();
    setup.settings.limits.connections_max = max;
    setup.settings.limits.connections_per_address_max = per_address_max;
    setup.start()
}

async fn ask(connection: &mut TcpStream) -> String {
    connection.write_all(b"GET /livez HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    read_until(connection, "}").await
}

/// Idle connections, of which each was answered once.
async fn idle(server: &Server, count: usize) -> Vec<TcpStream> {
    let mut connections = Vec::new();
    for _ in 0..count {
        let mut connection = server.connect().await;
        assert!(ask(&mut connection).await.starts_with("HTTP/1.1 200"));
        connections.push(connection);
        sleep(Duration::from_millis(2)).await;
    }
    connections
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_give_way_oldest_first() {
    let server = with_connections(4, 4);
    let mut connections = idle(&server, 4).await;
    ask(&mut connections[0]).await;
    let answer = timeout(Duration::from_secs(5), request("GET /api/whoami").header(ALICE).send(&server)).await;
    assert_eq!(answer.expect("a place is free").status, 200);
    assert_eq!(read_to_end(&mut connections[1]).await, "", "the one that was idle longest is closed");
    for kept in [0, 2, 3] {
        assert!(ask(&mut connections[kept]).await.starts_with("HTTP/1.1 200"), "{kept}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_has_a_limit_of_its_own() {
    let server = with_connections(100, 2);
    let mut connections = idle(&server, 3).await;
    assert_eq!(read_to_end(&mut connections[0]).await, "");
    assert!(ask(&mut connections[2]).await.starts_with("HTTP/1.1 200"));
}

/// A request that is being answered keeps its connection, and a client that does not read does not.
#[tokio::test(flavor = "multi_thread")]
async fn connections_that_do_not_read_give_way_and_busy_ones_stay() {
    let server = with_connections(3, 3);
    let mut busy = server.begin("GET /test/slow HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    server.slow_reached.notified().await;
    let page = "GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nhost: a\r\n\r\n".repeat(20);
    let mut stuck = Vec::new();
    for _ in 0..2 {
        stuck.push(server.begin(&page).await);
    }
    sleep(Duration::from_millis(500)).await;
    for _ in 0..10 {
        let answer = timeout(Duration::from_secs(5), request("GET /livez").send(&server)).await;
        assert_eq!(answer.expect("a place is free").status, 200);
    }
    server.slow_release.notify_one();
    assert!(read_to_end(&mut busy).await.ends_with("slow"));
}
