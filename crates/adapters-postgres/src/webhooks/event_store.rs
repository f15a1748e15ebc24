use async_trait::async_trait;
use domain::ports::{EventStore, Publication, StoreError};
use domain::webhooks::NewEvent;

use crate::PostgresStore;

#[async_trait]
impl EventStore for PostgresStore {
    async fn publish(&self, events: &[NewEvent]) -> Result<Publication, StoreError> {
        let publication = self.publisher.publish(events).await?;
        if let Publication::Accepted(accepted) = &publication
            && accepted.iter().any(|accepted| !accepted.is_duplicate && accepted.deliveries > 0)
        {
            self.change_signal.notify_of_deliveries();
        }
        Ok(publication)
    }
}
