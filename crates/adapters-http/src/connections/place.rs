use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Context;

use futures_util::task::AtomicWaker;
use tokio::time::Instant;

/// In [`Place::waiting_since`]: the server does not wait for the client.
const BUSY: u64 = u64::MAX;

/// The state of one connection among the open ones. The connection updates it on each request, so an update is a
/// single atomic store.
pub(super) struct Place {
    pub(super) address: Option<IpAddr>,
    started: Instant,
    /// Since when the server waits for the client, in milliseconds since the start; [`BUSY`] while it does not.
    waiting_since: AtomicU64,
    is_closed: AtomicBool,
    waker: AtomicWaker,
}

impl Place {
    pub(super) fn new(address: Option<IpAddr>, started: Instant) -> Self {
        let place = Self {
            address,
            started,
            waiting_since: AtomicU64::new(BUSY),
            is_closed: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        };
        place.set_waiting();
        place
    }

    /// Since when the server waits for the client; `None` while it does not.
    pub(super) fn waiting_since(&self) -> Option<u64> {
        Some(self.waiting_since.load(Ordering::Relaxed)).filter(|since| *since != BUSY)
    }

    /// Asks the connection to close.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.waker.wake();
    }

    /// Notes that the server waits for the client.
    pub(super) fn set_waiting(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(BUSY - 1);
        self.waiting_since.store(now, Ordering::Relaxed);
    }

    /// Notes that the client waits for the server.
    pub(super) fn set_busy(&self) {
        self.waiting_since.store(BUSY, Ordering::Relaxed);
    }

    /// Whether the connection must close. If not, the task is woken when it must.
    pub(super) fn poll_closed(&self, context: &mut Context<'_>) -> bool {
        self.waker.register(context.waker());
        self.is_closed.load(Ordering::Acquire)
    }
}
