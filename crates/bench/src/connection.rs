//! A lean HTTP/1.1 client: one kept connection, no parsing beyond status and length.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::ops::Range;

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::with_capacity(64 * 1024) })
    }

    /// Sends the request and returns the status and the body, which is valid until the next call.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<(u16, &[u8])> {
        self.stream.write_all(request).await?;
        self.received.clear();
        loop {
            ensure!(self.stream.read_buf(&mut self.received).await? > 0, "the connection was closed");
            let Some((head, body)) = message_in(&self.received)? else { continue };
            let status = head.get(9..12).context("no status")?.parse()?;
            return Ok((status, &self.received[body]));
        }
    }

    /// As [`Self::exchange`], but fails unless the status is 200.
    pub(crate) async fn succeed(&mut self, request: &[u8]) -> anyhow::Result<&[u8]> {
        let (status, body) = self.exchange(request).await?;
        ensure!(status == 200, "{status}: {}", String::from_utf8_lossy(body));
        Ok(body)
    }

    /// The whole answer to the last request, head and body.
    pub(crate) fn last_answer(&self) -> &[u8] {
        &self.received
    }
}

/// The head of the first message in the buffer, and the place of its body, once the message is complete.
pub(crate) fn message_in(buffer: &[u8]) -> anyhow::Result<Option<(&str, Range<usize>)>> {
    let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&buffer[..end]).context("the head is not UTF-8")?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).context("no content-length")?;
    let body = end + 4..end + 4 + length.parse::<usize>()?;
    Ok((buffer.len() >= body.end).then_some((head, body)))
}

/// A call of key management.
pub(crate) fn request(method: &str, token: &str, body: &str) -> Vec<u8> {
    request_to("/api/api-keys", method, token, body)
}

/// A call of a user.
pub(crate) fn request_to(path: &str, method: &str, token: &str, body: &str) -> Vec<u8> {
    let mut request = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n");
    if !body.is_empty() {
        let _ = write!(request, "content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    }
    request.push_str("\r\n");
    request.push_str(body);
    request.into_bytes()
}
