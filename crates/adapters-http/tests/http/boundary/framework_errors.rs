//! Errors that do not come from an endpoint: errors of the framework, errors of other adapters' routes, and panics.

use std::fmt::Write;

use insta::assert_snapshot;
use tokio::io::AsyncWriteExt;

use crate::server::{Server, read_until};
use crate::transcript::{Transcript, request};

#[tokio::test(flavor = "multi_thread")]
async fn another_method_is_405_and_says_which_are_allowed() {
    let (server, mut table) = (Server::start(), String::new());
    let paths = [
        "/api/api-keys",
        "/api/whoami",
        "/livez",
        "/readyz",
        "/healthz",
        "/openapi.json",
        "/docs",
        "/docs/errors",
        "/docs/errors/not_found",
        "/docs/index.css",
    ];
    for path in paths {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"] {
            let answer = request(&format!("{method} {path}")).send(&server).await;
            let verdict = if answer.body.is_empty() { answer.status.to_string() } else { answer.verdict() };
            let _ =
                writeln!(table, "{path:22} | {method:7} | {:10} | {verdict}", answer.header("allow").unwrap_or("-"));
        }
    }
    assert_snapshot!(table);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_without_a_body_become_problems_and_others_stay() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    let lines = [
        "GET /",
        "GET /api",
        "GET /api/nothing",
        "GET /api/api-keys/",
        "GET //api/api-keys",
        "GET /docs/",
        "PUT /api/api-keys",
        "HEAD /api/api-keys",
        "GET /test/own-error",
        "GET /test/empty-error",
        "GET /test/framework-error",
        "GET /test/page",
        "POST /test/form",
    ];
    transcript.send_each(&server, lines.map(request)).await;
    assert_snapshot!(transcript.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_is_a_500_and_the_server_goes_on() {
    let (server, mut transcript) = (Server::start(), Transcript::default());
    transcript.send(&server, request("GET /test/panic").header(("x-request-id", "dead-1"))).await;
    transcript.send(&server, request("GET /livez")).await;
    assert_snapshot!(transcript.text());

    // The connection still works after the panic.
    let mut connection = server.begin("GET /test/panic HTTP/1.1\r\nhost: a\r\n\r\n").await;
    read_until(&mut connection, "}").await;
    connection.write_all(b"GET /livez HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    assert!(read_until(&mut connection, "}").await.starts_with("HTTP/1.1 200 OK"));
}
