use std::sync::mpsc;
use std::time::Duration;

use tokio::task::spawn_blocking;

/// Time that stops until a test advances it. A paused tokio clock advances by itself whenever every task waits, for
/// example for a socket. It does not while a blocking task runs, so this type runs one.
pub(crate) struct StoppedTime {
    _release: mpsc::Sender<()>,
}

impl StoppedTime {
    /// Stops time. Needs a runtime with one thread.
    pub(crate) fn stop() -> Self {
        let (release, released) = mpsc::channel::<()>();
        drop(spawn_blocking(move || released.recv()));
        tokio::time::pause();
        Self { _release: release }
    }

    /// Advances time.
    pub(crate) async fn pass(&self, duration: Duration) {
        tokio::time::advance(duration).await;
    }
}
