use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// An HTTP server that gives every request the same answer, keeps its connections, and records the requests.
pub(super) struct Recorder {
    address: SocketAddr,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<Received>>,
    connections: AtomicUsize,
}

/// A received request.
#[derive(Clone, Debug)]
pub(super) struct Received {
    /// The request line and the headers.
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Received {
    pub(super) fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    /// The value of the one header of this name.
    #[track_caller]
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        let mut values = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim());
        let value = values.next().map(str::to_owned);
        assert!(values.next().is_none(), "duplicate header {name}: {}", self.head);
        value
    }
}

impl Recorder {
    /// A server that answers with this status line, header and body.
    pub(super) async fn answering(status: &str, header: &str, body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let answer = format!("HTTP/1.1 {status}\r\n{header}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let seen = Arc::new(Seen::default());
        tokio::spawn(serve(listener, Arc::clone(&seen), answer.into_bytes().into()));
        Self { address, seen }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.seen.requests.lock().expect("no test panics here").clone()
    }

    /// The newest request.
    #[track_caller]
    pub(super) fn last(&self) -> Received {
        self.received().pop().expect("at least one request")
    }

    pub(super) fn forget(&self) {
        self.seen.requests.lock().expect("no test panics here").clear();
    }

    /// The number of connections that carried a request.
    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::Relaxed)
    }
}

async fn serve(listener: TcpListener, seen: Arc<Seen>, answer: Arc<[u8]>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
        tokio::spawn(async move { converse(stream, &seen, &answer).await });
    }
}

/// Answers requests until the peer closes, announces that it will close, or sends something that is not a request.
async fn converse(mut stream: TcpStream, seen: &Seen, answer: &[u8]) -> Option<()> {
    let mut buffer = Vec::new();
    for number in 0.. {
        let head_end = loop {
            if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            (stream.read_buf(&mut buffer).await.ok()? > 0).then_some(())?;
        };
        let rest = buffer.split_off(head_end + 4);
        let head = String::from_utf8_lossy(&std::mem::replace(&mut buffer, rest)[..head_end]).into_owned();
        let mut request = Received { head, body: Vec::new() };
        let length = request.header("content-length").map_or(0, |length| length.parse().expect("a length"));
        while buffer.len() < length {
            (stream.read_buf(&mut buffer).await.ok()? > 0).then_some(())?;
        }
        let rest = buffer.split_off(length);
        request.body = std::mem::replace(&mut buffer, rest);
        let is_last = request.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        seen.requests.lock().ok()?.push(request);
        if number == 0 {
            seen.connections.fetch_add(1, Ordering::Relaxed);
        }
        stream.write_all(answer).await.ok()?;
        (!is_last).then_some(())?;
    }
    None
}
