use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request as received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Received {
    /// The value of a header, by its lower-case name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// A receiver on a free port, which ends with the value.
pub(crate) struct Receiver {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<Received>>>,
    accepting: JoinHandle<()>,
}

impl Receiver {
    /// Handles each connection as `script` says.
    pub(crate) async fn acting<F>(script: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let accepting = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(script(stream));
            }
        });
        Self { address, connections, requests: Arc::default(), accepting }
    }

    /// Answers every request with these bytes, and keeps the connection.
    pub(crate) async fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::replying(move |_, _| answer.clone()).await
    }

    /// Answers each request by its number, from 1, and its content, and keeps the connection.
    pub(crate) async fn replying<Answer: Into<Vec<u8>>>(
        answer: impl Fn(usize, &Received) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let answer = Arc::new(move |number, request: &Received| -> Vec<u8> { answer(number, request).into() });
        let requests: Arc<Mutex<Vec<Received>>> = Arc::default();
        let log = Arc::clone(&requests);
        let mut receiver = Self::acting(move |mut stream| {
            let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
            async move {
                while let Some(request) = read_request(&mut stream).await {
                    let answer = {
                        let mut log = log.lock().unwrap();
                        log.push(request.clone());
                        answer(log.len(), &request)
                    };
                    if stream.write_all(&answer).await.is_err() {
                        return;
                    }
                }
            }
        })
        .await;
        receiver.requests = requests;
        receiver
    }

    /// Reads a request, writes these bytes, and then keeps the connection open.
    pub(crate) async fn falling_silent_after(answer: &'static [u8]) -> Self {
        Self::acting(move |mut stream| async move {
            read_request(&mut stream).await;
            stream.write_all(answer).await.unwrap();
            std::future::pending::<()>().await;
        })
        .await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook?x=1", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> Vec<Received> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// The next request on a connection; `None` if the connection closed before a request was complete.
pub(crate) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<Received> {
    let mut bytes = Vec::new();
    let head_length = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_length].to_vec()).unwrap();
    let mut received = Received { head, body: bytes[head_length..].to_vec() };
    let length: usize = received.header("content-length").unwrap().parse().unwrap();
    while received.body.len() < length {
        if stream.read_buf(&mut received.body).await.unwrap_or(0) == 0 {
            return None;
        }
    }
    Some(received)
}
