//! The receiver of the webhooks: answers 200 and notes which events arrived.

use std::net::SocketAddr;
use std::sync::Arc;

use gatepost_client::NewSubscription;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::ledger::Ledger;
use crate::load::User;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/// Listens until this program ends, and returns the address.
async fn receive(ledger: Arc<Ledger>) -> anyhow::Result<SocketAddr> {
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

/// Subscribes a new receiver to all events of these users. The first one has an order.
pub(crate) async fn subscribe(users: &[User], ledger: &Arc<Ledger>) -> anyhow::Result<()> {
    let receiver = receive(Arc::clone(ledger)).await?;
    for (index, user) in users.iter().enumerate() {
        let usual = NewSubscription::new(format!("http://{receiver}/"), ["*"]);
        let subscription = if index == 0 { usual.in_order("skip") } else { usual };
        user.clients[0].create_subscription(&subscription).await?;
    }
    Ok(())
}

async fn serve(mut stream: TcpStream, ledger: &Ledger) -> std::io::Result<()> {
    let mut buffer = Vec::with_capacity(16 * 1024);
    while stream.read_buf(&mut buffer).await? > 0 {
        while let Some((Webhook { id, number }, length)) = request_in(&buffer) {
            if let Some(number) = number {
                ledger.arrived_in_order(number);
            }
            ledger.arrived(id);
            stream.write_all(ANSWER).await?;
            buffer.drain(..length);
        }
    }
    Ok(())
}

struct Webhook {
    /// The id of the event.
    id: String,
    /// The number in the order of the subscription, if it has an order.
    number: Option<u64>,
}

/// The first complete request of the buffer, and its length.
fn request_in(buffer: &[u8]) -> Option<(Webhook, usize)> {
    let end = buffer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&buffer[..end]).ok()?;
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let whole = end + 4 + header("content-length:")?.parse::<usize>().ok()?;
    let id = header("webhook-id:").unwrap_or_default().to_owned();
    let number = header("webhook-sequence:").and_then(|number| number.parse().ok());
    (buffer.len() >= whole).then_some((Webhook { id, number }, whole))
}
