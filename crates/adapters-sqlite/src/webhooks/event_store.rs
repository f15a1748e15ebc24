use async_trait::async_trait;
use domain::ports::{EventStore, Publication, StoreError};
use domain::webhooks::NewEvent;

use super::publish_events::publish_events;
use crate::SqliteStore;

#[async_trait]
impl EventStore for SqliteStore {
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let (events, wake) = (events.to_vec(), self.wake.clone());
        let work = move |connection: &mut diesel::SqliteConnection| publish_events(connection, &events);
        self.writer.write_then(work, move |_| wake.up()).await
    }
}
