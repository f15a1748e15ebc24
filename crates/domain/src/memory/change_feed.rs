use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::lock;
use crate::ports::{ChangeFeed, CredentialChanges, FeedPosition, FeedRead, StoreError};
use crate::{CredentialDigest, Timestamp};

/// The feed of the stores in memory. All clones are one feed, which several stores can report to.
#[derive(Clone, Debug, Default)]
pub struct MemoryChangeFeed(Arc<Mutex<Reported>>);

#[derive(Debug, Default)]
struct Reported {
    /// All changes. A position in the feed is how many changes there were.
    changes: Vec<CredentialDigest>,
    /// How often the feed was read. This is the clock of this store: it moves by a millisecond with each read.
    reads: i64,
}

impl MemoryChangeFeed {
    /// Adds changes. Stores call this while they hold the lock on the changed data, so that a reader of the feed finds
    /// the change.
    pub(super) fn report(&self, digests: impl IntoIterator<Item = CredentialDigest>) {
        lock(&self.0).changes.extend(digests);
    }
}

#[async_trait]
impl ChangeFeed for MemoryChangeFeed {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        let mut reported = lock(&self.0);
        reported.reads += 1;
        let at = Timestamp::from_unix_millis(reported.reads).unwrap_or(Timestamp::MAX);
        let new = since.and_then(|since| reported.changes.get(since.as_str().parse::<usize>().ok()?..));
        let changes = new.filter(|new| new.len() <= max as usize).map(<[CredentialDigest]>::to_vec);
        let changes = changes.map_or(CredentialChanges::OfAny, CredentialChanges::Of);
        Ok(FeedRead { changes, position: FeedPosition::new(reported.changes.len().to_string()), at })
    }

    async fn forget_changes(&self, _: &FeedPosition) -> Result<(), StoreError> {
        Ok(())
    }
}
