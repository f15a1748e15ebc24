//! The receiver of the webhooks: answers 200 and notes which events arrived.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::ledger::Ledger;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/// Listens until this program ends, and returns the address.
pub(crate) async fn receive(ledger: Arc<Ledger>) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { serve(stream, &ledger).await });
        }
    });
    Ok(address)
}

async fn serve(mut stream: TcpStream, ledger: &Ledger) -> std::io::Result<()> {
    let mut buffer = Vec::with_capacity(16 * 1024);
    while stream.read_buf(&mut buffer).await? > 0 {
        while let Some((id, length)) = request_in(&buffer) {
            ledger.arrived(id);
            stream.write_all(ANSWER).await?;
            buffer.drain(..length);
        }
    }
    Ok(())
}

/// The event's id in the first complete request of the buffer, and the length of the request.
fn request_in(buffer: &[u8]) -> Option<(String, usize)> {
    let end = buffer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&buffer[..end]).ok()?;
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let whole = end + 4 + header("content-length:")?.parse::<usize>().ok()?;
    (buffer.len() >= whole).then(|| (header("webhook-id:").unwrap_or_default().to_owned(), whole))
}
