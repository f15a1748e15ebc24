//! Each request has one log line, and no line contains a secret.

use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use adapters_http::{OperatorScope, OperatorToken};
use domain::ports::StoreError;
use tracing_subscriber::fmt::MakeWriter;

use crate::doubles::FailingStore;
use crate::server::{Server, Setup};
use crate::transcript::{ALICE, request};

#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl Lines {
    /// All lines of this process, from the first call on: workers are other threads, so the subscriber is global.
    pub(crate) fn capture() -> &'static Self {
        static LINES: OnceLock<Lines> = OnceLock::new();
        LINES.get_or_init(|| {
            let lines = Self::default();
            let subscriber = tracing_subscriber::fmt().json().with_max_level(tracing::Level::TRACE);
            tracing::subscriber::set_global_default(subscriber.with_writer(lines.clone()).finish()).unwrap();
            lines
        })
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The lines that name this request.
    pub(crate) fn of(&self, request_id: &str) -> Vec<String> {
        self.text()
            .lines()
            .filter(|line| line.contains(&format!(r#""request_id":"{request_id}""#)))
            .map(str::to_owned)
            .collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_one_line_with_its_template_and_its_caller() {
    let (lines, server) = (Lines::capture(), Server::start());
    let created = request("POST /api/api-keys").header(ALICE).json(r#"{"label":"CI"}"#).send(&server).await;
    let who = request("GET /api/whoami?secret=query").header(("x-api-key", created.field("key")));
    who.header(("x-request-id", "a-1")).send(&server).await;
    request("GET /docs/errors/secret-path").header(("x-request-id", "a-2")).send(&server).await;
    request("GET /secret-path").header(("x-request-id", "a-3")).send(&server).await;

    let [line] = &*lines.of("a-1") else { panic!("{}", lines.text()) };
    let key_id = created.field("keyId");
    for part in [
        r#""level":"INFO""#,
        r#""method":"GET""#,
        r#""route":"/api/whoami""#,
        r#""status":200"#,
        r#""user_id":"alice""#,
        &format!(r#""key_id":"{key_id}""#),
        r#""peer":"127.0.0.1""#,
        r#""duration_ms":"#,
        // Operators filter by it: `LOG=info,adapters_http::access_log=warn`.
        r#""target":"adapters_http::access_log""#,
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(lines.of("a-2")[0].contains(r#""route":"/docs/errors/{code}""#), "{:?}", lines.of("a-2"));
    assert!(!lines.of("a-3")[0].contains("route"), "{:?}", lines.of("a-3"));
    for secret in [created.field("key"), "alice.id.token", "secret-path", "secret=query"] {
        assert!(!lines.text().contains(secret), "{secret}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reason_of_a_failure_is_in_the_log_once() {
    let lines = Lines::capture();
    let store = FailingStore::keys(|| StoreError::Unavailable("pool".into()));
    let server = Setup { store, ..Setup::default() }.start();
    request("GET /api/api-keys").header(ALICE).header(("x-request-id", "fa11-1")).send(&server).await;
    request("GET /test/panic").header(("x-request-id", "fa11-2")).send(&server).await;
    let refused = request("GET /api/api-keys").header(("x-id-token", "wrong"));
    refused.header(("x-request-id", "fa11-3")).send(&server).await;

    let [line] = &*lines.of("fa11-1") else { panic!("{}", lines.text()) };
    for part in [r#""level":"WARN""#, r#""error":"the store is unavailable: pool""#] {
        assert!(line.contains(part), "{line}");
    }
    let [line] = &*lines.of("fa11-2") else { panic!("{}", lines.text()) };
    assert!(line.contains(r#""level":"ERROR""#) && line.contains("a handler panicked: on purpose"), "{line}");
    let [line] = &*lines.of("fa11-3") else { panic!("{}", lines.text()) };
    assert!(line.contains(r#""refused":"unknown signer""#), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_whose_client_left_is_in_the_log_too() {
    let (lines, server) = (Lines::capture(), Server::start());
    let connection = server.begin("GET /test/slow HTTP/1.1\r\nhost: a\r\nx-request-id: 1ef7-1\r\n\r\n").await;
    server.slow_reached.notified().await;
    // A reset, not an end: a client may close its half and still wait for the answer.
    connection.set_zero_linger().unwrap();
    drop(connection);
    while lines.of("1ef7-1").is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(lines.of("1ef7-1")[0].contains(r#""status":499"#), "{:?}", lines.of("1ef7-1"));
}

/// Also of a refused call, so that the log names the token that lacks a scope. Never the token.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_the_operator_names_its_token() {
    let operator_tokens = vec![OperatorToken::new("help-desk", vec![OperatorScope::Support], "swordfish-of-the-desk")];
    let (lines, server) = (Lines::capture(), Setup { operator_tokens, ..Setup::default() }.start());
    for (id, line) in [("b-1", "GET /api/operator/users/alice/keys"), ("b-2", "POST /api/operator/events")] {
        let call = request(line).header(("authorization", "Bearer swordfish-of-the-desk"));
        call.header(("x-request-id", id)).send(&server).await;
        let [line] = &*lines.of(id) else { panic!("{}", lines.text()) };
        assert!(line.contains(r#""operator":"help-desk""#), "{line}");
    }
    assert!(!lines.text().contains("swordfish-of-the-desk"));
}
