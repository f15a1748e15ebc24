use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use domain::ports::{BoxError, ChangeFeed, Clock, CredentialChanges, FeedPosition, StoreError};
use domain::webhooks::OwnerNumber;
use domain::{CredentialDigest, FailuresInARow, Streak};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::answers::Remembered;
use crate::fence::Mark;
use crate::{FEED_POLL_INTERVAL, FEED_READ_TIMEOUT};

/// The shortest time between two reads, even if hints arrive more often.
const READ_SPACING: Duration = Duration::from_millis(20);
/// After a longer gap between successful reads, the reader clears the cache instead of reading the changes that it
/// missed. Must be far below [`FORGET_INTERVAL`].
const GAP_MAX: Duration = Duration::from_mins(1);
/// The most changes in one read, about 4 MiB. If there are more, the reader clears the cache.
const CHANGES_MAX: u32 = 100_000;
/// How often old changes are deleted from the feed, and the shortest time for which a change stays there.
const FORGET_INTERVAL: Duration = Duration::from_mins(5);

/// Reads the change feed, evicts the keys and sessions that other processes have changed, and renews the trust in the
/// caches.
///
/// Each read continues at the position of the last one. Without a position, after a gap, and if the feed cannot list
/// the changes, the reader clears the cache.
pub(crate) struct FeedReader {
    /// The number of the feed, and so of the shard that it covers.
    shard: usize,
    feed: Arc<dyn ChangeFeed>,
    /// The answers of each kind of credential.
    answers: [Arc<dyn Remembered>; 2],
    clock: Arc<dyn Clock>,
    /// When the last successful read began: every credential that was changed before this instant has been evicted.
    covered: Mark,
    /// Where the next read continues.
    position: watch::Sender<Option<FeedPosition>>,
    failures: FailuresInARow,
}

impl FeedReader {
    pub(crate) fn new(
        (shard, feed): (usize, Arc<dyn ChangeFeed>),
        answers: [Arc<dyn Remembered>; 2],
        clock: Arc<dyn Clock>,
    ) -> Self {
        let covered = Mark::now(&*clock);
        Self {
            shard,
            feed,
            answers,
            clock,
            covered,
            position: watch::Sender::new(None),
            failures: FailuresInARow::default(),
        }
    }

    /// Reads every [`FEED_POLL_INTERVAL`], and whenever the feed hints at a change, until `stop` is cancelled.
    pub(crate) async fn run(mut self, stop: &CancellationToken) {
        let forgetting = forget_old_changes(Arc::clone(&self.feed), self.position.subscribe());
        let reading = async {
            loop {
                let began = Instant::now();
                let outcome = self.read().await;
                self.log(&outcome);
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
        let is_in_time = began.since(self.covered) <= GAP_MAX;
        let since = if is_in_time { self.position.borrow().clone() } else { None };
        let answer = timeout(FEED_READ_TIMEOUT, self.feed.changes_since(since.as_ref(), CHANGES_MAX)).await;
        let read = answer.map_err(|_| StoreError::Unavailable(BoxError::from("the read timed out")))??;
        for answers in &self.answers {
            match &read.changes {
                CredentialChanges::Of(changed) => evict(&**answers, changed),
                CredentialChanges::OfAny => answers.evict_all(),
            }
        }
        self.position.send_replace(Some(read.position));
        self.covered = began;
        self.answers.iter().for_each(|answers| answers.vouch(self.shard, began));
        Ok(())
    }

    /// Logs only the first failure and the recovery, because reads may fail four times a second.
    fn log(&mut self, outcome: &Result<(), StoreError>) {
        match self.failures.note(outcome) {
            Some(Streak::Began(error)) => tracing::warn!(
                error,
                shard = self.shard,
                "cannot read the change feed, retrying; VERIFY_WHEN_STALE applies once the last read is 3 s old"
            ),
            Some(Streak::Ended(failures)) => {
                tracing::info!(failures, shard = self.shard, "reading the change feed works again");
            }
            None => {}
        }
    }
}

/// Evicts what has changed. All owners together take one scan of the cache.
fn evict(answers: &dyn Remembered, changed: &[CredentialDigest]) {
    let owners: HashSet<OwnerNumber> = changed.iter().filter_map(CredentialDigest::owner).collect();
    changed.iter().filter(|digest| digest.owner().is_none()).for_each(|digest| answers.evict(digest));
    if !owners.is_empty() {
        answers.evict_owners(&owners);
    }
}

/// Deletes the changes before a position that is [`FORGET_INTERVAL`] old. By then every instance has read past the
/// position, or will clear its cache because of the gap.
async fn forget_old_changes(feed: Arc<dyn ChangeFeed>, position: watch::Receiver<Option<FeedPosition>>) {
    let mut old = None;
    loop {
        sleep(FORGET_INTERVAL).await;
        let newest = position.borrow().clone();
        let Some(before) = std::mem::replace(&mut old, newest) else { continue };
        if let Err(error) = feed.forget_changes(&before).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "cannot delete old changes from the feed, retrying"
            );
        }
    }
}
