//! Builds requests for tests, and formats exchanges for snapshots.

use std::fmt::Write;

use serde_json::Value;
use tokio::time::Instant;

use crate::server::Server;

pub(crate) const ALICE: (&str, &str) = ("authorization", "Bearer alice.id.token");
pub(crate) const BOB: (&str, &str) = ("authorization", "Bearer bob.id.token");
/// An administrator of acme.
pub(crate) const AMY: (&str, &str) = ("x-id-token", "amy.id.token");
pub(crate) const OPERATOR: (&str, &str) = ("authorization", "Bearer operator-secret");

/// A request.
#[derive(Clone, Default)]
pub(crate) struct Request {
    line: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
}

/// A request without headers and body: `GET /livez`.
pub(crate) fn request(line: &str) -> Request {
    Request { line: line.to_owned(), ..Request::default() }
}

/// A call of the operator API with the token of the operator: `GET users/alice`.
pub(crate) fn by_host(line: &str) -> Request {
    let (method, path) = line.split_once(' ').unwrap();
    request(&format!("{method} /api/operator/{path}")).header(OPERATOR)
}

/// The answer to a call that succeeds; null if it is empty.
pub(crate) async fn sent(server: &Server, call: Request) -> Value {
    let answer = call.send(server).await;
    assert!(answer.status < 300, "{answer:?}");
    if answer.body.is_empty() { Value::Null } else { answer.json() }
}

impl Request {
    pub(crate) fn header(mut self, (name, value): (&str, &str)) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn json(self, body: &str) -> Self {
        self.header(("content-type", "application/json")).body(body)
    }

    pub(crate) fn body(mut self, body: &str) -> Self {
        self.body = Some(body.to_owned());
        self
    }

    pub(crate) async fn send(&self, server: &Server) -> Response {
        Response::parse(&server.send(self.to_http().as_bytes()).await)
    }

    pub(crate) fn to_http(&self) -> String {
        let mut text = format!("{} HTTP/1.1\r\nhost: gatepost.example\r\nconnection: close\r\n", self.line);
        for (name, value) in &self.headers {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        match &self.body {
            None => text + "\r\n",
            Some(body) => text + &format!("content-length: {}\r\n\r\n{body}", body.len()),
        }
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        let mut headers: Vec<_> = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        headers.sort();
        Self { status, headers, body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body, which is JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{}", self.body))
    }

    /// The value of the first string field with this name, anywhere in the body.
    pub(crate) fn field(&self, name: &str) -> &str {
        let (_, rest) = self.body.split_once(&format!("\"{name}\":\"")).unwrap_or_else(|| panic!("{}", self.body));
        rest.split('"').next().unwrap()
    }

    /// The client waits `seconds` from `since`, when the first call was counted.
    pub(crate) fn assert_retry_after(&self, seconds: u64, since: Instant) {
        let wait: u64 = self.header("retry-after").unwrap().parse().unwrap();
        let shortest = seconds.saturating_sub(since.elapsed().as_secs());
        assert!((shortest..=seconds).contains(&wait), "{wait}, of {shortest} to {seconds}");
    }

    /// The whole answer, without the date.
    pub(crate) fn without_date(&self) -> String {
        let headers: Vec<_> = self.headers.iter().filter(|(name, _)| name != "date").collect();
        format!("{} {headers:?} {}", self.status, self.body)
    }

    /// Status and code, as in `400 invalid_json`.
    pub(crate) fn verdict(&self) -> String {
        if self.status < 400 { self.status.to_string() } else { format!("{} {}", self.status, self.field("code")) }
    }
}

/// Exchanges in order, without their dates.
#[derive(Default)]
pub(crate) struct Transcript(String);

impl Transcript {
    pub(crate) async fn send(&mut self, server: &Server, request: Request) -> Response {
        let response = request.send(server).await;
        let _ = writeln!(self.0, "> {}", request.line);
        for (name, value) in &request.headers {
            let _ = writeln!(self.0, "> {name}: {value}");
        }
        if let Some(body) = &request.body {
            let _ = writeln!(self.0, "> {body}");
        }
        let _ = writeln!(self.0, "{}", response.status);
        for (name, value) in response.headers.iter().filter(|(name, _)| name != "date") {
            let _ = writeln!(self.0, "{name}: {value}");
        }
        let _ = writeln!(self.0, "{}\n", response.body);
        response
    }

    /// Sends the requests one after another.
    pub(crate) async fn send_each(&mut self, server: &Server, requests: impl IntoIterator<Item = Request>) {
        for request in requests {
            self.send(server, request).await;
        }
    }

    pub(crate) fn text(&self) -> &str {
        self.0.trim_end()
    }
}
