//! Connections that take places and give nothing back.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::ensure;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

use crate::report::say;

const IDLE: usize = 8_500;
const NEVER_READ: usize = 1_500;
/// Requests for the largest document, sent at once.
const PIPELINED: usize = 8;
const PROBE: &[u8] = b"GET /livez HTTP/1.1\r\nhost: faults\r\nconnection: close\r\n\r\n";

/// Floods the address for this long, while `/livez` must answer. Says how long the slowest answer took.
pub(crate) async fn flood(address: SocketAddr, lasting: Duration) -> anyhow::Result<Instant> {
    let request = b"GET /openapi.json HTTP/1.1\r\nhost: faults\r\n\r\n".repeat(PIPELINED);
    let mut held = Vec::with_capacity(IDLE + NEVER_READ);
    let mut slowest = Duration::ZERO;
    let start = Instant::now();
    for number in 0..IDLE + NEVER_READ {
        if let Ok(mut connection) = TcpStream::connect(address).await {
            if number < NEVER_READ {
                let _ = timeout(Duration::from_millis(100), connection.write_all(&request)).await;
            }
            held.push(connection);
        }
        if number % 100 == 0 {
            slowest = slowest.max(probe(address).await?);
        }
    }
    while start.elapsed() < lasting {
        slowest = slowest.max(probe(address).await?);
        sleep(Duration::from_millis(50)).await;
    }
    say(&format!("{} connections; the slowest /livez took {} ms", held.len(), slowest.as_millis()));
    Ok(Instant::now())
}

/// Asks `/livez` over a new connection, and returns how long the answer took.
async fn probe(address: SocketAddr) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let mut connection = TcpStream::connect(address).await?;
    connection.write_all(PROBE).await?;
    let mut answer = Vec::new();
    timeout(Duration::from_secs(30), connection.read_to_end(&mut answer)).await??;
    ensure!(answer.starts_with(b"HTTP/1.1 200"), "/livez answered {:?}", String::from_utf8_lossy(&answer));
    Ok(start.elapsed())
}
