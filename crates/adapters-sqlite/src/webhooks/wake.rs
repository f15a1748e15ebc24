use std::sync::Arc;

use tokio::sync::Notify;

/// Wakes the dispatcher of this process. It keeps one wake-up for whoever comes later, and more than one are as good
/// as one.
#[derive(Clone, Default)]
pub(crate) struct Wake(Arc<Notify>);

impl Wake {
    /// Something may have become due.
    pub(super) fn up(&self) {
        self.0.notify_one();
    }

    /// Returns after a wake-up.
    pub(super) async fn awaited(&self) {
        self.0.notified().await;
    }
}
