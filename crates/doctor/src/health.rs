use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long an instance may take to answer. Its readiness checks take three seconds at most.
const PATIENCE: Duration = Duration::from_secs(5);
/// The start of an answer of HTTP/1.1 up to its status.
const STATUS_LINE_START: &str = "HTTP/1.1 ";
/// The most bytes of an answer that are read.
const ANSWER_BYTES_MAX: u64 = 16 * 1024;

/// Why an instance is not healthy.
#[derive(Debug, thiserror::Error)]
pub enum Unhealthy {
    /// It cannot be reached, or does not answer in HTTP.
    #[error("no answer from {address}")]
    NoAnswer {
        /// Where it should listen.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// It answers, but is not ready.
    #[error("{address} answers {status}: {body}")]
    NotReady {
        /// Where it listens.
        address: SocketAddr,
        /// The status of the answer.
        status: u16,
        /// What it says.
        body: String,
    },
}

/// Succeeds if the instance at `address` is ready.
///
/// # Errors
///
/// See [`Unhealthy`].
pub async fn health(address: SocketAddr) -> Result<(), Unhealthy> {
    match get(address, "/readyz").await {
        Ok((200, _)) => Ok(()),
        Ok((status, body)) => Err(Unhealthy::NotReady { address, status, body }),
        Err(source) => Err(Unhealthy::NoAnswer { address, source }),
    }
}

/// The status and the body of the answer. The service speaks plain HTTP, and this program needs no client for one line.
pub(crate) async fn get(address: SocketAddr, path: &str) -> io::Result<(u16, String)> {
    let answer = timeout(PATIENCE, exchange(address, path)).await.map_err(|_| io::ErrorKind::TimedOut)??;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.strip_prefix(STATUS_LINE_START).and_then(|rest| rest.get(..3)?.parse().ok());
    let status = status.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP"))?;
    Ok((status, body.to_owned()))
}

async fn exchange(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
