use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{BoxError, CHANGE_LAG_MAX, ChangeFeed, Clock, KeyChange, RecentChanges, StoreError};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::answers::Answers;
use crate::fence::Mark;
use crate::{FEED_POLL_INTERVAL, FEED_READ_TIMEOUT};

/// The shortest time between two reads, however often the hint comes.
const READ_SPACING: Duration = Duration::from_millis(20);
/// Past this gap between good reads everything is forgotten rather than read up. Far below [`FORGET_AGE`].
const GAP_MAX: Duration = Duration::from_mins(1);
/// The most changes that are read at once, some 4 MiB. Past it everything is forgotten.
const CHANGES_MAX: u32 = 100_000;
/// Changes older than this are deleted.
const FORGET_AGE: Duration = Duration::from_mins(10);
/// How often they are.
const FORGET_INTERVAL: Duration = Duration::from_mins(5);

/// Reads the change feed, evicts what others have changed, and vouches for the cache.
///
/// Every read looks back over the time since the last good one began, and over [`CHANGE_LAG_MAX`] more, for changes
/// that commit out of order. What the last read has seen is not evicted again.
pub(crate) struct FeedReader {
    feed: Arc<dyn ChangeFeed>,
    answers: Arc<Answers>,
    clock: Arc<dyn Clock>,
    /// Every change that was committed before this instant has been evicted.
    covered: Mark,
    last_read: HashSet<KeyChange>,
    is_failing: bool,
}

impl FeedReader {
    /// A reader for a cache that was empty at `covered`.
    pub(crate) fn new(feed: Arc<dyn ChangeFeed>, answers: Arc<Answers>, clock: Arc<dyn Clock>, covered: Mark) -> Self {
        Self { feed, answers, clock, covered, last_read: HashSet::new(), is_failing: false }
    }

    /// Reads every [`FEED_POLL_INTERVAL`], and when the feed hints at a change, until `stop` is cancelled.
    pub(crate) async fn run(mut self, stop: &CancellationToken) {
        let forgetting = forget_old_changes(Arc::clone(&self.feed));
        let reading = async {
            loop {
                let began = Instant::now();
                let outcome = self.read().await;
                self.log(outcome);
                sleep_until(began + READ_SPACING).await;
                tokio::select! {
                    () = sleep_until(began + FEED_POLL_INTERVAL) => {}
                    () = self.feed.hint() => {}
                }
            }
        };
        stop.run_until_cancelled(async { tokio::join!(reading, forgetting) }).await;
    }

    async fn read(&mut self) -> Result<(), StoreError> {
        let began = Mark::now(&*self.clock);
        if began.since(self.covered) > GAP_MAX {
            self.evict_all();
            self.covered = began;
        }
        let window = began.since(self.covered) + CHANGE_LAG_MAX;
        let answer = timeout(FEED_READ_TIMEOUT, self.feed.changes_within(window, CHANGES_MAX)).await;
        match answer.map_err(|_| StoreError::Unavailable(BoxError::from("no answer in time")))?? {
            RecentChanges::All(changes) => self.evict_new(changes),
            RecentChanges::TooMany => self.evict_all(),
        }
        self.covered = began;
        if let Some(fence) = &self.answers.fence {
            fence.renew(began);
        }
        Ok(())
    }

    fn evict_new(&mut self, changes: Vec<KeyChange>) {
        for change in &changes {
            if !self.last_read.contains(change) {
                self.answers.evict(&change.digest);
            }
        }
        self.last_read = changes.into_iter().collect();
    }

    fn evict_all(&mut self) {
        self.answers.evict_all();
        self.last_read.clear();
    }

    /// Once when it begins to fail, and once when it works again: it may fail four times a second.
    fn log(&mut self, outcome: Result<(), StoreError>) {
        let was_failing = std::mem::replace(&mut self.is_failing, outcome.is_err());
        match outcome {
            Err(error) if !was_failing => tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the change feed cannot be read: keys are looked up in the database until it can"
            ),
            Ok(()) if was_failing => tracing::info!("the change feed is read again"),
            _ => {}
        }
    }
}

async fn forget_old_changes(feed: Arc<dyn ChangeFeed>) {
    loop {
        sleep(FORGET_INTERVAL).await;
        if let Err(error) = feed.forget_changes(FORGET_AGE).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "old changes of keys could not be deleted, will retry"
            );
        }
    }
}
