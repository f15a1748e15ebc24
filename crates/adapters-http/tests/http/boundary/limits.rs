//! Limits on the sizes and durations that a client decides.

use std::time::Duration;

use insta::assert_snapshot;
use tokio::io::AsyncWriteExt;

use crate::server::{Server, Setup, read_to_end, read_until};
use crate::transcript::{ALICE, Request, Response, Transcript, request};

/// Deadlines for an answer: one that the tests exceed, and one that they never reach.
const SHORT: Duration = Duration::from_millis(400);
const PATIENT: Duration = Duration::from_secs(5);

/// A server that waits 200 ms for a body.
fn impatient(request_deadline: Duration) -> Server {
    let mut setup = Setup::default();
    setup.settings.limits.head_deadline = Duration::from_secs(4);
    setup.settings.limits.body_deadline = Duration::from_millis(200);
    setup.settings.limits.request_deadline = request_deadline;
    setup.start()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_body_has_exactly_16_kib() {
    let server = Server::start();
    let create = request("POST /api/api-keys").header(ALICE);
    let body = |size: usize| format!(r#"{{"label":"a"{}}}"#, " ".repeat(size - 13));
    assert_eq!(body(16_384).len(), 16_384);
    assert_eq!(create.clone().json(&body(16_384)).send(&server).await.verdict(), "200");
    assert_eq!(create.json(&body(16_385)).send(&server).await.verdict(), "413 payload_too_large");

    for (size, verdict) in [(16_384, "200"), (16_385, "413 payload_too_large")] {
        let head = "POST /api/api-keys HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\
                    authorization: Bearer alice.id.token\r\ncontent-type: application/json\r\n\r\n";
        let chunked = format!("{head}{size:x}\r\n{}\r\n0\r\n\r\n", body(size));
        assert_eq!(Response::parse(&server.send(chunked.as_bytes()).await).verdict(), verdict);
    }
}

/// The declared length is enough to refuse the body, which the server does not read.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_announced_too_large_is_not_waited_for() {
    let server = Server::start();
    let head = "POST /api/api-keys HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999\r\ncontent-type: application/json\r\n\
                authorization: Bearer alice.id.token\r\n\r\n";
    let mut connection = server.begin(head).await;
    let answer = read_until(&mut connection, "}").await;
    assert_eq!(Response::parse(&answer).verdict(), "413 payload_too_large");
    assert_eq!(Response::parse(&answer).header("connection"), Some("close"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_arrive_is_a_408() {
    let (server, mut transcript) = (impatient(PATIENT), Transcript::default());
    let unfinished =
        |request: Request| request.header(("content-length", "100")).header(("content-type", "application/json"));
    transcript.send(&server, unfinished(request("POST /api/api-keys").header(ALICE))).await;
    transcript.send(&server, unfinished(request("POST /api/api-keys"))).await;
    assert_snapshot!(transcript.text());
}

/// The deadlines are 200 ms for a body and 400 ms for an answer. Two MiB may take eight seconds more.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_body_has_time_to_arrive() {
    let server = impatient(SHORT);
    let body = format!(r#"{{"events":[]}}{}"#, " ".repeat(2 * 1024 * 1024));
    let head = format!(
        "POST /api/operator/events/batch HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\
         authorization: Bearer operator-secret\r\ncontent-type: application/json\r\n\r\n",
        body.len()
    );
    let mut connection = server.begin(&head).await;
    let (first, rest) = body.split_at(body.len() / 2);
    connection.write_all(first.as_bytes()).await.unwrap();
    tokio::time::sleep(6 * SHORT).await;
    connection.write_all(rest.as_bytes()).await.unwrap();
    let answer = read_until(&mut connection, "}").await;
    assert_eq!(Response::parse(&answer).verdict(), "400 invalid_field", "it was read");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_hangs_is_a_503() {
    let (server, mut transcript) = (impatient(SHORT), Transcript::default());
    transcript.send(&server, request("GET /test/slow")).await;
    assert_snapshot!(transcript.text());
}

/// These errors come from below every middleware: the framework sets the status and closes the connection.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_http_is_answered_and_closed() {
    let server = impatient(PATIENT);
    let large_head = format!("GET /livez HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "a".repeat(200_000));
    let cases: [(&[u8], u16); 6] = [
        (b"nonsense\r\n\r\n", 400),
        (b"GET /livez HTTP/9.9\r\n\r\n", 400),
        (b"GET /livez HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n", 400),
        (b"GET /livez HTTP/1.1\r\nhost: a\r\nbad header\r\n\r\n", 400),
        (b"GET /livez HTTP/1.1\r\nhost: a\r\nx: unfin", 408),
        (large_head.as_bytes(), 431),
    ];
    for (request, status) in cases {
        let answer = Response::parse(&server.send(request).await);
        assert_eq!(answer.status, status, "{:?}", String::from_utf8_lossy(&request[..20.min(request.len())]));
    }
    assert_eq!(request("GET /livez").send(&server).await.status, 200);
}

/// A head that trickles in is cut off, also on a connection that worked before.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_head_does_not_hold_a_connection() {
    let server = impatient(PATIENT);
    let mut connection = server.begin("GET /livez HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert!(read_until(&mut connection, "}").await.starts_with("HTTP/1.1 200"));
    connection.write_all(b"GET /livez HTTP/1.1\r\nhost: a\r\nx: unfin").await.unwrap();
    read_to_end(&mut connection).await;
}
