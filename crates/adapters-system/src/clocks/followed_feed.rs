use std::sync::Arc;

use async_trait::async_trait;
use domain::ports::{ChangeFeed, FeedPosition, FeedRead, StoreError};

use super::DatabaseClock;

/// A change feed whose reads set a [`DatabaseClock`].
pub struct FollowedFeed {
    feed: Arc<dyn ChangeFeed>,
    clock: Arc<DatabaseClock>,
    from: Source,
}

/// The server whose time the feed reads.
#[derive(Clone, Copy)]
enum Source {
    /// The server that sets the clock.
    First,
    /// Another server, with its number.
    Further(usize),
}

impl FollowedFeed {
    /// The feed, and the clock that follows it.
    pub fn new(feed: Arc<dyn ChangeFeed>, clock: Arc<DatabaseClock>) -> Self {
        Self { feed, clock, from: Source::First }
    }

    /// A feed of the server with this number. It sets the clock only until the clock's first reading, and afterwards
    /// shows how far the server's clock is ahead.
    pub fn of_further(server: usize, feed: Arc<dyn ChangeFeed>, clock: Arc<DatabaseClock>) -> Self {
        Self { feed, clock, from: Source::Further(server) }
    }
}

#[async_trait]
impl ChangeFeed for FollowedFeed {
    async fn changes_since(&self, since: Option<&FeedPosition>, max: u32) -> Result<FeedRead, StoreError> {
        let asked = self.clock.ask();
        let read = self.feed.changes_since(since, max).await?;
        match self.from {
            Source::Further(server) if self.clock.is_known() => self.clock.compare_server(server, asked, read.at),
            Source::First | Source::Further(_) => self.clock.follow(asked, read.at),
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
