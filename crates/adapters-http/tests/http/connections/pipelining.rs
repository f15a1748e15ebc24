//! Several requests on one connection, sent before the first is answered.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use crate::server::{Server, read_to_end, read_until};

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: a\r\n{headers}\r\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_is_answered_in_order() {
    let server = Server::start();
    let introspect = "POST /api/operator/introspect HTTP/1.1\r\nhost: a\r\nauthorization: Bearer operator-secret\r\n\
                      content-type: application/json\r\ncontent-length: 13\r\n\r\n{\"token\":\"a\"}";
    let requests =
        [get("/livez", ""), introspect.to_owned(), get("/test/page", ""), get("/livez", "connection: close\r\n")];
    let mut connection = server.begin(&requests.concat()).await;
    let answers = read_to_end(&mut connection).await;
    let bodies = ["\"status\":\"ok\"", "\"active\":false", "<p>", "\"status\":\"ok\""];
    let mut rest = answers.as_str();
    for body in bodies {
        rest = rest.split_once(body).unwrap_or_else(|| panic!("{body} is missing: {answers}")).1;
    }
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 4, "{answers}");
}

/// RFC 9112, section 9.6: a server must not process requests after one with `Connection: close`.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_answered_after_connection_close() {
    let server = Server::start();
    let requests = [get("/test/slow", "connection: close\r\n"), get("/livez", ""), get("/livez", "")].concat();
    let mut connection = server.begin(&requests).await;
    server.slow_reached.notified().await;
    server.slow_release.notify_one();
    let answers = read_to_end(&mut connection).await;
    assert_eq!(answers.matches("HTTP/1.1 ").count(), 1, "{answers}");
    assert!(answers.contains("connection: close") && answers.ends_with("slow"), "{answers}");
}

/// The framework keeps the method of the request that it decoded last.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_has_its_body_when_a_head_follows() {
    let server = Server::start();
    let head = "HEAD /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let mut connection = server.begin(&(get("/test/slow", "") + head)).await;
    server.slow_reached.notified().await;
    server.slow_release.notify_one();
    let answers = read_to_end(&mut connection).await;
    assert!(answers.contains("\r\n\r\nslowHTTP/1.1 405"), "{answers}");
}

/// A client may close its sending side and still read the answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_has_sent_everything_is_answered() {
    let server = Server::start();
    let mut connection = server.begin(&(get("/test/slow", "") + &get("/livez", ""))).await;
    connection.shutdown().await.unwrap();
    server.slow_reached.notified().await;
    server.slow_release.notify_one();
    let answers = read_to_end(&mut connection).await;
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2, "{answers}");
}

/// A client may wait for 100 Continue before it sends the body.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_may_wait_for_continue() {
    let server = Server::start();
    let head = "POST /api/operator/introspect HTTP/1.1\r\nhost: a\r\nauthorization: Bearer operator-secret\r\n\
                content-type: application/json\r\ncontent-length: 13\r\nexpect: 100-continue\r\n\r\n";
    let mut connection = server.begin(head).await;
    assert_eq!(read_until(&mut connection, "\r\n\r\n").await, "HTTP/1.1 100 Continue\r\n\r\n");
    connection.write_all(b"{\"token\":\"a\"}").await.unwrap();
    assert!(read_until(&mut connection, "}").await.starts_with("HTTP/1.1 200 OK"));
    connection.write_all(get("/livez", "connection: close\r\n").as_bytes()).await.unwrap();
    assert!(read_to_end(&mut connection).await.contains("200 OK"));
}

/// Bytes of a chunked body that are not data.
#[tokio::test(flavor = "multi_thread")]
async fn chunk_extensions_are_bounded() {
    let server = Server::start();
    let head = "POST /test/form HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\
                content-type: application/x-www-form-urlencoded\r\n\r\n3;";
    let mut connection = server.begin(head).await;
    let send_forever = async { while connection.write_all(&[b'x'; 16 * 1024]).await.is_ok() {} };
    timeout(Duration::from_secs(10), send_forever).await.expect("the server closes the connection");
}

/// A large unread answer must not stay in memory as a whole, and must arrive complete.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_is_complete() {
    let server = Server::start();
    let mut connection = server.begin(&get("/openapi.json", "")).await;
    let answer = read_until(&mut connection, "\r\n\r\n").await;
    let length: usize = answer.split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    connection.write_all(get("/livez", "connection: close\r\n").as_bytes()).await.unwrap();
    let rest = read_to_end(&mut connection).await;
    assert_eq!(rest[..length], adapters_http::openapi_json());
    assert!(rest[length..].starts_with("HTTP/1.1 200 OK"));
}
