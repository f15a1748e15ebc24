use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::waiting::DEADLINE;

/// A request that is sent exactly as written.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self { method: method.into(), path: path.into(), headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.text("application/json", &body.to_string())
    }

    pub(crate) fn text(mut self, media_type: &str, body: &str) -> Self {
        self.body = body.into();
        self.header("content-type", media_type)
    }

    /// The bytes of the request, with `Content-Length` added, and `Host` if it is missing.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let has_host = self.headers.iter().any(|(name, _)| name == "host");
        let host = if has_host { "" } else { "host: gatepost.test\r\n" };
        let mut head = format!("{} {} HTTP/1.1\r\n{host}", self.method, self.path);
        for (name, value) in &self.headers {
            write!(head, "{name}: {value}\r\n").expect("a String takes everything");
        }
        if !self.body.is_empty() || self.method == "POST" {
            write!(head, "content-length: {}\r\n", self.body.len()).expect("a String takes everything");
        }
        [head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

/// A complete answer.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names in lower case, in the order in which they came.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// One kept connection that sends one request after the other.
pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::new() })
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    pub(crate) fn local_address(&self) -> io::Result<SocketAddr> {
        self.stream.local_addr()
    }

    /// Closes the connection at once, as a process that ends with unread data does.
    pub(crate) fn reset(self) -> io::Result<()> {
        self.stream.set_zero_linger()
    }

    /// Closes the sending side.
    pub(crate) async fn finish(&mut self) -> io::Result<()> {
        self.stream.shutdown().await
    }

    pub(crate) async fn exchange(&mut self, request: &Request) -> io::Result<Response> {
        self.send(&request.bytes()).await?;
        self.receive(&request.method).await
    }

    /// The next answer. The error is `UnexpectedEof` when the connection was closed before the first byte,
    /// `InvalidData` when the answer is not HTTP or was cut short, `TimedOut` after [`DEADLINE`].
    pub(crate) async fn receive(&mut self, method: &str) -> io::Result<Response> {
        timeout(DEADLINE, self.receive_at_leisure(method)).await.map_err(|_| ErrorKind::TimedOut)?
    }

    async fn receive_at_leisure(&mut self, method: &str) -> io::Result<Response> {
        let head = self.receive_head().await?;
        let mut lines = head.split("\r\n");
        let status_line = lines.next().unwrap_or_default();
        let status = status_line.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)?.parse().ok());
        let status: u16 = status.ok_or_else(|| broken(&format!("status line {status_line:?}")))?;
        let mut response = Response { status, headers: headers(lines), body: Vec::new() };
        if status == 100 {
            return Box::pin(self.receive_at_leisure(method)).await;
        }
        if method != "HEAD" && status != 204 && status != 304 {
            response.body = self.receive_body(&response).await?;
        }
        Ok(response)
    }

    async fn receive_head(&mut self) -> io::Result<String> {
        loop {
            if let Some(end) = self.received.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = self.take(end + 4);
                return Ok(String::from_utf8_lossy(&head[..end]).into_owned());
            }
            let nothing_yet = self.received.is_empty();
            self.receive_more().await.map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof if !nothing_yet => broken("the head was cut short"),
                _ => error,
            })?;
        }
    }

    async fn receive_body(&mut self, response: &Response) -> io::Result<Vec<u8>> {
        if response.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            return self.receive_chunks().await;
        }
        match response.header("content-length") {
            Some(length) => self.receive_exactly(length.parse().map_err(|_| broken("content-length"))?).await,
            None => self.receive_to_the_end().await,
        }
    }

    async fn receive_chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            while !self.received.windows(2).any(|two| two == b"\r\n") {
                self.receive_more().await?;
            }
            let end = self.received.windows(2).position(|two| two == b"\r\n").expect("was just found");
            let line = self.take(end + 2);
            let size = String::from_utf8_lossy(&line[..end]).into_owned();
            let size = usize::from_str_radix(size.trim(), 16).map_err(|_| broken("chunk size"))?;
            body.extend(self.receive_exactly(size + 2).await?.drain(..size));
            if size == 0 {
                return Ok(body);
            }
        }
    }

    async fn receive_exactly(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.received.len() < length {
            self.receive_more().await.map_err(|_| broken("the body was cut short"))?;
        }
        Ok(self.take(length))
    }

    async fn receive_to_the_end(&mut self) -> io::Result<Vec<u8>> {
        while self.receive_more().await.is_ok() {}
        Ok(std::mem::take(&mut self.received))
    }

    async fn receive_more(&mut self) -> io::Result<()> {
        if self.stream.read_buf(&mut self.received).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        let rest = self.received.split_off(length);
        std::mem::replace(&mut self.received, rest)
    }
}

/// The headers of these lines, with names in lower case.
pub(crate) fn headers<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<(String, String)> {
    let headers = lines.filter_map(|line| line.split_once(':'));
    headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect()
}

fn broken(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
