//! Graceful shutdown.

use std::time::Duration;

use tokio::io::AsyncWriteExt;

use crate::server::{Server, read_to_end, read_until};
use crate::transcript::{Response, request};

#[tokio::test(flavor = "multi_thread")]
async fn readiness_fails_first_and_requests_in_flight_are_answered() {
    let server = Server::with(|setup| setup.settings.limits.drain_grace = Duration::from_hours(1));
    let mut idle = server.begin("GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert!(read_until(&mut idle, "}").await.starts_with("HTTP/1.1 200"));

    server.stop.cancel();
    let readiness = request("GET /readyz").send(&server).await;
    assert_eq!(readiness.verdict(), "503 unavailable");
    assert_eq!(readiness.field("detail"), "the service is shutting down");
    assert_eq!(request("GET /livez").send(&server).await.status, 200, "the grace is not over");
    idle.write_all(b"GET /livez HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    let last = read_to_end(&mut idle).await;
    assert_eq!(Response::parse(&last).header("connection"), Some("close"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_ends_when_the_last_answer_is_out() {
    let server = Server::start();
    let mut idle = server.begin("GET /livez HTTP/1.1\r\nhost: a\r\n\r\n").await;
    read_until(&mut idle, "}").await;
    let mut busy = server.begin("GET /test/slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
    server.slow_reached.notified().await;

    server.stop.cancel();
    assert_eq!(read_to_end(&mut idle).await, "", "an idle connection is closed");
    assert!(!server.ended.is_finished());
    server.slow_release.notify_one();
    assert!(read_to_end(&mut busy).await.ends_with("slow"));
    server.ended.await.unwrap().unwrap();
}
