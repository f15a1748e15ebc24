//! Connections that take places without any benefit.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::ensure;
use gatepost_client::FullKey;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

use crate::gatepost::Gatepost;
use crate::say;

const IDLE: usize = 8_500;
const NEVER_READ: usize = 1_500;
/// Requests for the largest document, sent at once.
const PIPELINED: usize = 8;
/// Floods the instance for this long, while `/livez` and a call with a good key must be answered. Says how long the slowest
/// answers took, and the memory of the instance.
pub(crate) async fn flood(instance: &Gatepost, good_key: &FullKey, lasting: Duration) -> anyhow::Result<Instant> {
    let address = instance.address();
    let mut probes = Probes::new(address, good_key);
    let request = b"GET /openapi.json HTTP/1.1\r\nhost: faults\r\n\r\n".repeat(PIPELINED);
    let mut held = Vec::with_capacity(IDLE + NEVER_READ);
    let start = Instant::now();
    for number in 0..IDLE + NEVER_READ {
        if let Ok(mut connection) = TcpStream::connect(address).await {
            if number < NEVER_READ {
                let _ = timeout(Duration::from_millis(100), connection.write_all(&request)).await;
            }
            held.push(connection);
        }
        if number % 100 == 0 {
            probes.ask().await?;
        }
    }
    while start.elapsed() < lasting {
        probes.ask().await?;
        sleep(Duration::from_millis(50)).await;
    }
    say(&format!("{} connections; {probes}; at most {} MiB resident", held.len(), instance.resident_max()?));
    Ok(Instant::now())
}

/// The requests that the flood must not delay, and how long the slowest answers took.
struct Probes {
    address: SocketAddr,
    keyed: String,
    slowest_livez: Duration,
    slowest_keyed: Duration,
}

impl Probes {
    fn new(address: SocketAddr, good_key: &FullKey) -> Self {
        let keyed = format!("GET /forward-auth HTTP/1.1\r\nauthorization: Bearer {}\r\n", good_key.expose());
        Self { address, keyed, slowest_livez: Duration::ZERO, slowest_keyed: Duration::ZERO }
    }

    async fn ask(&mut self) -> anyhow::Result<()> {
        let livez = answered(self.address, "GET /livez HTTP/1.1\r\n").await?;
        let keyed = answered(self.address, &self.keyed).await?;
        self.slowest_livez = self.slowest_livez.max(livez);
        self.slowest_keyed = self.slowest_keyed.max(keyed);
        Ok(())
    }
}

impl fmt::Display for Probes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (livez, keyed) = (self.slowest_livez.as_millis(), self.slowest_keyed.as_millis());
        write!(formatter, "the slowest /livez took {livez} ms, the slowest call with a key {keyed} ms")
    }
}

/// Sends the request over a new connection, and returns how long its answer took, which must be 200.
async fn answered(address: SocketAddr, request: &str) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let mut connection = TcpStream::connect(address).await?;
    connection.write_all(format!("{request}host: faults\r\nconnection: close\r\n\r\n").as_bytes()).await?;
    let mut answer = Vec::new();
    timeout(Duration::from_secs(30), connection.read_to_end(&mut answer)).await??;
    ensure!(answer.starts_with(b"HTTP/1.1 200"), "answered {:?}", String::from_utf8_lossy(&answer));
    Ok(start.elapsed())
}
