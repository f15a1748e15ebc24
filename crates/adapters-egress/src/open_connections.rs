use std::pin::pin;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::task::AtomicWaker;
use hyper_util::client::legacy::connect::CaptureConnection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, sleep_until};

/// How often a caller without a place looks for a connection that has become idle.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// How long a connection has been silent before it counts as idle: a new one gets its first request within this time.
const SILENT_MIN: Duration = Duration::from_millis(100);
/// The holders of the link of an idle connection: the connection itself, and the pool. An attempt is a third one.
const HOLDERS_WHEN_IDLE: usize = 2;

/// All open connections, idle ones included. When all places are taken, the connection that has been idle for the longest
/// time gives its place to a new one. See decision 53.
pub(crate) struct OpenConnections {
    places: Arc<Semaphore>,
    links: Mutex<Vec<Weak<Link>>>,
    start: Instant,
}

impl OpenConnections {
    /// At most `max` connections.
    pub(crate) fn new(max: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(max)), links: Mutex::default(), start: Instant::now() }
    }

    /// A place for one more connection; `None` if there is none until `by`.
    pub(crate) async fn place(&self, by: Instant) -> Option<OwnedSemaphorePermit> {
        let mut place = pin!(Arc::clone(&self.places).acquire_owned());
        let mut look = pin!(sleep(Duration::ZERO));
        loop {
            tokio::select! {
                biased;
                place = &mut place => return place.ok(),
                () = sleep_until(by) => return None,
                () = &mut look => {
                    self.close_an_idle_one();
                    look.set(sleep(LOOK_INTERVAL));
                }
            }
        }
    }

    /// The link of a new connection.
    pub(crate) fn link(&self) -> Arc<Link> {
        let (state, reader) = (AtomicU8::new(Link::OPEN), AtomicWaker::new());
        let link = Arc::new(Link { state, reader, start: self.start, last_used: AtomicU64::default() });
        link.touch();
        self.links.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&link));
        link
    }

    fn close_an_idle_one(&self) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|link| link.strong_count() > 0);
        let idle = links.iter().filter(|link| link.strong_count() == HOLDERS_WHEN_IDLE).filter_map(Weak::upgrade);
        let mut idle: Vec<Arc<Link>> = idle.filter(|link| link.is_silent()).collect();
        idle.sort_by_key(|link| link.last_used.load(Ordering::Relaxed));
        let _ = idle.iter().any(Link::give_way);
    }
}

/// The state of one connection. The client library does not say whether a connection is idle.
pub(crate) struct Link {
    state: AtomicU8,
    reader: AtomicWaker,
    start: Instant,
    /// In milliseconds since `start`.
    last_used: AtomicU64,
}

impl Link {
    const OPEN: u8 = 0;
    /// Nothing is written while it is decided whether the connection is idle.
    const JUDGED: u8 = 1;
    const GAVE_WAY: u8 = 2;

    /// Whether the connection was closed to make room. Nothing is written to it afterwards, so a request that was to use
    /// it next has not been sent.
    pub(crate) fn gave_way(connection: &CaptureConnection) -> bool {
        let mut extensions = http::Extensions::new();
        if let Some(connected) = &*connection.connection_metadata() {
            connected.get_extras(&mut extensions);
        }
        extensions.get::<Arc<Self>>().is_some_and(|link| link.has_given_way())
    }

    pub(crate) fn has_given_way(&self) -> bool {
        self.state.load(Ordering::SeqCst) == Self::GAVE_WAY
    }

    /// Whether something may be written now. `Pending` while the state is being decided.
    pub(crate) fn poll_writable(&self, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match self.state.load(Ordering::SeqCst) {
            Self::OPEN => {
                self.touch();
                Poll::Ready(Ok(()))
            }
            Self::JUDGED => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            _ => Poll::Ready(Err(std::io::ErrorKind::ConnectionAborted.into())),
        }
    }

    /// Wakes this reader when the connection gives way.
    pub(crate) fn register_reader(&self, context: &Context<'_>) {
        self.reader.register(context.waker());
    }

    fn touch(&self) {
        self.last_used.store(millis(self.start.elapsed()), Ordering::Relaxed);
    }

    fn is_silent(&self) -> bool {
        let last_used = self.last_used.load(Ordering::Relaxed);
        self.state.load(Ordering::SeqCst) == Self::OPEN
            && millis(self.start.elapsed()) >= last_used + millis(SILENT_MIN)
    }

    /// Closes the connection if it is idle. An attempt holds the link before its request is written, and the state stops
    /// writing meanwhile, so a connection with a request never gives way.
    fn give_way(self: &Arc<Self>) -> bool {
        self.state.store(Self::JUDGED, Ordering::SeqCst);
        let is_idle = Arc::strong_count(self) == HOLDERS_WHEN_IDLE + 1;
        self.state.store(if is_idle { Self::GAVE_WAY } else { Self::OPEN }, Ordering::SeqCst);
        self.reader.wake();
        is_idle
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
