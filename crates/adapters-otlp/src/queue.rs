use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::Span;
use domain::ports::SpanSink;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The most spans that wait to be sent: about a megabyte.
pub(crate) const QUEUED_MAX: usize = 2_048;

/// Spans that wait to be sent. When it is full, spans are dropped and counted.
pub struct SpanQueue {
    waiting: Sender<Span>,
    counters: Counters,
}

/// How many spans were sent and dropped so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanCounts {
    /// The collector has taken them.
    pub exported: u64,
    /// There was no room for them, or the collector refused them.
    pub dropped: u64,
}

#[derive(Default)]
struct Counters {
    exported: AtomicU64,
    dropped: AtomicU64,
}

impl SpanQueue {
    /// An empty queue, and its end for the exporter.
    pub(crate) fn new() -> (Arc<Self>, Receiver<Span>) {
        let (waiting, queued) = channel(QUEUED_MAX);
        (Arc::new(Self { waiting, counters: Counters::default() }), queued)
    }

    /// The counts so far.
    pub fn counts(&self) -> SpanCounts {
        let Counters { exported, dropped } = &self.counters;
        SpanCounts { exported: exported.load(Ordering::Relaxed), dropped: dropped.load(Ordering::Relaxed) }
    }

    pub(crate) fn count_exported(&self, count: usize) {
        self.counters.exported.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn count_dropped(&self, count: usize) {
        self.counters.dropped.fetch_add(count as u64, Ordering::Relaxed);
    }
}

impl SpanSink for SpanQueue {
    fn record(&self, span: Span) {
        if let Err(TrySendError::Full(_) | TrySendError::Closed(_)) = self.waiting.try_send(span) {
            self.count_dropped(1);
        }
    }
}
