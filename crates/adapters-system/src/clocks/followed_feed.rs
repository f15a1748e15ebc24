use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{ChangeFeed, FeedPosition, FeedRead, StoreError};

use super::DatabaseClock;

/// A change feed whose reads set a [`DatabaseClock`].
pub struct FollowedFeed {
    feed: Arc<dyn ChangeFeed>,
    clock: Arc<DatabaseClock>,
    is_always_followed: bool,
}

impl FollowedFeed {
    /// The feed, and the clock that follows it.
    pub fn new(feed: Arc<dyn ChangeFeed>, clock: Arc<DatabaseClock>) -> Self {
        Self { feed, clock, is_always_followed: true }
    }

    /// The same, but the clock follows it only as long as it knows no time.
    pub fn until_known(feed: Arc<dyn ChangeFeed>, clock: Arc<DatabaseClock>) -> Self {
        Self { feed, clock, is_always_followed: false }
    }
}

#[async_trait]
impl ChangeFeed for FollowedFeed {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        let asked = self.clock.ask();
        let read = self.feed.changes_since(since, max).await?;
        if self.is_always_followed || !self.clock.is_known() {
            self.clock.follow(asked, read.at);
        }
        Ok(read)
    }

    async fn hint(&self) {
        self.feed.hint().await;
    }

    async fn forget_changes(&self, before: &FeedPosition) -> Result<(), StoreError> {
        self.feed.forget_changes(before).await
    }
}
