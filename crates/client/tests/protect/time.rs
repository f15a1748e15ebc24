use std::sync::mpsc;
use std::time::Duration;

use tokio::task::spawn_blocking;

/// Time that stands still until a test moves it on. A paused clock runs ahead by itself whenever everything waits, as it
/// does for a socket; it does not while a blocking task runs, so one does.
pub(crate) struct StoppedTime {
    _release: mpsc::Sender<()>,
}

impl StoppedTime {
    /// Stops it. Needs a runtime of one thread.
    pub(crate) fn stop() -> Self {
        let (release, released) = mpsc::channel::<()>();
        drop(spawn_blocking(move || released.recv()));
        tokio::time::pause();
        Self { _release: release }
    }

    /// Moves it on.
    pub(crate) async fn pass(&self, duration: Duration) {
        tokio::time::advance(duration).await;
    }
}
