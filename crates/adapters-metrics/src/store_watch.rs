use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::ports::{Clock, QueueFigures, ServerFigures, SessionStore, StoreError, StoreFigures};
use domain::{FailuresInARow, Streak};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{COUNTED_MAX, WATCH_INTERVAL};

/// Reads the figures of the database at intervals, so that no request for metrics waits for the database.
pub struct StoreWatch {
    store: Arc<dyn StoreFigures>,
    sessions: Arc<dyn SessionStore>,
    clock: Arc<dyn Clock>,
    latest: Mutex<Option<Reading>>,
}

/// A reading of the database's figures.
#[derive(Clone)]
pub(crate) struct Reading {
    /// When the reading began.
    began: Instant,
    pub(crate) queue: QueueFigures,
    /// For how long the oldest due delivery had been due.
    pub(crate) oldest_due_age: Duration,
    /// How many sessions were good.
    pub(crate) sessions: u32,
    pub(crate) server: ServerFigures,
}

impl Reading {
    pub(crate) fn age(&self) -> Duration {
        self.began.elapsed()
    }
}

impl StoreWatch {
    /// A watch without a reading before [`StoreWatch::run`].
    pub fn new(store: Arc<dyn StoreFigures>, sessions: Arc<dyn SessionStore>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { store, sessions, clock, latest: Mutex::default() })
    }

    /// Reads now and every [`WATCH_INTERVAL`] until `stop` is cancelled. While readings fail, the last one stays.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let reading = async {
            let mut failures = FailuresInARow::default();
            loop {
                log(&self.read().await, &mut failures);
                sleep(WATCH_INTERVAL).await;
            }
        };
        stop.run_until_cancelled(reading).await;
    }

    /// The last successful reading.
    pub(crate) fn latest(&self) -> Option<Reading> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn read(&self) -> Result<(), StoreError> {
        let (began, at) = (Instant::now(), self.clock.now());
        let queue = self.store.queue_figures(at, COUNTED_MAX).await?;
        let sessions = self.sessions.count_good(at, COUNTED_MAX).await?;
        let server = self.store.server_figures().await?;
        let oldest_due_age = queue.oldest_due.map_or(Duration::ZERO, |due| at.since(due));
        let reading = Reading { began, queue, oldest_due_age, sessions, server };
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
        Ok(())
    }
}

/// Logs the first of several failures, and their end.
fn log(read: &Result<(), StoreError>, failures: &mut FailuresInARow) {
    match failures.note(read) {
        Some(Streak::Began(error)) => tracing::warn!(error, "cannot read the figures of the queue, retrying"),
        Some(Streak::Ended(failures)) => tracing::info!(failures, "reading the figures of the queue works again"),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use domain::Timestamp;
    use domain::memory::{ManualClock, MemorySessionStore};
    use domain::ports::BoxError;

    use super::*;

    const NOW: Timestamp = Timestamp::from_unix_millis(1_795_225_323_120).unwrap();

    /// Answers once, and then fails.
    #[derive(Default)]
    struct Once(Mutex<bool>);

    #[async_trait]
    impl StoreFigures for Once {
        async fn queue_figures(&self, at: Timestamp, max: u32) -> Result<QueueFigures, StoreError> {
            if std::mem::replace(&mut *self.0.lock().unwrap(), true) {
                return Err(StoreError::Unavailable(BoxError::from("down")));
            }
            let oldest_due = Some(at.minus(Duration::from_secs(5)));
            Ok(QueueFigures { waiting: max, oldest_due, ..QueueFigures::default() })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_reading_stays_and_says_how_old_it_is() {
        let (sessions, clock) = (Arc::new(MemorySessionStore::default()), Arc::new(ManualClock::new(NOW)));
        let watch = StoreWatch::new(Arc::new(Once::default()), sessions, clock);
        assert!(watch.latest().is_none());
        let running = tokio::spawn(Arc::clone(&watch).run(CancellationToken::new()));
        sleep(WATCH_INTERVAL * 3).await;
        let reading = watch.latest().expect("the first reading succeeded");
        assert_eq!((reading.queue.waiting, reading.oldest_due_age), (COUNTED_MAX, Duration::from_secs(5)));
        assert_eq!(reading.age(), WATCH_INTERVAL * 3);
        assert!(!running.is_finished());
    }
}
