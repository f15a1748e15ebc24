//! A load that costs as little as possible: callers that send one request after the other and read little more than the
//! length of an answer. The load and the measured process share the machine, so the cost of the load is lost to the
//! latter.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep};

use crate::connection::Connection;
use crate::stored_keys::{DIGITS, write_number};

/// The number of callers.
pub(crate) const CALLERS: usize = 64;

/// Requests that differ only in the number of a key.
#[derive(Clone)]
pub(crate) struct Requests {
    bytes: Vec<u8>,
    /// The position of the digits of the number; `None` if the request has no key.
    digits_at: Option<usize>,
    /// The number of the first key.
    first: u64,
    /// How many keys there are.
    keys: u64,
    /// The start of every answer.
    status: &'static [u8],
}

impl Requests {
    /// Requests with `keys` keys. The number of a key replaces `{key}` in `text`. Every answer must have status 200.
    pub(crate) fn new(text: &str, keys: u64) -> Self {
        let digits_at = text.find("{key}");
        let bytes = text.replace("{key}", &"0".repeat(DIGITS)).into_bytes();
        Self { bytes, digits_at, first: 0, keys, status: b"HTTP/1.1 200 " }
    }

    /// The same requests, where every answer must have status 401.
    pub(crate) fn refused(self) -> Self {
        Self { status: b"HTTP/1.1 401 ", ..self }
    }

    /// The same requests, where every answer must have status 202.
    pub(crate) fn accepted(self) -> Self {
        Self { status: b"HTTP/1.1 202 ", ..self }
    }

    /// The same requests to another path without a key.
    pub(crate) fn at_path(&self, path: &str) -> Self {
        let mut parts = self.bytes.splitn(3, |byte| *byte == b' ');
        let (method, old, rest) = (parts.next(), parts.next().unwrap_or_default(), parts.next());
        let bytes = [method.unwrap_or_default(), path.as_bytes(), rest.unwrap_or_default()].join(&b' ');
        let digits_at = self.digits_at.map(|at| at - old.len() + path.len());
        Self { bytes, digits_at, ..self.clone() }
    }

    /// The same requests with this many keys in turn, from key `first` on.
    pub(crate) fn of_keys(&self, first: u64, count: u64) -> Self {
        Self { first, keys: count, ..self.clone() }
    }

    /// The request for the key at this index.
    pub(crate) fn of_key(&self, number: u64) -> Vec<u8> {
        let mut request = self.bytes.clone();
        self.set_key(&mut request, number);
        request
    }

    fn set_key(&self, request: &mut [u8], number: u64) {
        if let Some(at) = self.digits_at {
            write_number(&mut request[at..at + DIGITS], self.first + number);
        }
    }

    /// The next key, in an order that no prefetcher predicts, and that uses each key once before it repeats one.
    pub(crate) fn after(&self, number: u64) -> u64 {
        // This prime is larger than every count of keys, so it is coprime to each count.
        (number + 618_034_003) % self.keys
    }
}

/// The result of a load.
pub(crate) struct Outcome {
    pub(crate) calls: u64,
    pub(crate) elapsed: Duration,
}

impl Outcome {
    pub(crate) fn rate(&self) -> f64 {
        self.count() / self.elapsed.as_secs_f64()
    }

    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 calls")]
    pub(crate) fn count(&self) -> f64 {
        self.calls as f64
    }
}

struct Progress {
    next: Cell<u64>,
    calls: Cell<u64>,
    calls_max: u64,
    is_over: Cell<bool>,
}

/// Calls from [`CALLERS`] connections for this long.
pub(crate) async fn hammer_for(address: SocketAddr, requests: &Requests, time: Duration) -> anyhow::Result<Outcome> {
    hammer(address, requests, time, u64::MAX).await
}

/// Calls once for each key.
pub(crate) async fn hammer_once(address: SocketAddr, requests: &Requests) -> anyhow::Result<Outcome> {
    hammer(address, requests, Duration::from_mins(10), requests.keys).await
}

async fn hammer(address: SocketAddr, requests: &Requests, time: Duration, calls_max: u64) -> anyhow::Result<Outcome> {
    let length = answer_length(address, requests).await?;
    let mut streams = Vec::new();
    for _ in 0..CALLERS {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        streams.push(stream);
    }
    let progress = Rc::new(Progress { next: Cell::new(0), calls: Cell::new(0), calls_max, is_over: Cell::new(false) });
    let began = Instant::now();
    let callers = LocalSet::new();
    let mut running = Vec::new();
    for stream in streams {
        let (progress, requests) = (Rc::clone(&progress), requests.clone());
        running.push(callers.spawn_local(async move { call(stream, &requests, length, &progress).await }));
    }
    let end = Rc::clone(&progress);
    callers.spawn_local(async move {
        sleep(time).await;
        end.is_over.set(true);
    });
    let outcome = callers.run_until(async {
        for caller in running {
            caller.await??;
        }
        anyhow::Ok(())
    });
    outcome.await?;
    Ok(Outcome { calls: progress.calls.get(), elapsed: began.elapsed() })
}

async fn call(mut stream: TcpStream, requests: &Requests, length: usize, progress: &Progress) -> anyhow::Result<()> {
    let mut request = requests.bytes.clone();
    let mut answer = vec![0; length + 1];
    while !progress.is_over.get() && progress.calls.get() < progress.calls_max {
        progress.calls.set(progress.calls.get() + 1);
        let number = progress.next.replace(requests.after(progress.next.get()));
        requests.set_key(&mut request, number);
        stream.write_all(&request).await?;
        let mut received = 0;
        while received < length {
            let count = stream.read(&mut answer[received..]).await?;
            ensure!(count > 0, "the connection was closed");
            received += count;
        }
        let is_expected = received == length && answer.starts_with(requests.status);
        ensure!(is_expected, "an unexpected answer: {}", String::from_utf8_lossy(&answer[..received]));
    }
    Ok(())
}

/// The length of every answer in bytes, which is the same for all requests.
pub(crate) async fn answer_length(address: SocketAddr, requests: &Requests) -> anyhow::Result<usize> {
    let mut connection = Connection::open(address).await?;
    connection.exchange(&requests.of_key(0)).await.context("the first call of a measurement")?;
    let answer = connection.last_answer();
    ensure!(answer.starts_with(requests.status), "an unexpected answer: {}", String::from_utf8_lossy(answer));
    Ok(answer.len())
}
