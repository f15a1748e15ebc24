use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::Span;
use domain::ports::{SpanCounts, SpanSink};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The most spans that wait to be sent: about a megabyte.
pub(crate) const QUEUED_MAX: usize = 2_048;

/// Spans that wait to be sent. When it is full, spans are dropped and counted.
pub struct SpanQueue {
    waiting: Sender<Span>,
    exported: AtomicU64,
    dropped: AtomicU64,
}

impl SpanQueue {
    /// An empty queue, and its end for the exporter.
    pub(crate) fn new() -> (Arc<Self>, Receiver<Span>) {
        let (waiting, queued) = channel(QUEUED_MAX);
        (Arc::new(Self { waiting, exported: AtomicU64::new(0), dropped: AtomicU64::new(0) }), queued)
    }

    /// The counts so far.
    pub fn counts(&self) -> SpanCounts {
        SpanCounts { exported: self.exported.load(Ordering::Relaxed), dropped: self.dropped.load(Ordering::Relaxed) }
    }

    pub(crate) fn count_exported(&self, count: usize) {
        self.exported.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn count_dropped(&self, count: usize) {
        self.dropped.fetch_add(count as u64, Ordering::Relaxed);
    }
}

impl SpanSink for SpanQueue {
    fn record(&self, span: Span) {
        if let Err(TrySendError::Full(_) | TrySendError::Closed(_)) = self.waiting.try_send(span) {
            self.count_dropped(1);
        }
    }
}
