use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::tls;

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
        /// The body of the answer.
        body: String,
    },
}

/// Succeeds if the instance at `address` is ready. `over_tls` says how it speaks.
///
/// # Errors
///
/// See [`Unhealthy`].
pub async fn health(address: SocketAddr, over_tls: bool) -> Result<(), Unhealthy> {
    match get(address, over_tls, "/readyz").await {
        Ok((200, _)) => Ok(()),
        Ok((status, body)) => Err(Unhealthy::NotReady { address, status, body }),
        Err(source) => Err(Unhealthy::NoAnswer { address, source }),
    }
}

/// The status and the body of the answer. One line of HTTP/1.1 needs no client.
pub(crate) async fn get(address: SocketAddr, over_tls: bool, path: &str) -> io::Result<(u16, String)> {
    let answer = timeout(PATIENCE, ask(address, over_tls, path)).await.map_err(|_| io::ErrorKind::TimedOut)??;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.strip_prefix(STATUS_LINE_START).and_then(|rest| rest.get(..3)?.parse().ok());
    let status = status.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP"))?;
    Ok((status, body.to_owned()))
}

async fn ask(address: SocketAddr, over_tls: bool, path: &str) -> io::Result<String> {
    let stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    if over_tls {
        exchange(tls::connect(stream, address).await?, &request).await
    } else {
        exchange(stream, &request).await
    }
}

async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin, request: &str) -> io::Result<String> {
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
