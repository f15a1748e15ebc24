use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gatepost_client::protect::{KeyVerifier, KeyVerifierSettings};
use gatepost_client::{Client, OperatorToken};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

pub(crate) const OPERATOR_TOKEN: &str = "operator-token-of-the-suite";

/// The answer to introspection.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A valid key with these scopes.
    Good(&'static str),
    /// No key is valid.
    NotGood,
    /// An error with this status.
    Error(u16),
    /// A valid key over its rate limit, which may be used again after this many seconds.
    Limited(u64),
    /// A valid key with an expiry time that has passed on this machine's clock.
    Ended,
    /// The server closes the connection without an answer.
    HangUp,
    /// The given answer once, then a valid key without scopes.
    HangUpOnce,
}

/// A refused request: the answer of Gatepost, the path and the key, and the status, a header and the code of the refusal.
type Refused = (Answer, &'static str, Option<&'static str>, u16, (&'static str, &'static str), &'static str);

/// The requests that a middleware refuses, each with another key.
pub(crate) fn refused_requests() -> [Refused; 5] {
    let missing = ("www-authenticate", r#"Bearer realm="api""#);
    let invalid = ("www-authenticate", r#"Bearer realm="api", error="invalid_token""#);
    let narrow = r#"Bearer realm="api", error="insufficient_scope", scope="orders:read orders:write""#;
    let narrow = ("www-authenticate", narrow);
    [
        (Answer::Good("orders:read"), "/orders/new", Some("k"), 403, narrow, "insufficient_scope"),
        (Answer::NotGood, "/orders", None, 401, missing, "credential_missing"),
        (Answer::NotGood, "/orders", Some("revoked"), 401, invalid, "credential_invalid"),
        (Answer::Limited(7), "/orders", Some("busy"), 429, ("retry-after", "7"), "rate_limited"),
        (Answer::Error(500), "/orders", Some("unknown"), 503, ("retry-after", "1"), "unavailable"),
    ]
}

/// A server that answers introspection over HTTP/1.1 with kept connections, and counts the calls.
pub(crate) struct Gatepost {
    url: String,
    state: Arc<State>,
    _tasks: JoinSet<()>,
}

struct State {
    answer: Mutex<Answer>,
    calls: AtomicUsize,
    connections: AtomicUsize,
    is_held: watch::Sender<bool>,
}

impl State {
    fn next_answer(&self) -> Answer {
        let mut answer = self.answer.lock().unwrap();
        if matches!(*answer, Answer::HangUpOnce) {
            return std::mem::replace(&mut *answer, Answer::Good(""));
        }
        answer.clone()
    }
}

impl Gatepost {
    pub(crate) async fn answering(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (calls, connections) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let state =
            Arc::new(State { answer: Mutex::new(answer), calls, connections, is_held: watch::Sender::new(false) });
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, Arc::clone(&state)));
        Self { url, state, _tasks: tasks }
    }

    pub(crate) fn answers(&self, answer: Answer) {
        *self.state.answer.lock().unwrap() = answer;
    }

    /// The server reads calls, and answers them when they are released.
    pub(crate) fn hold(&self) {
        self.state.is_held.send_replace(true);
    }

    pub(crate) fn release(&self) {
        self.state.is_held.send_replace(false);
    }

    /// How many calls have arrived.
    pub(crate) fn calls(&self) -> usize {
        self.state.calls.load(Ordering::SeqCst)
    }

    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// Waits until this many calls have arrived.
    pub(crate) async fn called(&self, calls: usize) {
        while self.calls() < calls {
            tokio::task::yield_now().await;
        }
    }

    /// A verifier that calls this server.
    pub(crate) fn client(&self) -> Client {
        Client::new(&self.url).unwrap().with_credential(OperatorToken::new(OPERATOR_TOKEN))
    }

    pub(crate) fn keys(&self) -> KeyVerifier {
        self.keys_with(KeyVerifierSettings { call_timeout: Duration::from_secs(20), ..KeyVerifierSettings::default() })
    }

    pub(crate) fn keys_with(&self, settings: KeyVerifierSettings) -> KeyVerifier {
        KeyVerifier::with_settings(self.client(), settings)
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        state.connections.fetch_add(1, Ordering::SeqCst);
        let state = Arc::clone(&state);
        connections.spawn(async move {
            // The client may close the connection at any time.
            let _ = serve(stream, &state).await;
        });
    }
}

async fn serve(stream: TcpStream, state: &State) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(question) = read_question(&mut stream).await? {
        state.calls.fetch_add(1, Ordering::SeqCst);
        let _ = state.is_held.subscribe().wait_for(|is_held| !is_held).await;
        let (status, headers, body) = match state.next_answer() {
            Answer::Good(scopes) => (200, String::new(), active(&question, scopes, None)),
            Answer::Ended => (200, String::new(), active(&question, "", Some(2))),
            Answer::NotGood => (200, String::new(), json!({ "active": false })),
            Answer::Error(status) => (status, String::new(), json!({ "code": "unavailable" })),
            Answer::Limited(seconds) => (429, format!("retry-after: {seconds}\r\n"), json!({ "code": "rate_limited" })),
            Answer::HangUp | Answer::HangUpOnce => return Ok(()),
        };
        let (body, length) = (body.to_string(), body.to_string().len());
        let head =
            format!("HTTP/1.1 {status} -\r\ncontent-type: application/json\r\n{headers}content-length: {length}");
        stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await?;
    }
    Ok(())
}

/// Each key of a test belongs to another user, with a name that ends like the key.
fn active(question: &Value, scopes: &str, exp: Option<u64>) -> Value {
    let token = question["token"].as_str().unwrap();
    json!({
        "active": true, "sub": format!("user-of-{token}"), "iss": "https://id.example.com", "client_id": "key_1",
        "token_type": "api_key", "iat": 1, "exp": exp, "scope": scopes, "label": "CI",
    })
}

/// `None` if the client closed the connection between two calls. An unexpected request ends the connection.
async fn read_question(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Value>> {
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let start = head.len();
        if stream.read_line(&mut head).await? == 0 {
            return Ok(None);
        }
        let line = head[start..].to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let is_ours = head.starts_with("POST /api/operator/introspect HTTP/1.1\r\n")
        && head.contains(&format!("authorization: Bearer {OPERATOR_TOKEN}\r\n"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    if is_ours { serde_json::from_slice(&body).map(Some).map_err(io::Error::other) } else { Ok(None) }
}
