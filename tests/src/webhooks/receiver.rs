use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::harness::{eventually, headers};

/// The reaction of a receiver to a webhook, after it has read the webhook.
#[derive(Clone, Debug)]
pub(crate) enum Behaviour {
    /// Writes these bytes, and keeps the connection.
    Answer(String),
    /// Writes these bytes after a while, and keeps the connection.
    AnswerAfter(Duration, String),
    /// Never answers.
    Hang,
    /// Writes these bytes, and then stops without closing.
    AnswerAndHang(String),
    /// Closes the connection with a reset.
    Reset,
    /// Writes the first bytes, and then the second bytes again and again, as fast as the other side reads.
    Endless(String, Vec<u8>),
    /// Writes these bytes one at a time, two bytes a second.
    Drip(String),
}

impl Behaviour {
    /// An answer with this status line, these further header lines, and this body.
    pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Self {
        Self::Answer(format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len()))
    }

    pub(crate) fn ok() -> Self {
        Self::answer("200 OK", "", "thanks")
    }
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// The request line and the headers, as they came.
    pub(crate) head: String,
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).expect("the header")
    }

    /// The value of a header that comes once, if at all.
    #[track_caller]
    pub(crate) fn only(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let value = values.next();
        assert!(values.next().is_none(), "duplicate header {name}: {}", self.head);
        value
    }

    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a webhook is JSON")
    }
}

/// A receiver of webhooks on this machine, over plain HTTP/1.1. Dropping the value stops it.
pub(crate) struct Receiver {
    address: SocketAddr,
    state: Arc<State>,
    _server: JoinSet<()>,
}

struct State {
    behaviour: Mutex<Behaviour>,
    received: Mutex<Vec<Received>>,
    connections: AtomicUsize,
}

impl Receiver {
    pub(crate) async fn start(behaviour: Behaviour) -> Self {
        Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0)), behaviour).await
    }

    /// Listens on this address; another receiver may have used it before.
    pub(crate) async fn start_at(address: SocketAddr, behaviour: Behaviour) -> Self {
        let listener = eventually("the address is free", async || TcpListener::bind(address).await.ok()).await;
        let address = listener.local_addr().unwrap();
        let (behaviour, received) = (Mutex::new(behaviour), Mutex::new(Vec::new()));
        let state = Arc::new(State { behaviour, received, connections: AtomicUsize::new(0) });
        let mut server = JoinSet::new();
        server.spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, _server: server }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        *self.state.behaviour.lock().unwrap() = behaviour;
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.received.lock().unwrap().clone()
    }

    pub(crate) fn forget(&self) {
        self.state.received.lock().unwrap().clear();
    }

    /// The number of connections that carried a request.
    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::Relaxed)
    }

    /// Waits for `count` webhooks, and returns the first `count`.
    pub(crate) async fn expect(&self, count: usize) -> Vec<Received> {
        eventually("the webhooks come", async || Some(self.received()).filter(|received| received.len() >= count)).await
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let state = Arc::clone(&state);
        connections.spawn(async move {
            // An error means that the other side has closed.
            let _ = serve(stream, &state).await;
        });
    }
}

async fn serve(mut stream: TcpStream, state: &State) -> std::io::Result<()> {
    let (mut buffer, mut is_new) = (Vec::new(), true);
    while let Some(received) = read_request(&mut stream, &mut buffer).await? {
        state.connections.fetch_add(usize::from(std::mem::take(&mut is_new)), Ordering::Relaxed);
        state.received.lock().unwrap().push(received);
        let behaviour = state.behaviour.lock().unwrap().clone();
        match behaviour {
            Behaviour::Answer(answer) => stream.write_all(answer.as_bytes()).await?,
            Behaviour::AnswerAfter(time, answer) => {
                sleep(time).await;
                stream.write_all(answer.as_bytes()).await?;
            }
            Behaviour::Reset => {
                stream.set_zero_linger()?;
                return Ok(());
            }
            // The others last until the other side closes.
            Behaviour::Hang => drop(stream.read(&mut [0]).await),
            Behaviour::AnswerAndHang(start) => {
                stream.write_all(start.as_bytes()).await?;
                drop(stream.read(&mut [0]).await);
            }
            Behaviour::Endless(start, again) => {
                stream.write_all(start.as_bytes()).await?;
                loop {
                    stream.write_all(&again).await?;
                }
            }
            Behaviour::Drip(answer) => {
                for byte in answer.as_bytes() {
                    stream.write_all(&[*byte]).await?;
                    sleep(Duration::from_millis(500)).await;
                }
            }
        }
    }
    Ok(())
}

/// The next request with its body; `None` when the other side has closed the connection between requests.
async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<Option<Received>> {
    loop {
        if let Some((received, length)) = parse_request(buffer) {
            buffer.drain(..length);
            return Ok(Some(received));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
}

/// The complete request at the start of the buffer, and its length.
fn parse_request(buffer: &[u8]) -> Option<(Received, usize)> {
    let head_length = buffer.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&buffer[..head_length]).into_owned();
    let mut lines = head.split("\r\n");
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers = headers(lines);
    let content_length = headers.iter().find(|(name, _)| name == "content-length");
    let content_length = content_length.map_or(Some(0_usize), |(_, length)| length.parse().ok())?;
    let body = buffer.get(head_length..head_length + content_length)?.to_vec();
    Some((Received { head, path, headers, body }, head_length + content_length))
}
