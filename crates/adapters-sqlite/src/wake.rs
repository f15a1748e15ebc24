use std::sync::Arc;

use tokio::sync::Notify;

/// Wakes the dispatcher of this process. A wake-up without a waiter is kept for the next one; several count as one.
#[derive(Clone, Default)]
pub(crate) struct Wake(Arc<Notify>);

impl Wake {
    /// Wakes the dispatcher, because deliveries may have become due.
    pub(super) fn up(&self) {
        self.0.notify_one();
    }

    /// Returns after the next wake-up.
    pub(super) async fn awaited(&self) {
        self.0.notified().await;
    }
}
