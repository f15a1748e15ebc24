//! A receiver that costs as little as possible: it finds the end of a request, and answers 200.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

use crate::connection::message_in;

pub(super) const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
/// The longest time without an arrival before the measurement is aborted.
const PATIENCE: Duration = Duration::from_mins(1);

/// The webhooks that have arrived, at all addresses.
#[derive(Clone, Default)]
pub(crate) struct Receivers {
    count: Rc<Cell<u64>>,
    last: Rc<Cell<Option<Instant>>>,
    /// When each numbered event first arrived, if that is recorded.
    times: Option<Rc<RefCell<Vec<Option<Instant>>>>>,
}

impl Receivers {
    /// Records when each of the events 0 to `events` arrives. The data of an event is its number.
    pub(crate) fn timing(events: usize) -> Self {
        Self { times: Some(Rc::new(RefCell::new(vec![None; events]))), ..Self::default() }
    }

    /// Listens at one more address. Only within a `LocalSet`.
    pub(crate) async fn listen(&self) -> anyhow::Result<SocketAddr> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let receivers = self.clone();
        tokio::task::spawn_local(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let receivers = receivers.clone();
                tokio::task::spawn_local(async move { receivers.serve(stream).await });
            }
        });
        Ok(address)
    }

    async fn serve(&self, mut stream: TcpStream) -> anyhow::Result<()> {
        stream.set_nodelay(true)?;
        let mut buffer = Vec::with_capacity(16 * 1024);
        while stream.read_buf(&mut buffer).await? > 0 {
            while let Some((_, body)) = message_in(&buffer)? {
                let end = body.end;
                self.note(&buffer[body]);
                stream.write_all(ANSWER).await?;
                buffer.drain(..end);
            }
        }
        Ok(())
    }

    fn note(&self, body: &[u8]) {
        let now = Instant::now();
        self.count.set(self.count.get() + 1);
        self.last.set(Some(now));
        if let Some(times) = &self.times
            && let Some(number) = number_in(body)
            && let Some(time) = times.borrow_mut().get_mut(number)
        {
            time.get_or_insert(now);
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.get()
    }

    /// When each timed event arrived.
    pub(crate) fn times(&self) -> Vec<Option<Instant>> {
        self.times.as_ref().map(|times| times.borrow().clone()).unwrap_or_default()
    }

    /// Waits until this many webhooks have arrived, and returns when the last one did.
    pub(crate) async fn wait_for(&self, count: u64) -> anyhow::Result<Instant> {
        let (mut seen, mut since) = (self.count(), Instant::now());
        while self.count() < count {
            sleep(Duration::from_millis(2)).await;
            if self.count() > seen {
                (seen, since) = (self.count(), Instant::now());
            }
            ensure!(since.elapsed() < PATIENCE, "only {seen} of {count} webhooks arrived");
        }
        self.last.get().context("nothing arrived")
    }
}

/// The number in the data of the event: the payload ends with `"data":123}`.
fn number_in(body: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(body).ok()?;
    text.rsplit_once(':')?.1.strip_suffix('}')?.parse().ok()
}
